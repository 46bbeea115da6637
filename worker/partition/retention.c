/*
 * Eviction: how much the budget leaves to the partition, what of it went, and what the display
 * forgets with it.
 */
#include "worker/partition/retention.h"

#include "worker/inventory/seal.h"
#include "worker/inventory/trim.h"
#include "worker/observe/metrics.h"
#include "worker/partition/memory_budget.h"
#include "worker/partition/memory_share.h"
#include "worker/partition/partition_state.h"

enum {
    RETURN_INTERVAL_MS = 100 /* of what is free here to the allocator: it goes through all of it */
};

/* Returns what it has before anything is evicted. */
static struct inventory_size limit(struct partition *p)
{
    const struct inventory_size size = inventory_size(p->inventory);
    const struct inventory_limits limits =
        memory_limits_within(&p->settings.limits, &size, memory_budget_level(p->ports.budget));
    inventory_limit(p->inventory, &limits);
    return size;
}

static void forget_evicted(struct partition *p)
{
    uint32_t count;
    const int64_t *evicted = inventory_evicted(p->inventory, &count);
    for (uint32_t i = 0; i < count; i++)
        display_forget(p->display, evicted[i]);
}

static struct inventory_size note(struct partition *p)
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

void retention_note(struct partition *p)
{
    (void)note(p);
}

static void count_evicted(struct partition *p, const struct inventory_size *before)
{
    const struct inventory_size now = note(p);
    metrics_evict(p->ports.metrics, METRICS_RESOURCES, before->resources - now.resources);
    metrics_evict(p->ports.metrics, METRICS_BOOKINGS, before->bookings - now.bookings);
    metrics_evict(p->ports.metrics, METRICS_IDS, before->ids - now.ids);
}

/* Whether others need memory, or this one more than it may keep. */
static bool is_tight(const struct partition *p)
{
    return memory_budget_level(p->ports.budget) != INT64_MAX;
}

static void return_memory(struct partition *p)
{
    int64_t now_ms = partition_monotonic_ms(p);
    if (!is_tight(p) || now_ms - p->returned_ms < RETURN_INTERVAL_MS)
        return;
    inventory_return_memory(p->inventory);
    pipeline_return_memory(&p->pipeline);
    usher_arena_deinit(&p->scratch);
    p->returned_ms = now_ms;
}

void retention_seal(struct partition *p, struct batch *batch)
{
    const struct inventory_size before = limit(p);
    inventory_seal(p->inventory, batch);
    forget_evicted(p);
    count_evicted(p, &before);
    return_memory(p);
}

void retention_make_room(struct partition *p, struct load_result *result)
{
    const struct inventory_size before = limit(p);
    inventory_make_room(p->inventory, result);
    forget_evicted(p);
    count_evicted(p, &before);
}

void retention_trim(struct partition *p)
{
    if (!is_tight(p) || !pipeline_is_empty(&p->pipeline))
        return;
    const struct inventory_size before = limit(p);
    inventory_trim(p->inventory);
    forget_evicted(p);
    count_evicted(p, &before);
    return_memory(p);
}
