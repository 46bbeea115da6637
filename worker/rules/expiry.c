/*
 * Ends one booking after another, each by an unrequested decision. PURE.
 */
#include "worker/rules/expiry.h"

#include "worker/inventory/bookings.h"
#include "worker/inventory/horizon.h"
#include "worker/inventory/resources.h"
#include "worker/inventory/tally.h"
#include "worker/rules/returning.h"

/* What becomes of a booking at its time, by its state. */
static const struct {
    struct ending ending;
    const char *cause;
} endings[BOOKING_STATE_COUNT] = {
    [BOOKING_HELD] = {{BOOKING_EXPIRED, USHER_EXPIRED}, "expiry"},
    [BOOKING_WAITING] = {{BOOKING_LEFT, USHER_LEFT}, "expiry"},
    [BOOKING_BLOCKED] = {{BOOKING_RELEASED, USHER_RELEASED}, "block_returned"},
};

uint32_t expiry_run(struct inventory *inventory, const struct rules *rules, int64_t until_ms,
                    uint32_t max, struct batch *batch)
{
    uint32_t count = 0;
    struct booking *booking;
    while (count < max && (booking = inventory_first_due(inventory, until_ms))) {
        struct decision decision = {.inventory = inventory, .rules = rules, .batch = batch};
        decision.resource = inventory_resource_numbered(inventory, booking->resource_no);
        if (!decision.resource || tallies_are_missing(decision.resource))
            break; /* a load left it for the next one */
        if (!inventory_trusts(inventory, decision.resource, &booking, 1))
            break;
        enum booking_state state = booking->state;
        decision_begin_unasked(&decision, booking, endings[state].cause);
        returning_decide(&decision, booking, &endings[state].ending);
        decision_end(&decision);
        count++;
    }
    return count;
}
