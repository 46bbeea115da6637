/*
 * All bookings of a customer's cart in a resource, changed all or nothing; and the time of its
 * holds, which restarts whenever the cart is used. PURE.
 */
#include "worker/rules/cart.h"

#include "worker/inventory/bookings.h"
#include "worker/rules/answer_units.h"
#include "worker/rules/confirm.h"
#include "worker/rules/returning.h"

struct cart {
    struct booking **bookings; /* by number */
    uint32_t count;
};

static struct cart find_cart(const struct decision *decision)
{
    const struct usher_request *request = decision->request;
    struct cart cart;
    uint32_t count =
        inventory_cart(decision->inventory, decision->resource->row.no, request->customer,
                       request->cart, decision_arena(decision), &cart.bookings);
    bool trusted = inventory_trusts(decision->inventory, decision->resource, cart.bookings, count);
    cart.count = trusted ? count : 0;
    return cart;
}

bool cart_refuse_full(struct decision *decision)
{
    const struct usher_request *request = decision->request;
    if (!request->cart || inventory_cart_size(decision->inventory, decision->resource->row.no,
                                              request->customer, request->cart) < CART_BOOKINGS_MAX)
        return false;
    decision_refuse(decision, USHER_LIMIT_EXCEEDED, "at most 10,000 bookings per cart");
    return true;
}

/* ---- time ---- */

int64_t cart_extended_ms(const struct decision *decision, const struct booking *booking,
                         int64_t ttl_s)
{
    int64_t wanted_ms = decision->batch->now_ms + ttl_s * 1000;
    int64_t cap_ms = booking->created_ms + decision->rules->hold_ttl_max_s * 1000;
    int64_t until_ms = wanted_ms < cap_ms ? wanted_ms : cap_ms;
    return until_ms > booking->expires_ms ? until_ms : booking->expires_ms;
}

static void extend(struct decision *decision, struct booking *booking, int64_t ttl_s)
{
    struct booking_change change = booking_change_of(booking, BOOKING_HELD);
    change.expires_ms = cart_extended_ms(decision, booking, ttl_s);
    if (change.expires_ms != booking->expires_ms)
        inventory_change_booking(decision->inventory, decision->resource, booking, &change);
}

void cart_restart(struct decision *decision)
{
    struct cart cart = find_cart(decision);
    for (uint32_t i = 0; i < cart.count; i++) {
        struct booking *booking = cart.bookings[i];
        if (booking->state == BOOKING_HELD && booking->ttl_s != USHER_ABSENT)
            extend(decision, booking, booking->ttl_s);
    }
}

/* ---- which bookings ---- */

/* Keeps the bookings in that state. */
static void keep_state(struct cart *cart, enum booking_state state)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < cart->count; i++)
        if (cart->bookings[i]->state == state)
            cart->bookings[kept++] = cart->bookings[i];
    cart->count = kept;
}

/*
 * Keeps what is in the cart: holds, and holds that expired while the others ran, which a confirm
 * takes again. One that had expired before the earliest of these was created belongs to an earlier
 * cart, and must not be sold by accident.
 */
static void keep_present(struct cart *cart)
{
    int64_t began_ms = INT64_MAX;
    uint32_t first = cart->count;
    for (uint32_t i = cart->count; i-- > 0;) {
        struct booking *booking = cart->bookings[i];
        bool held = booking->state == BOOKING_HELD;
        bool expired = booking->state == BOOKING_EXPIRED;
        bool present =
            held || (expired && (began_ms == INT64_MAX || booking->expires_ms > began_ms));
        if (!present)
            continue;
        began_ms = booking->created_ms < began_ms ? booking->created_ms : began_ms;
        cart->bookings[--first] = booking;
    }
    cart->count -= first;
    cart->bookings += first;
}

/* Nothing is lost by it: each of the bookings can be named by itself. */
static bool refuse_large(struct decision *decision, const struct cart *cart)
{
    uint64_t units = 0;
    for (uint32_t i = 0; i < cart->count; i++)
        units += cart->bookings[i]->content->unit_count;
    if (units <= CART_UNITS_MAX)
        return false;
    decision_refuse(decision, USHER_LIMIT_EXCEEDED,
                    "the cart has more than 100,000 units: name its bookings one by one");
    return true;
}

/* ---- what is done to all of them ---- */

/* Sets what the answer says of all bookings together. */
static void set_answer(struct decision *decision, const struct cart *cart)
{
    struct usher_answer *answer = &decision->answer;
    answer->customer = decision->request->customer;
    answer->cart = decision->request->cart;
    answer->currency = decision->resource->row.currency;
    answer->total = 0;
    for (uint32_t i = 0; i < cart->count; i++)
        if (booking_state_owns_units(cart->bookings[i]->state))
            answer->total += cart->bookings[i]->total;
}

/* What the operations that end bookings make of them. */
static const struct ending endings[USHER_OP_COUNT] = {
    [USHER_OP_RELEASE] = {BOOKING_RELEASED, USHER_RELEASED},
    [USHER_OP_CANCEL] = {BOOKING_CANCELLED, USHER_CANCELLED},
};

static void end_all(struct decision *decision, const struct cart *cart)
{
    const struct ending *ending = &endings[decision->request->op];
    uint32_t lines = 0;
    for (uint32_t i = 0; i < cart->count; i++)
        lines += booking_owned_lines(cart->bookings[i]);
    struct answer_units_list returned = answer_units_begin(decision, lines);
    for (uint32_t i = 0; i < cart->count; i++)
        answer_units_add(decision, cart->bookings[i], cart->bookings[i]->content->lines,
                         booking_owned_lines(cart->bookings[i]), &returned);
    set_answer(decision, cart);
    decision->answer.returned = returned.at;
    decision->answer.returned_count = returned.count;
    decision_succeed(decision, ending->outcome);
    if (!decision_fits(decision))
        return;
    /* From here on nothing can fail. */
    decision_name_all(decision, cart->bookings, cart->count);
    for (uint32_t i = 0; i < cart->count; i++)
        returning_end(decision, cart->bookings[i], ending->to);
    decision->encoded = false; /* more is free now */
}

/*
 * An answer about the others alone would promise less than a confirm sells, or more than it can.
 */
static bool refuse_expired(struct decision *decision, const struct cart *cart)
{
    for (uint32_t i = 0; i < cart->count; i++) {
        if (cart->bookings[i]->state != BOOKING_EXPIRED)
            continue;
        decision_refuse(decision, USHER_HOLD_EXPIRED,
                        usher_arena_format(decision_arena(decision),
                                           "%s has expired: confirm the cart, or release %s first",
                                           cart->bookings[i]->request_id,
                                           cart->bookings[i]->request_id));
        return true;
    }
    return false;
}

/* Each hold lasts as long as its own time at least. The answer says when the first one ends. */
static void extend_all(struct decision *decision, const struct cart *cart)
{
    if (refuse_expired(decision, cart))
        return;
    set_answer(decision, cart);
    decision_name_all(decision, cart->bookings, cart->count);
    decision_succeed(decision, USHER_EXTENDED);
    for (uint32_t i = 0; i < cart->count; i++) {
        struct booking *booking = cart->bookings[i];
        int64_t ttl_s = decision->request->ttl_s;
        extend(decision, booking, booking->ttl_s > ttl_s ? booking->ttl_s : ttl_s);
        if (i == 0 || booking->expires_ms < decision->answer.expires_ms)
            decision->answer.expires_ms = booking->expires_ms;
    }
}

static void confirm_all(struct decision *decision, const struct cart *cart)
{
    confirm_decide_all(decision, cart->bookings, cart->count);
}

/* Which bookings of the cart an operation is about, and what it does to them. */
static const struct cart_change {
    enum booking_state state; /* NONE: all that are present */
    void (*apply)(struct decision *decision, const struct cart *cart);
} changes[USHER_OP_COUNT] = {
    [USHER_OP_CONFIRM] = {BOOKING_NONE, confirm_all},
    [USHER_OP_RELEASE] = {BOOKING_NONE, end_all},
    [USHER_OP_CANCEL] = {BOOKING_CONFIRMED, end_all},
    [USHER_OP_EXTEND] = {BOOKING_NONE, extend_all},
};

void cart_decide(struct decision *decision)
{
    const struct cart_change *change = &changes[decision->request->op];
    struct cart cart = find_cart(decision);
    if (change->state == BOOKING_NONE)
        keep_present(&cart);
    else
        keep_state(&cart, change->state);
    if (cart.count == 0) {
        decision_refuse(decision, USHER_UNKNOWN_BOOKING,
                        "no booking of the cart is in the required state");
        return;
    }
    if (!refuse_large(decision, &cart))
        change->apply(decision, &cart);
}
