/*
 * Continues the work of each resource in turn, the oldest first. PURE.
 */
#include "worker/rules/background.h"

#include "worker/inventory/resources.h"
#include "worker/inventory/tally.h"
#include "worker/inventory/work.h"
#include "worker/rules/cancelling.h"
#include "worker/rules/sale.h"
#include "worker/rules/waiting.h"

uint32_t background_run(struct inventory *inventory, const struct rules *rules, uint32_t max,
                        struct batch *batch)
{
    uint32_t count = 0;
    struct serving serving = {.tries = WAITING_TRIES_MAX};
    struct resource *resource = inventory_work(inventory, NULL);
    while (resource && count < max) {
        struct resource *next_one = inventory_work(inventory, resource);
        if (tallies_are_missing(resource)) {
            resource = next_one; /* a load left them for the next one */
            continue;
        }
        if (resource->row.cancelling)
            count += cancelling_continue(inventory, rules, resource, max - count, batch);
        serving.max = max - count;
        if (!resource->row.cancelling && resource->row.unserved)
            count += waiting_serve(inventory, rules, resource, &serving, batch);
        resource = next_one;
    }
    return count;
}

/* Operations that may take units to which waiting parties have the first right. */
static const bool takes[USHER_OP_COUNT] = {
    [USHER_OP_HOLD] = true,    [USHER_OP_BOOK] = true,     [USHER_OP_BLOCK] = true,
    [USHER_OP_CONFIRM] = true, [USHER_OP_EXCHANGE] = true,
};

bool background_serve_first(struct inventory *inventory, const struct rules *rules,
                            const struct input *input, uint32_t max, struct batch *batch)
{
    if (input->invalid != USHER_REASON_NONE || !takes[input->request.op])
        return true;
    struct resource *resource = inventory_resource(inventory, input->request.resource);
    if (!resource || !resource->row.unserved)
        return true;
    struct serving serving = {.max = max, .tries = WAITING_TRIES_MAX};
    (void)waiting_serve(inventory, rules, resource, &serving, batch);
    return !resource->row.unserved || !sale_is_on(&resource->row, batch->now_ms);
}
