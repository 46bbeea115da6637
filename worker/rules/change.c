/*
 * The operations on one booking or on all bookings of a cart: confirm, release, cancel, extend,
 * exchange, transfer, leave, unblock. PURE.
 */
#include "worker/rules/change.h"

#include <assert.h>
#include <string.h>

#include "worker/inventory/bookings.h"
#include "worker/inventory/shared_catalogue.h"
#include "worker/rules/confirm.h"
#include "worker/rules/operations.h"
#include "worker/rules/plan_items.h"
#include "worker/rules/sale.h"

/* ==== Carts ==== */

struct cart {
    struct booking **bookings; /* by number */
    uint32_t count;
};

static struct cart find_cart(const struct decision *decision)
{
    assert(decision->request->customer && decision->request->cart);
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

/* Returns when a hold ends if it is extended to `ttl_s` from now. */
static int64_t cart_extended_ms(const struct decision *decision, const struct booking *booking,
                                int64_t ttl_s)
{
    int64_t wanted_ms = decision->batch->now_ms + sale_hold_ttl_s(decision, ttl_s) * 1000;
    int64_t cap_ms = booking->row.created_ms + sale_hold_total_s(decision) * 1000;
    int64_t until_ms = wanted_ms < cap_ms ? wanted_ms : cap_ms;
    return until_ms > booking->row.expires_ms ? until_ms : booking->row.expires_ms;
}

static void extend_of_cart(struct decision *decision, struct booking *booking, int64_t ttl_s)
{
    assert(booking->row.state == BOOKING_HELD);
    struct booking_change change = booking_change_of(booking, BOOKING_HELD);
    change.row.expires_ms = cart_extended_ms(decision, booking, ttl_s);
    if (change.row.expires_ms != booking->row.expires_ms)
        inventory_change_booking(decision->inventory, decision->resource, booking, &change);
}

void cart_restart(struct decision *decision)
{
    struct cart cart = find_cart(decision);
    for (uint32_t i = 0; i < cart.count; i++) {
        struct booking *booking = cart.bookings[i];
        if (booking->row.state == BOOKING_HELD && booking->row.ttl_s != USHER_ABSENT)
            extend_of_cart(decision, booking, booking->row.ttl_s);
    }
}

/* ---- which bookings ---- */

/* Keeps the bookings in that state. */
static void keep_state(struct cart *cart, enum booking_state state)
{
    assert(state != BOOKING_NONE);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < cart->count; i++)
        if (cart->bookings[i]->row.state == state)
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
        bool held = booking->row.state == BOOKING_HELD;
        bool expired = booking->row.state == BOOKING_EXPIRED;
        bool present =
            held || (expired && (began_ms == INT64_MAX || booking->row.expires_ms > began_ms));
        if (!present)
            continue;
        began_ms = booking->row.created_ms < began_ms ? booking->row.created_ms : began_ms;
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
static void set_cart_answer(struct decision *decision, const struct cart *cart)
{
    assert(cart->count > 0);
    struct usher_answer *answer = &decision->answer;
    answer->customer = decision->request->customer;
    answer->cart = decision->request->cart;
    answer->currency = decision->resource->row.currency;
    answer->total = 0;
    for (uint32_t i = 0; i < cart->count; i++)
        if (booking_state_owns_units(cart->bookings[i]->row.state))
            answer->total += cart->bookings[i]->row.total;
}

/* Why it ends, in the words of whoever ends it. */
static void set_note(struct decision *decision)
{
    const char *note = decision->request->note;
    decision->answer.detail = note && *note != '\0' ? note : NULL;
}

static void end_all(struct decision *decision, const struct cart *cart)
{
    const struct result *result = &operations[decision->request->op].result;
    assert(result->to != BOOKING_NONE);
    uint32_t lines = 0;
    for (uint32_t i = 0; i < cart->count; i++)
        lines += booking_owned_lines(cart->bookings[i]);
    struct answer_units_list returned = answer_units_begin(decision, lines);
    for (uint32_t i = 0; i < cart->count; i++)
        answer_units_add(decision, cart->bookings[i], cart->bookings[i]->content->lines,
                         booking_owned_lines(cart->bookings[i]), &returned);
    set_cart_answer(decision, cart);
    set_note(decision);
    decision->answer.returned = returned.at;
    decision->answer.returned_count = returned.count;
    decision_succeed(decision, result->outcome);
    if (!decision_fits(decision))
        return;
    /* From here on nothing can fail. */
    decision_name_all(decision, cart->bookings, cart->count);
    for (uint32_t i = 0; i < cart->count; i++)
        returning_end(decision, cart->bookings[i], result->to);
    decision->encoded = false; /* more is free now */
}

/*
 * An answer about the others alone would promise less than a confirm sells, or more than it can.
 */
static bool refuse_expired(struct decision *decision, const struct cart *cart)
{
    for (uint32_t i = 0; i < cart->count; i++) {
        if (cart->bookings[i]->row.state != BOOKING_EXPIRED)
            continue;
        decision_refuse(decision, USHER_HOLD_EXPIRED,
                        usher_arena_format(decision_arena(decision),
                                           "%s has expired: confirm the cart, or release %s first",
                                           cart->bookings[i]->row.request_id,
                                           cart->bookings[i]->row.request_id));
        return true;
    }
    return false;
}

/* Each hold lasts as long as its own time at least. The answer says when the first one ends. */
static void extend_all(struct decision *decision, const struct cart *cart)
{
    assert(cart->count > 0);
    if (refuse_expired(decision, cart))
        return;
    set_cart_answer(decision, cart);
    decision_name_all(decision, cart->bookings, cart->count);
    decision_succeed_asked(decision);
    for (uint32_t i = 0; i < cart->count; i++) {
        struct booking *booking = cart->bookings[i];
        int64_t ttl_s = decision->request->ttl_s;
        extend_of_cart(decision, booking, booking->row.ttl_s > ttl_s ? booking->row.ttl_s : ttl_s);
        if (i == 0 || booking->row.expires_ms < decision->answer.expires_ms)
            decision->answer.expires_ms = booking->row.expires_ms;
    }
}

static void confirm_all(struct decision *decision, const struct cart *cart)
{
    assert(cart->count > 0);
    confirm_decide_all(decision, cart->bookings, cart->count);
}

/*
 * ==== Exchange ====
 *
 * exchange: the content of a booking replaced in one step, by units that are free, that it has, or
 * that a hold has: whoever is to pay for them first holds them, and has the booking meanwhile.
 */

/* The booking that is exchanged, and behind it the hold that goes into it. */
struct exchanged {
    struct booking *at[2];
    uint32_t count;
};

/* Finds the hold that the request names, if it names one. False: refused. */
static bool find_hold(struct decision *decision, struct exchanged *exchanged)
{
    const struct usher_request *request = decision->request;
    if (!request->from_hold)
        return true;
    struct booking *hold =
        inventory_booking(decision->inventory, decision->resource->row.no, request->from_hold);
    const char *customer = exchanged->at[0]->row.customer; /* NULL: of a block, which is nobody's */
    enum usher_reason reason = USHER_UNKNOWN_BOOKING;
    if (hold && inventory_trusts(decision->inventory, decision->resource, &hold, 1))
        reason = hold->row.customer && customer && strcmp(hold->row.customer, customer) == 0
                     ? operations[USHER_OP_EXTEND].refused[hold->row.state]
                     : USHER_NOT_OWNER;
    if (reason != USHER_REASON_NONE) {
        decision_refuse(decision, reason, "of the hold that the units are to come from");
        return false;
    }
    exchanged->at[exchanged->count++] = hold;
    return true;
}

/* Sets what goes back: of the hold, which was never paid for, each group names it. */
static void set_returned(struct decision *decision, const struct exchanged *exchanged,
                         struct plan *plan)
{
    struct usher_answer *answer = &decision->answer;
    const struct line *rest[2];
    uint32_t counts[2] = {0, 0};
    for (uint32_t i = 0; i < exchanged->count; i++)
        rest[i] = plan_rest(plan, exchanged->at[i], &counts[i]);
    struct usher_units *returned =
        usher_arena_alloc(decision_arena(decision), (counts[0] + counts[1]) * sizeof *returned);
    for (uint32_t i = 0; i < exchanged->count; i++) {
        const struct usher_units *units =
            answer_units(decision->resource, rest[i], counts[i], decision_arena(decision));
        for (uint32_t j = 0; j < counts[i]; j++) {
            returned[answer->returned_count] = units[j];
            returned[answer->returned_count++].booking =
                i > 0 ? decision_text(decision, exchanged->at[i]->row.request_id) : NULL;
        }
    }
    answer->returned = returned;
}

static void set_exchange_answer(struct decision *decision, const struct exchanged *exchanged,
                                struct plan *plan)
{
    const struct booking *booking = exchanged->at[0];
    assert(plan->owner_count == exchanged->count && plan->shortfall_count == 0);
    struct usher_answer *answer = &decision->answer;
    answer_set_booking(decision, booking);
    answer->payment = decision_text(decision, booking->row.payment);
    answer->total = unit_lines_total(plan->lines, plan->line_count);
    answer->difference = answer->total - booking->row.total;
    answer->expires_ms = booking->row.expires_ms;
    plan_answer(decision, plan);
    set_returned(decision, exchanged, plan);
}

/* Refuses what leaves a unit that stays at its rate no room there, since an earlier item took it.
 */
static bool refuse_rate(struct decision *decision, struct plan *plan)
{
    const struct line *line = plan_exceeds_rate(plan);
    if (!line)
        return false;
    const struct usher_item *item = &decision->request->items[line->item];
    const struct usher_shortfall shortfall = {.item = line->item,
                                              .asked = item->kind == USHER_SEATS ? item->seat_count
                                                                                 : item->quantity,
                                              .reason = USHER_NOT_ENOUGH,
                                              .free = 0,
                                              .rate = line->rate ? line->rate : STANDARD_RATE};
    plan_fall_short(plan, &shortfall);
    plan_refuse(decision, plan);
    return true;
}

/* Plans the new content. False: refused, and the plan is to be undone. */
static bool plan_content(struct decision *decision, const struct exchanged *exchanged,
                         struct plan *plan)
{
    const struct usher_request *request = decision->request;
    plan_init(plan, decision->resource, exchanged->at[0]->row.state, decision->at_ms,
              limits_units_requested(request), decision_arena(decision));
    plan->seed = (uint64_t)decision->row->seq;
    plan->restricted = !request->force;
    plan->overbook = request->overbook;
    for (uint32_t i = 0; i < exchanged->count; i++)
        plan_own(plan, exchanged->at[i]);
    plan_items(plan, request->items, request->item_count);
    if (plan->shortfall_count > 0) {
        plan_refuse(decision, plan);
        return false;
    }
    if (refuse_rate(decision, plan))
        return false;
    int64_t more = unit_lines_total(plan->lines, plan->line_count);
    for (uint32_t i = 0; i < exchanged->count; i++)
        more -= exchanged->at[i]->row.total;
    if (!decision_counts(decision, more))
        return false;
    set_exchange_answer(decision, exchanged, plan);
    decision_succeed_asked(decision);
    return decision_fits(decision);
}

/* The hold, whose units are the booking's now or free. */
static void end_hold(struct decision *decision, struct booking *hold)
{
    assert(hold->row.state == BOOKING_HELD);
    struct booking_change change = booking_change_of(hold, BOOKING_RELEASED);
    change.planned = true;
    inventory_change_booking(decision->inventory, decision->resource, hold, &change);
}

/* What is off sale asks neither for a sale nor for limits, as when it was blocked. */
static bool refuse_sale(struct decision *decision, const struct exchanged *exchanged)
{
    const struct booking *booking = exchanged->at[0];
    return booking->row.state != BOOKING_BLOCKED &&
           (sale_refuse(decision, exchanged->at, exchanged->count) ||
            limits_refuse_request(decision, booking->row.customer, exchanged->at,
                                  exchanged->count));
}

static void exchange_decide(struct decision *decision, struct booking *booking)
{
    assert(booking_state_owns_units(booking->row.state));
    struct exchanged exchanged = {.at = {booking}, .count = 1};
    struct plan plan;
    if (!find_hold(decision, &exchanged) || refuse_sale(decision, &exchanged))
        return;
    if (!plan_content(decision, &exchanged, &plan)) {
        plan_undo(&plan);
        return;
    }
    /* From here on nothing can fail. */
    struct booking_change change = booking_change_of(booking, booking->row.state);
    change.content = content_create(plan.lines, plan.line_count);
    change.planned = true;
    change.row.total = unit_lines_total(plan.lines, plan.line_count);
    inventory_change_booking(decision->inventory, decision->resource, booking, &change);
    if (exchanged.count > 1)
        end_hold(decision, exchanged.at[1]);
    decision_name_all(decision, exchanged.at, exchanged.count);
}

/* ==== Changes ==== */

/* ---- the steps ---- */

static bool is_customer(const struct booking *booking, const char *customer)
{
    return booking->row.customer && strcmp(customer, booking->row.customer) == 0;
}

static void end(struct decision *decision, struct booking *booking)
{
    assert(operations[decision->request->op].result.to != BOOKING_NONE);
    set_note(decision);
    returning_decide(decision, booking, &operations[decision->request->op].result);
}

static void extend(struct decision *decision, struct booking *booking)
{
    assert(booking->row.state == BOOKING_HELD);
    struct booking_change change = booking_change_of(booking, BOOKING_HELD);
    change.row.expires_ms = cart_extended_ms(decision, booking, decision->request->ttl_s);
    inventory_change_booking(decision->inventory, decision->resource, booking, &change);
    answer_set_booking(decision, booking);
    decision->answer.expires_ms = booking->row.expires_ms;
    decision_succeed_asked(decision);
    decision_name(decision, booking);
}

/* The cart belongs to the old owner: the booking leaves it. */
static void transfer_all(struct decision *decision, struct booking *booking)
{
    assert(decision->request->to_customer);
    const char *to = decision->request->to_customer;
    bool stays = is_customer(booking, to);
    if (!stays &&
        limits_refuse_lines(decision, to, booking->content->lines, booking->content->line_count,
                            booking->row.state == BOOKING_HELD))
        return;
    /* From here on nothing can fail. */
    struct booking_change change = booking_change_of(booking, booking->row.state);
    change.row.customer = to;
    change.row.cart = stays ? booking->row.cart : NULL;
    inventory_change_booking(decision->inventory, decision->resource, booking, &change);
    answer_set_booking(decision, booking);
    decision->answer.expires_ms = booking->row.expires_ms;
    decision_succeed_asked(decision);
    decision_name(decision, booking);
}

/*
 * The row of the booking that a part becomes. It was made when the first was, so that no split
 * makes a hold last longer, and is in no cart: it is confirmed and paid apart.
 */
static struct booking_row row_of_part(const struct decision *decision,
                                      const struct booking *booking, const struct picked *picked)
{
    assert(booking_state_owns_units(booking->row.state) && !booking->row.wants);
    struct booking_row row = booking->row;
    row.no = row_number(decision->rules->partition, decision->row->seq);
    row.request_id = decision->request->request_id;
    row.client = decision->request->client;
    row.op = decision->request->op;
    row.customer = decision->request->to_customer;
    row.cart = NULL;
    row.total = unit_lines_total(picked->lines, picked->line_count);
    return row;
}

/* Sets what is said of a part: each group of its units names the booking that it leaves. */
static void set_part_answer(struct decision *decision, const struct booking_row *row,
                            const struct booking *booking, const struct picked *picked)
{
    struct usher_answer *answer = &decision->answer;
    struct usher_units *units = answer_units(decision->resource, picked->lines, picked->line_count,
                                             decision_arena(decision));
    const char *from = decision_text(decision, booking->row.request_id);
    for (uint32_t i = 0; i < picked->line_count; i++)
        units[i].booking = from;
    answer->booking = row->request_id;
    answer->customer = row->customer;
    answer->payment = decision_text(decision, row->payment);
    answer->total = row->total;
    answer->currency = decision->resource->row.currency;
    answer->expires_ms = row->expires_ms;
    answer->units = units;
    answer->units_count = picked->line_count;
}

/* The units that are picked become a booking of their own. The first keeps the rest. */
static void transfer_part(struct decision *decision, struct booking *booking,
                          const struct picked *picked)
{
    assert(picked->line_count > 0 && picked->rest_count > 0);
    const char *to = decision->request->to_customer;
    /* Whoever has the units already has one more hold, and no more units. */
    uint32_t added = is_customer(booking, to) ? 0 : picked->line_count;
    if (limits_refuse_lines(decision, to, picked->lines, added, booking->row.state == BOOKING_HELD))
        return;
    const struct booking_row row = row_of_part(decision, booking, picked);
    set_part_answer(decision, &row, booking, picked);
    decision_succeed_asked(decision);
    if (!decision_fits(decision))
        return;
    /* From here on nothing can fail. */
    struct booking *part =
        inventory_split_booking(decision->inventory, decision->resource, booking, &row,
                                content_create(picked->lines, picked->line_count),
                                content_create(picked->rest, picked->rest_count));
    decision_name_all(decision, (struct booking *[]){part, booking}, 2);
}

static void transfer(struct decision *decision, struct booking *booking)
{
    struct picked picked = {0};
    if (decision->request->item_count > 0 && !confirm_pick(decision, booking, &picked))
        return;
    if (picked.rest_count > 0)
        transfer_part(decision, booking, &picked);
    else
        transfer_all(decision, booking);
}

/* ---- the operations ---- */

/* What applies an operation to a booking, and to those of a cart that it is about. */
static const struct change {
    void (*apply)(struct decision *decision, struct booking *booking);
    void (*apply_to_cart)(struct decision *decision, const struct cart *cart); /* NULL: never */
    enum booking_state cart_state; /* NONE: all that are present */
} changes[USHER_OP_COUNT] = {
    [USHER_OP_CONFIRM] = {confirm_decide, confirm_all, BOOKING_NONE},
    [USHER_OP_RELEASE] = {end, end_all, BOOKING_NONE},
    [USHER_OP_CANCEL] = {end, end_all, BOOKING_CONFIRMED},
    [USHER_OP_EXTEND] = {extend, extend_all, BOOKING_NONE},
    [USHER_OP_EXCHANGE] = {exchange_decide, NULL, BOOKING_NONE},
    [USHER_OP_TRANSFER] = {transfer, NULL, BOOKING_NONE},
    [USHER_OP_LEAVE] = {end, NULL, BOOKING_NONE},
    [USHER_OP_UNBLOCK] = {end, NULL, BOOKING_NONE},
};

/* Decides an operation on all bookings of the cart that the request names. */
static void cart_decide(struct decision *decision)
{
    const struct change *change = &changes[decision->request->op];
    assert(change->apply_to_cart);
    struct cart cart = find_cart(decision);
    if (change->cart_state == BOOKING_NONE)
        keep_present(&cart);
    else
        keep_state(&cart, change->cart_state);
    if (cart.count == 0) {
        decision_refuse(decision, USHER_UNKNOWN_BOOKING,
                        "no booking of the cart is in the required state");
        return;
    }
    if (!refuse_large(decision, &cart))
        change->apply_to_cart(decision, &cart);
}

static bool is_owner(const struct usher_request *request, const struct booking *booking)
{
    assert(changes[request->op].apply);
    enum owner owner = operations[request->op].owner;
    if (owner == OWNER_HOUSE)
        return true;
    if (!request->customer)
        return owner == OWNER_OR_HOUSE && request->force;
    return is_customer(booking, request->customer);
}

void change_decide(struct decision *decision)
{
    assert(decision->resource);
    const struct usher_request *request = decision->request;
    if (!request->booking) {
        cart_decide(decision);
        return;
    }
    struct booking *booking =
        inventory_booking(decision->inventory, decision->resource->row.no, request->booking);
    if (!booking || !inventory_trusts(decision->inventory, decision->resource, &booking, 1)) {
        decision_refuse(decision, USHER_UNKNOWN_BOOKING, NULL);
        return;
    }
    if (!is_owner(request, booking)) {
        decision_refuse(decision, USHER_NOT_OWNER, NULL);
        return;
    }
    enum usher_reason reason = operations[request->op].refused[booking->row.state];
    if (reason != USHER_REASON_NONE)
        decision_refuse(decision, reason, NULL);
    else
        changes[request->op].apply(decision, booking);
}
