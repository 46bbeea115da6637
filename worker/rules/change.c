/*
 * Changes a booking. Which operation is allowed in which state is one table; what it does is a
 * function of its own. PURE.
 */
#include "worker/rules/change.h"

#include <string.h>

#include "worker/inventory/bookings.h"
#include "worker/rules/answer_units.h"
#include "worker/rules/cart.h"
#include "worker/rules/confirm.h"
#include "worker/rules/exchange.h"
#include "worker/rules/limits.h"
#include "worker/rules/returning.h"

/* ---- which step from which state ---- */

#define OK USHER_REASON_NONE
/* The reasons by state; a booking that was released or cancelled refuses every operation. */
#define STEPS(held, confirmed, blocked, waiting, expired, left)                                    \
    {                                                                                              \
        [BOOKING_HELD] = (held), [BOOKING_CONFIRMED] = (confirmed), [BOOKING_BLOCKED] = (blocked), \
        [BOOKING_WAITING] = (waiting), [BOOKING_EXPIRED] = (expired), [BOOKING_LEFT] = (left),     \
        [BOOKING_RELEASED] = USHER_ALREADY_RELEASED,                                               \
        [BOOKING_CANCELLED] = USHER_ALREADY_CANCELLED,                                             \
    }
/* Operations on what a customer has; blocks and waiting parties are not held. */
#define HOLD_STEPS(held, confirmed, expired) \
    STEPS(held, confirmed, USHER_NOT_HELD, USHER_NOT_HELD, expired, USHER_NOT_HELD)

/* The reason for which an operation is refused in a state, or OK. */
static const enum usher_reason steps[USHER_OP_COUNT][BOOKING_STATE_COUNT] = {
    [USHER_OP_CONFIRM] = HOLD_STEPS(OK, USHER_ALREADY_CONFIRMED, OK),
    [USHER_OP_RELEASE] = HOLD_STEPS(OK, USHER_ALREADY_CONFIRMED, OK),
    [USHER_OP_EXTEND] = HOLD_STEPS(OK, USHER_ALREADY_CONFIRMED, USHER_HOLD_EXPIRED),
    [USHER_OP_CANCEL] = HOLD_STEPS(USHER_NOT_CONFIRMED, OK, USHER_HOLD_EXPIRED),
    [USHER_OP_EXCHANGE] = HOLD_STEPS(OK, OK, USHER_HOLD_EXPIRED),
    [USHER_OP_TRANSFER] = HOLD_STEPS(OK, OK, USHER_HOLD_EXPIRED),
    [USHER_OP_LEAVE] = STEPS(USHER_NOT_WAITING, USHER_NOT_WAITING, USHER_NOT_WAITING, OK,
                             USHER_NOT_WAITING, USHER_NOT_WAITING),
    [USHER_OP_UNBLOCK] = STEPS(USHER_NOT_BLOCKED, USHER_NOT_BLOCKED, OK, USHER_NOT_BLOCKED,
                               USHER_NOT_BLOCKED, USHER_NOT_BLOCKED),
};

/* ---- the steps ---- */

/* What the operations that end a booking make of it. */
static const struct ending endings[USHER_OP_COUNT] = {
    [USHER_OP_RELEASE] = {BOOKING_RELEASED, USHER_RELEASED},
    [USHER_OP_CANCEL] = {BOOKING_CANCELLED, USHER_CANCELLED},
    [USHER_OP_LEAVE] = {BOOKING_LEFT, USHER_LEFT},
    [USHER_OP_UNBLOCK] = {BOOKING_RELEASED, USHER_RELEASED},
};

static void end(struct decision *decision, struct booking *booking)
{
    returning_decide(decision, booking, &endings[decision->request->op]);
}

static void extend(struct decision *decision, struct booking *booking)
{
    struct booking_change change = booking_change_of(booking, BOOKING_HELD);
    change.expires_ms = cart_extended_ms(decision, booking, decision->request->ttl_s);
    inventory_change_booking(decision->inventory, decision->resource, booking, &change);
    answer_set_booking(decision, booking);
    decision->answer.expires_ms = booking->expires_ms;
    decision_succeed(decision, USHER_EXTENDED);
    decision_name(decision, booking);
}

/* The cart belongs to the old owner: the booking leaves it. */
static void transfer(struct decision *decision, struct booking *booking)
{
    const char *to = decision->request->to_customer;
    bool stays = booking->customer && strcmp(to, booking->customer) == 0;
    if (!stays && limits_refuse_lines(decision, to, booking->content->lines,
                                      booking->content->line_count, booking->state == BOOKING_HELD))
        return;
    /* From here on nothing can fail. */
    struct booking_change change = booking_change_of(booking, booking->state);
    change.customer = to;
    change.cart = stays ? booking->cart : NULL;
    inventory_change_booking(decision->inventory, decision->resource, booking, &change);
    answer_set_booking(decision, booking);
    decision->answer.expires_ms = booking->expires_ms;
    decision_succeed(decision, USHER_TRANSFERRED);
    decision_name(decision, booking);
}

/* ---- the operations ---- */

enum owner {
    OWNER_CUSTOMER, /* the customer only */
    OWNER_OR_HOUSE, /* or the house: no customer, and "force" */
    OWNER_HOUSE,    /* the house: any client */
};

static const struct change {
    void (*apply)(struct decision *decision, struct booking *booking);
    enum owner owner;
} changes[USHER_OP_COUNT] = {
    [USHER_OP_CONFIRM] = {confirm_decide, OWNER_CUSTOMER},
    [USHER_OP_RELEASE] = {end, OWNER_OR_HOUSE},
    [USHER_OP_CANCEL] = {end, OWNER_OR_HOUSE},
    [USHER_OP_EXTEND] = {extend, OWNER_CUSTOMER},
    [USHER_OP_EXCHANGE] = {exchange_decide, OWNER_OR_HOUSE},
    [USHER_OP_TRANSFER] = {transfer, OWNER_OR_HOUSE},
    [USHER_OP_LEAVE] = {end, OWNER_CUSTOMER},
    [USHER_OP_UNBLOCK] = {end, OWNER_HOUSE},
};

static bool is_owner(const struct usher_request *request, const struct booking *booking)
{
    enum owner owner = changes[request->op].owner;
    if (owner == OWNER_HOUSE)
        return true;
    if (!request->customer)
        return owner == OWNER_OR_HOUSE && request->force;
    return booking->customer && strcmp(request->customer, booking->customer) == 0;
}

void change_decide(struct decision *decision)
{
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
    enum usher_reason reason = steps[request->op][booking->state];
    if (reason != USHER_REASON_NONE)
        decision_refuse(decision, reason, NULL);
    else
        changes[request->op].apply(decision, booking);
}
