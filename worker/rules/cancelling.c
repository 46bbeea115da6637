/*
 * Work that outlasts a batch: all bookings of a resource cancelled, waiting lists served. So many
 * a batch; what is left is in the resource's row, for the next batch or the next owner. PURE.
 */
#include "worker/rules/decide_parts.h"

bool cancel_remains(const struct resource *resource)
{
    return resource->held + resource->sold > 0 || resource->waiting.count > 0;
}

/* What becomes of a booking whose resource is cancelled, by the state it is in; others stay. */
static const struct ending {
    enum booking_state to;
    enum usher_outcome outcome;
} endings[BOOKING_STATE_COUNT] = {
    [BOOKING_HELD] = {BOOKING_RELEASED, USHER_RELEASED},
    [BOOKING_CONFIRMED] = {BOOKING_CANCELLED, USHER_CANCELLED},
    [BOOKING_WAITING] = {BOOKING_LEFT, USHER_LEFT},
};

static void cancel(struct decision *decision, struct booking *booking)
{
    const struct ending *ending = &endings[booking->state];
    const char *why = decision->resource->row.cancelling;
    decision_begin_unasked(decision, booking, "resource_closed");
    decision->answer.detail = why && *why ? why : NULL;
    decision_return(decision, booking, ending->to, ending->outcome);
    decision_end(decision);
}

/* The next booking to cancel that is in memory: those loaded for it, then the waiting list. */
static struct booking *next(struct inventory *inventory, const struct resource *resource)
{
    struct booking *booking = inventory_next_owner(inventory, resource);
    return booking ? booking : waiting_oldest(resource);
}

uint32_t cancel_more(struct inventory *inventory, const struct rules *rules,
                     struct resource *resource, uint32_t max, struct batch *batch)
{
    uint32_t count = 0;
    struct booking *booking = NULL;
    while (count < max && resource->row.cancelling && (booking = next(inventory, resource))) {
        struct decision decision = {
            .inventory = inventory, .rules = rules, .batch = batch, .resource = resource};
        cancel(&decision, booking);
        count++;
    }
    return count;
}

uint32_t decide_work(struct inventory *inventory, const struct rules *rules, uint32_t max,
                     struct batch *batch)
{
    uint32_t count = 0;
    struct resource *resource = inventory_work(inventory, NULL);
    while (resource && count < max) {
        struct resource *next_one = inventory_work(inventory, resource);
        if (resource->row.cancelling)
            count += cancel_more(inventory, rules, resource, max - count, batch);
        else if (resource->row.unserved)
            count += waiting_serve(inventory, rules, resource, max - count, batch);
        resource = next_one;
    }
    return count;
}

/* Those that may take units, which a waiting party has the first right to. */
static const bool takes[USHER_OP_COUNT] = {
    [USHER_OP_HOLD] = true,    [USHER_OP_BOOK] = true,     [USHER_OP_BLOCK] = true,
    [USHER_OP_CONFIRM] = true, [USHER_OP_EXCHANGE] = true,
};

bool decide_serve_first(struct inventory *inventory, const struct rules *rules,
                        const struct input *input, uint32_t max, struct batch *batch)
{
    if (input->invalid != USHER_REASON_NONE || !takes[input->request.op])
        return true;
    struct resource *resource = inventory_resource(inventory, input->request.resource);
    if (!resource || !resource->row.unserved)
        return true;
    (void)waiting_serve(inventory, rules, resource, max, batch);
    return !resource->row.unserved || !is_selling(&resource->row, batch->now_ms);
}
