/*
 * Cancels a limited number of bookings per batch. Whether more are left is in the resource's row,
 * for the next batch or the next owner. PURE.
 */
#include "worker/rules/cancelling.h"

#include "worker/inventory/bookings.h"
#include "worker/inventory/waiting_list.h"
#include "worker/inventory/work.h"
#include "worker/rules/returning.h"

/* What becomes of a booking when its resource is cancelled, by its state; others stay. */
static const struct ending endings[BOOKING_STATE_COUNT] = {
    [BOOKING_HELD] = {BOOKING_RELEASED, USHER_RELEASED},
    [BOOKING_CONFIRMED] = {BOOKING_CANCELLED, USHER_CANCELLED},
    [BOOKING_WAITING] = {BOOKING_LEFT, USHER_LEFT},
};

/* Returns the next booking to cancel that is in memory: the loaded ones, then the waiting list. */
static struct booking *next(struct inventory *inventory, const struct resource *resource)
{
    struct booking *booking = inventory_next_owner(inventory, resource);
    return booking ? booking : waiting_oldest(resource);
}

uint32_t cancelling_continue(struct inventory *inventory, const struct rules *rules,
                             struct resource *resource, uint32_t max, struct batch *batch)
{
    uint32_t count = 0;
    struct booking *booking;
    while (count < max && resource->row.cancelling && (booking = next(inventory, resource)) &&
           inventory_trusts(inventory, resource, &booking, 1)) {
        struct decision decision = {
            .inventory = inventory, .rules = rules, .batch = batch, .resource = resource};
        const char *why = resource->row.cancelling;
        decision_begin_unasked(&decision, booking, "resource_closed");
        decision.answer.detail = *why ? why : NULL;
        returning_decide(&decision, booking, &endings[booking->state]);
        decision_end(&decision);
        count++;
    }
    return count;
}
