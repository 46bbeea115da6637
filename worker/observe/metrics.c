/*
 * Counts. A partition's part has one writer, so that adding is a load and a store, not a locked
 * instruction; the registry's own counters have several.
 */
#include "worker/observe/metrics.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "producer/base/allocate.h"

const struct metrics_bounds metrics_request_ms_bounds = {
    .at = {1, 2, 4, 8, 16, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10000, 30000},
    .count = 15,
    .divisor = 1000,
};

const struct metrics_bounds metrics_latency_us_bounds = {
    .at = {100, 250, 500, 1000, 2000, 4000, 8000, 16000, 25000, 50000, 100000, 250000, 500000,
           1000000, 2500000, 5000000, 10000000, 30000000},
    .count = 18,
    .divisor = 1000000,
};

const struct metrics_bounds metrics_recovery_us_bounds = {
    .at = {10000, 25000, 50000, 100000, 250000, 500000, 1000000, 2500000, 5000000, 10000000,
           30000000, 60000000},
    .count = 12,
    .divisor = 1000000,
};

const struct metrics_bounds metrics_requests_bounds = {
    .at = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000},
    .count = 12,
    .divisor = 1,
};

void metrics_observe(struct metrics_histogram *histogram, int64_t value)
{
    const struct metrics_bounds *bounds = histogram->bounds;
    uint32_t bucket = 0;
    while (bucket < bounds->count && value > bounds->at[bucket])
        bucket++;
    metrics_add(&histogram->counts[bucket], 1);
    metrics_add(&histogram->sum, value);
}

/* ---- the registry ---- */

struct metrics_registry *metrics_open(const char *version)
{
    struct metrics_registry *registry = memory_calloc(1, sizeof *registry);
    registry->version = version;
    pthread_mutex_init(&registry->lock, NULL);
    registry->usher_carts_mixed = -1;
    return registry;
}

void metrics_close(struct metrics_registry *registry)
{
    if (!registry)
        return;
    for (struct metrics *part = registry->parts; part;) {
        struct metrics *next = part->next;
        pthread_mutex_destroy(&part->refused.lock);
        free(part);
        part = next;
    }
    pthread_mutex_destroy(&registry->lock);
    free(registry);
}

struct metrics *metrics_of(struct metrics_registry *registry, int32_t partition)
{
    pthread_mutex_lock(&registry->lock);
    struct metrics **at = &registry->parts;
    while (*at && (*at)->partition < partition)
        at = &(*at)->next;
    if (!*at || (*at)->partition != partition) {
        struct metrics *part = memory_calloc(1, sizeof *part);
        part->partition = partition;
        pthread_mutex_init(&part->refused.lock, NULL);
#define PARTITION_HISTOGRAM(name, bounds_, help) part->name.bounds = &(bounds_);
#include "worker/observe/metrics.def"
        part->next = *at;
        *at = part;
    }
    struct metrics *found = *at;
    pthread_mutex_unlock(&registry->lock);
    return found;
}

void metrics_shard(struct metrics_registry *registry, int32_t partition, const char *name)
{
    pthread_mutex_lock(&registry->lock);
    struct metrics *part = registry->parts;
    while (part && part->partition < partition)
        part = part->next;
    if (part && part->partition == partition)
        snprintf(part->shard, sizeof part->shard, "%s", name ? name : "");
    pthread_mutex_unlock(&registry->lock);
}

void metrics_cache_write(struct metrics_registry *registry, enum metrics_cache_result result)
{
    atomic_fetch_add_explicit(&registry->cache_writes[result], 1, memory_order_relaxed);
}

void metrics_dependency(struct metrics_registry *registry, enum metrics_dependency dependency,
                        bool up)
{
    if (up && metrics_get(&registry->dependencies[dependency]) == METRICS_DOWN)
        metrics_add(&registry->reconnects[dependency], 1);
    metrics_set(&registry->dependencies[dependency], up ? METRICS_UP : METRICS_DOWN);
}

const char *metrics_dependency_name(enum metrics_dependency dependency)
{
    static const char *const names[METRICS_DEPENDENCY_COUNT] = {
        [METRICS_KAFKA] = "kafka", [METRICS_POSTGRES] = "postgres", [METRICS_REDIS] = "redis"};
    return names[dependency];
}

enum metrics_dependency_state metrics_dependency_state(const struct metrics_registry *registry,
                                                       enum metrics_dependency dependency)
{
    return (enum metrics_dependency_state)metrics_get(&registry->dependencies[dependency]);
}

/* ---- a partition's part ---- */

void metrics_decision(struct metrics *metrics, enum usher_op op, enum usher_outcome outcome,
                      enum usher_reason reason)
{
    assert(op < USHER_OP_COUNT && outcome < USHER_OUTCOME_COUNT && reason < USHER_REASON_COUNT);
    metrics_add(&metrics->usher_requests_total[op][outcome], 1);
    if (reason != USHER_REASON_NONE)
        metrics_add(&metrics->usher_refusals_total[reason], 1);
}

/* Returns its place, or that of the row to give up. */
static uint32_t refused_place(const struct metrics_refused *refused, const char *resource,
                              enum usher_reason reason)
{
    for (uint32_t i = 0; i < refused->count; i++)
        if (refused->rows[i].reason == reason && strcmp(refused->rows[i].resource, resource) == 0)
            return i;
    return refused->count < METRICS_REFUSED_ROWS ? refused->count : METRICS_REFUSED_ROWS - 1;
}

/* A resource that is sold out is refused again and again: its row is the first then. */
void metrics_refuse(struct metrics *metrics, const char *resource, enum usher_reason reason,
                    int64_t now_ms)
{
    struct metrics_refused *refused = &metrics->refused;
    pthread_mutex_lock(&refused->lock);
    uint32_t place = refused_place(refused, resource, reason);
    struct metrics_refused_row row = refused->rows[place];
    if (place == refused->count || row.reason != reason || strcmp(row.resource, resource) != 0) {
        row = (struct metrics_refused_row){.reason = reason, .since_ms = now_ms};
        assert(strlen(resource) < sizeof row.resource);
        strcpy(row.resource, resource);
        refused->count += place == refused->count;
    }
    row.requests++;
    row.last_ms = now_ms;
    memmove(&refused->rows[1], &refused->rows[0], place * sizeof row);
    refused->rows[0] = row;
    pthread_mutex_unlock(&refused->lock);
}

void metrics_repeat(struct metrics *metrics, enum usher_op op)
{
    assert(op < USHER_OP_COUNT);
    metrics_add(&metrics->usher_requests_total[op][USHER_OUTCOME_NONE], 1);
}

void metrics_unrequested(struct metrics *metrics, enum usher_outcome outcome)
{
    assert(outcome < USHER_OUTCOME_COUNT);
    metrics_add(&metrics->usher_unrequested_total[outcome], 1);
    if (outcome == USHER_EXPIRED)
        metrics_add(&metrics->usher_holds_expired_total, 1);
}

void metrics_keep(struct metrics *metrics, const struct metrics_kept *kept)
{
    metrics_set(&metrics->usher_memory_resources, kept->resources);
    metrics_set(&metrics->usher_memory_bookings, kept->bookings);
    metrics_set(&metrics->usher_memory_request_ids, kept->ids);
    metrics_set(&metrics->usher_memory_units, kept->units);
    metrics_set(&metrics->usher_memory_kept_bytes, kept->bytes);
    for (size_t i = 0; i < METRICS_UNIT_STATE_COUNT; i++)
        metrics_set(&metrics->usher_units[i], kept->by_state[i]);
}

/* Answers that a revoked partition has not delivered are its next owner's. */
void metrics_assigned(struct metrics *metrics, bool assigned)
{
    metrics_set(&metrics->usher_partition_assigned, assigned);
    if (!assigned)
        metrics_set(&metrics->usher_outbox_pending_results, 0);
}
