/* See cart.h. */
#include "producer/client/cart.h"

#include <string.h>

/* ==== States ==== */

const char *usher_cart_state_name(enum usher_cart_state state)
{
    static const char *const names[] = {
        [USHER_CART_UNKNOWN] = "unknown", [USHER_CART_HELD] = "held",
        [USHER_CART_REFUSED] = "refused", [USHER_CART_SOLD] = "sold",
        [USHER_CART_ABORTED] = "aborted", [USHER_CART_GONE] = "gone",
        [USHER_CART_MIXED] = "mixed",
    };
    return (size_t)state < sizeof names / sizeof names[0] ? names[state] : NULL;
}

enum usher_cart_state cart_line_state(const struct usher_answer *answer)
{
    if (!answer)
        return USHER_CART_UNKNOWN;
    if (answer->outcome == USHER_HELD || answer->outcome == USHER_EXTENDED)
        return USHER_CART_HELD;
    if (answer->outcome == USHER_CONFIRMED || answer->reason == USHER_ALREADY_CONFIRMED)
        return USHER_CART_SOLD;
    if (answer->outcome == USHER_RELEASED || answer->reason == USHER_ALREADY_RELEASED ||
        answer->reason == USHER_ALREADY_CANCELLED || answer->reason == USHER_HOLD_EXPIRED ||
        answer->reason == USHER_UNKNOWN_BOOKING)
        return USHER_CART_GONE;
    return USHER_CART_REFUSED;
}

enum usher_cart_state cart_state(const struct usher_answer *const *answers, uint32_t count)
{
    uint32_t counts[USHER_CART_MIXED] = {0};
    for (uint32_t i = 0; i < count; i++)
        counts[cart_line_state(answers[i])]++;
    if (counts[USHER_CART_UNKNOWN] > 0)
        return USHER_CART_UNKNOWN;
    for (enum usher_cart_state state = USHER_CART_HELD; state < USHER_CART_MIXED; state++)
        if (counts[state] == count)
            return state;
    return counts[USHER_CART_SOLD] > 0 ? USHER_CART_MIXED : USHER_CART_REFUSED;
}

/* ==== Requests ==== */

static const char *make_id(const struct usher_cart *cart, uint32_t index, enum usher_op op,
                           int attempt, const char *unique, struct usher_arena *arena)
{
    if (op == USHER_OP_CONFIRM)
        return usher_arena_format(arena, "%s.c", cart->lines[index].booking);
    if (op != USHER_OP_HOLD)
        return usher_arena_format(arena, "%s.%s", cart->id, unique);
    return attempt == 1 ? usher_arena_format(arena, "%s.h%u", cart->id, index + 1)
                        : usher_arena_format(arena, "%s.h%u-%d", cart->id, index + 1, attempt);
}

struct usher_request cart_request(const struct usher_cart *cart, uint32_t index, enum usher_op op,
                                  int attempt, const char *unique, struct usher_arena *arena)
{
    const struct usher_cart_line *line = &cart->lines[index];
    struct usher_request request = {
        .op = op,
        .request_id = make_id(cart, index, op, attempt, unique, arena),
        .resource = line->resource,
        .customer = cart->customer,
    };
    if (op == USHER_OP_HOLD) {
        request.cart = cart->id;
        request.items = line->items;
        request.item_count = line->item_count;
        request.ttl_s = cart->ttl_s;
    } else {
        request.booking = line->booking;
    }
    /* No hold gets shorter: a second asks whether it is held, and until when. */
    if (op == USHER_OP_EXTEND)
        request.ttl_s = cart->ttl_s != 0 ? cart->ttl_s : 1;
    if (op == USHER_OP_CONFIRM)
        request.payment = cart->payment;
    return request;
}

/* ==== Checking and copying ==== */

/* Of the characters of ids: the ids of requests begin with it. */
static bool is_id(const char *text)
{
    static const char allowed[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.:-";
    return text && text[0] != '\0' && text[strspn(text, allowed)] == '\0';
}

static bool have_common_seat(const struct usher_item *a, const struct usher_item *b)
{
    for (uint32_t i = 0; i < a->seat_count; i++)
        for (uint32_t j = 0; j < b->seat_count; j++)
            if (strcmp(a->seats[i], b->seats[j]) == 0)
                return true;
    return false;
}

/* Whether two lines can be seen to be about the same: a booking, or a seat. */
static bool are_same(const struct usher_cart_line *a, const struct usher_cart_line *b)
{
    if (strcmp(a->resource, b->resource) != 0)
        return false;
    if (a->booking && strcmp(a->booking, b->booking) == 0)
        return true;
    for (uint32_t i = 0; i < a->item_count; i++)
        for (uint32_t j = 0; j < b->item_count; j++)
            if (have_common_seat(&a->items[i], &b->items[j]))
                return true;
    return false;
}

static const char *fault_of(const struct usher_cart *cart, enum usher_op op)
{
    if (!is_id(cart->id) || strlen(cart->id) > USHER_CART_ID_MAX)
        return "its id is not of 1 to 40 characters A-Z a-z 0-9 _ . : -";
    if (cart->line_count == 0 || !cart->lines)
        return "it has no line";
    if (cart->line_count > USHER_CART_LINES_MAX)
        return "it has more than 100 lines";
    return op == USHER_OP_EXTEND && cart->ttl_s == 0 ? "it has no ttl_s" : NULL;
}

static const char *fault_of_line(const struct usher_cart_line *line, enum usher_op op)
{
    if (!line->resource)
        return "it has no resource";
    if (op != USHER_OP_HOLD && !line->booking)
        return "it has no booking";
    if (op == USHER_OP_HOLD && (line->item_count == 0 || !line->items))
        return "it has no items";
    return op == USHER_OP_CONFIRM && line->expires_ms <= 0
               ? "it has no expires_ms: extend the cart, and take its result"
               : NULL;
}

/* By way of its request, which says whether it is valid. */
static const char *copy_line(const struct usher_cart *cart, uint32_t index, enum usher_op op,
                             struct usher_arena *arena, struct usher_request *copied)
{
    struct usher_buffer json = {0};
    struct usher_error fault;
    const struct usher_request request = cart_request(cart, index, op, 1, "0", arena);
    usher_request_encode(&request, &json);
    enum usher_status status = usher_request_decode(json.at, json.size, arena, copied, &fault);
    usher_buffer_deinit(&json);
    return status == USHER_OK ? NULL : usher_arena_text(arena, fault.text, strlen(fault.text));
}

enum usher_status cart_copy(const struct usher_cart *cart, enum usher_op op,
                            struct usher_arena *arena, struct usher_cart *copy,
                            struct usher_error *err)
{
    const char *fault = fault_of(cart, op);
    if (fault) {
        usher_error_set(err, USHER_EXIT_BAD_INPUT, "could not use a cart: %s", fault);
        return USHER_REJECT;
    }
    struct usher_cart_line *lines = usher_arena_alloc(arena, cart->line_count * sizeof *lines);
    *copy = *cart;
    copy->lines = lines;
    copy->id = usher_arena_text(arena, cart->id, strlen(cart->id));
    for (uint32_t i = 0; i < cart->line_count; i++) {
        struct usher_request request = {0};
        fault = fault_of_line(&cart->lines[i], op);
        if (!fault)
            fault = copy_line(cart, i, op, arena, &request);
        lines[i] = (struct usher_cart_line){
            .resource = request.resource,
            .items = request.items,
            .item_count = request.item_count,
            .booking = request.booking,
            .expires_ms = op == USHER_OP_HOLD ? 0 : cart->lines[i].expires_ms,
        };
        copy->customer = request.customer;
        copy->payment = request.payment;
        for (uint32_t j = 0; j < i && !fault; j++)
            if (are_same(&lines[j], &lines[i]))
                fault = "an earlier line has the same booking, or seat";
        if (fault) {
            usher_error_set(err, USHER_EXIT_BAD_INPUT, "could not use line %u of cart %s: %s",
                            i + 1, cart->id, fault);
            return USHER_REJECT;
        }
    }
    return USHER_OK;
}
