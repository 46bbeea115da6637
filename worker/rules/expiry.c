/*
 * What ends at a time: holds expire, parties leave the waiting list, blocks return. Decisions that
 * nobody asked for. PURE.
 */
#include "worker/rules/expiry.h"

#include "worker/inventory/horizon.h"
#include "worker/inventory/resources.h"
#include "worker/rules/returning.h"

static const struct ending {
    enum booking_state to;
    enum usher_outcome outcome;
    const char *cause;
} endings[BOOKING_STATE_COUNT] = {
    [BOOKING_HELD] = {BOOKING_EXPIRED, USHER_EXPIRED, "expiry"},
    [BOOKING_WAITING] = {BOOKING_LEFT, USHER_LEFT, "expiry"},
    [BOOKING_BLOCKED] = {BOOKING_RELEASED, USHER_RELEASED, "block_returned"},
};

static void expire(struct decision *decision, struct booking *booking)
{
    const struct ending *ending = &endings[booking->state];
    decision_begin_unasked(decision, booking, ending->cause);
    returning_decide(decision, booking, ending->to, ending->outcome);
    decision_end(decision);
}

uint32_t expiry_run(struct inventory *inventory, const struct rules *rules, int64_t until_ms,
                    uint32_t max, struct batch *batch)
{
    uint32_t count = 0;
    while (count < max) {
        struct booking *booking = inventory_first_due(inventory, until_ms);
        struct resource *resource =
            booking ? inventory_resource_numbered(inventory, booking->resource_no) : NULL;
        if (!resource)
            break;
        struct decision decision = {
            .inventory = inventory, .rules = rules, .batch = batch, .resource = resource};
        expire(&decision, booking);
        count++;
    }
    return count;
}
