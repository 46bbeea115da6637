/*
 * Evicts rows from memory: a partition keeps its part of the process's memory, within its own
 * limits.
 */
#include "worker/partition/retention.h"

#include <assert.h>

#include "worker/inventory/bookings.h"
#include "worker/inventory/catalogue.h"
#include "worker/inventory/seal.h"
#include "worker/observe/metrics.h"
#include "worker/partition/memory_budget.h"
#include "worker/partition/partition_state.h"

enum {
    RETURN_INTERVAL_MS =
        100 /* between two returns of free memory to the allocator, which goes through all of it */
};

struct inventory_size retention_limit(struct partition *p)
{
    const struct inventory_size size = inventory_size(p->inventory);
    const struct inventory_limits limits =
        memory_limits_within(&p->settings.limits, &size, memory_budget_level(p->ports.budget));
    inventory_limit(p->inventory, &limits);
    return size;
}

struct inventory_size retention_note(struct partition *p)
{
    const struct inventory_size size = inventory_size(p->inventory);
    const struct metrics_kept kept = {.resources = size.resources,
                                      .ids = size.ids,
                                      .bookings = size.bookings,
                                      .units = (int64_t)size.units,
                                      .bytes = memory_kept_bytes(&size),
                                      .by_state = {
                                          [METRICS_UNITS_FREE] = size.sums.free,
                                          [METRICS_UNITS_HELD] = size.sums.held,
                                          [METRICS_UNITS_SOLD] = size.sums.sold,
                                          [METRICS_UNITS_BLOCKED] = size.sums.blocked,
                                      }};
    memory_budget_note(p->ports.budget, p->settings.partition, kept.bytes);
    metrics_keep(p->ports.metrics, &kept);
    return size;
}

void retention_free(struct partition *p, const struct inventory_size *before)
{
    for (struct resource *resource; (resource = inventory_take_evicted(p->inventory));) {
        display_evict(p->display, resource); /* its last state may have to be published first */
        resource_destroy(resource);
    }
    const struct inventory_size now = retention_note(p);
    assert(now.resources <= before->resources && now.ids <= before->ids);
    assert(now.bookings <= before->bookings);
    _Atomic int64_t *evicted = p->ports.metrics->usher_memory_evicted_total;
    metrics_add(&evicted[METRICS_RESOURCES], before->resources - now.resources);
    metrics_add(&evicted[METRICS_BOOKINGS], before->bookings - now.bookings);
    metrics_add(&evicted[METRICS_IDS], before->ids - now.ids);
}

static void return_memory(struct partition *p)
{
    if (p->turn.ms - p->returned_ms < RETURN_INTERVAL_MS)
        return;
    inventory_return_memory(p->inventory);
    pipeline_return_memory(&p->pipeline);
    usher_arena_deinit(&p->scratch);
    p->returned_ms = p->turn.ms;
}

void retention_make_room(struct partition *p, struct load_result *result)
{
    assert(p->pipeline.open);
    const struct inventory_size before = retention_limit(p);
    inventory_make_room(p->inventory, result);
    retention_free(p, &before);
}

void retention_trim(struct partition *p)
{
    if (!p->turn.tight)
        return;
    if (pipeline_is_empty(&p->pipeline)) {
        const struct inventory_size before = retention_limit(p);
        inventory_trim(p->inventory);
        retention_free(p, &before);
    }
    return_memory(p);
}
