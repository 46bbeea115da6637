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

const struct metrics_bounds metrics_request_time_bounds = {
    .at = {1, 2, 4, 8, 16, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10000, 30000},
    .count = 15,
    .divisor = 1000,
};

const struct metrics_bounds metrics_latency_bounds = {
    .at = {100, 250, 500, 1000, 2000, 4000, 8000, 16000, 25000, 50000, 100000, 250000, 500000,
           1000000, 2500000, 5000000, 10000000, 30000000},
    .count = 18,
    .divisor = 1000000,
};

const struct metrics_bounds metrics_recovery_bounds = {
    .at = {10000, 25000, 50000, 100000, 250000, 500000, 1000000, 2500000, 5000000, 10000000,
           30000000, 60000000},
    .count = 12,
    .divisor = 1000000,
};

const struct metrics_bounds metrics_request_bounds = {
    .at = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000},
    .count = 12,
    .divisor = 1,
};

static int64_t get(const _Atomic int64_t *value)
{
    return atomic_load_explicit(value, memory_order_relaxed);
}

static void set(_Atomic int64_t *gauge, int64_t value)
{
    atomic_store_explicit(gauge, value, memory_order_relaxed);
}

static void add(_Atomic int64_t *counter, int64_t more)
{
    set(counter, get(counter) + more);
}

static void observe(struct metrics_histogram *histogram, const struct metrics_bounds *bounds,
                    int64_t value)
{
    uint32_t bucket = 0;
    while (bucket < bounds->count && value > bounds->at[bucket])
        bucket++;
    add(&histogram->counts[bucket], 1);
    add(&histogram->sum, value);
}

/* ---- the registry ---- */

struct metrics_registry *metrics_open(const char *version)
{
    struct metrics_registry *registry = memory_calloc(1, sizeof *registry);
    registry->version = version;
    pthread_mutex_init(&registry->lock, NULL);
    registry->mixed_carts = -1;
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
    if (up && get(&registry->dependencies[dependency]) == METRICS_DOWN)
        add(&registry->reconnects[dependency], 1);
    set(&registry->dependencies[dependency], up ? METRICS_UP : METRICS_DOWN);
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
    return (enum metrics_dependency_state)get(&registry->dependencies[dependency]);
}

void metrics_partitions(struct metrics_registry *registry, int32_t count)
{
    set(&registry->partition_count, count);
}

void metrics_mixed_carts(struct metrics_registry *registry, int64_t count)
{
    set(&registry->mixed_carts, count);
}

void metrics_memory(struct metrics_registry *registry, int64_t max, int64_t used, bool tight)
{
    set(&registry->memory_max, max);
    set(&registry->memory_free, max - used);
    set(&registry->memory_tight, tight);
}

/* ---- a partition's part ---- */

void metrics_decision(struct metrics *metrics, enum usher_op op, enum usher_outcome outcome,
                      enum usher_reason reason)
{
    assert(op < USHER_OP_COUNT && outcome < USHER_OUTCOME_COUNT && reason < USHER_REASON_COUNT);
    add(&metrics->requests[op][outcome], 1);
    if (reason != USHER_REASON_NONE)
        add(&metrics->refusals[reason], 1);
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
    add(&metrics->requests[op][USHER_OUTCOME_NONE], 1);
}

void metrics_unrequested(struct metrics *metrics, enum usher_outcome outcome)
{
    assert(outcome < USHER_OUTCOME_COUNT);
    add(&metrics->unrequested[outcome], 1);
    if (outcome == USHER_EXPIRED)
        add(&metrics->holds_expired, 1);
}

void metrics_taken(struct metrics *metrics, size_t bytes, uint32_t unreadable)
{
    add(&metrics->request_bytes, (int64_t)bytes);
    add(&metrics->unreadable, unreadable);
}

void metrics_gaps(struct metrics *metrics, int64_t unexplained, int64_t unchecked)
{
    add(&metrics->unexplained, unexplained);
    add(&metrics->unchecked, unchecked);
}

void metrics_request_wait(struct metrics *metrics, int64_t wait_ms)
{
    observe(&metrics->request_wait, &metrics_request_time_bounds, wait_ms);
}

void metrics_batch(struct metrics *metrics, uint32_t requests, int64_t load_us, int64_t decide_us,
                   int64_t commit_us)
{
    observe(&metrics->batch_requests, &metrics_request_bounds, requests);
    observe(&metrics->batch_load, &metrics_latency_bounds, load_us);
    observe(&metrics->batch_decide, &metrics_latency_bounds, decide_us);
    observe(&metrics->batch_commit, &metrics_latency_bounds, commit_us);
}

void metrics_batch_published(struct metrics *metrics, int64_t publish_us)
{
    observe(&metrics->batch_publish, &metrics_latency_bounds, publish_us);
}

void metrics_request_latency(struct metrics *metrics, int64_t latency_ms)
{
    observe(&metrics->request_latency, &metrics_request_time_bounds, latency_ms);
}

void metrics_published(struct metrics *metrics, uint32_t delivered)
{
    add(&metrics->results_published, delivered);
}

void metrics_outbox(struct metrics *metrics, uint32_t pending)
{
    set(&metrics->outbox_pending, pending);
}

void metrics_dead_letter(struct metrics *metrics, enum usher_reason reason)
{
    assert(reason < USHER_REASON_COUNT);
    add(&metrics->dead_letters[reason], 1);
}

void metrics_position(struct metrics *metrics, int32_t epoch, int64_t next_offset, int64_t lag,
                      int64_t oldest_pending_ms)
{
    set(&metrics->epoch, epoch);
    set(&metrics->committed_offset, next_offset);
    set(&metrics->lag, lag);
    set(&metrics->oldest_pending_ms, oldest_pending_ms);
}

void metrics_delays(struct metrics *metrics, const struct metrics_delays *delays)
{
    set(&metrics->open_transaction_ms, delays->open_transaction_ms);
    set(&metrics->append_ahead_ms, delays->append_ahead_ms);
    set(&metrics->clock_ahead_ms, delays->clock_ahead_ms);
}

void metrics_display_lag(struct metrics *metrics, int64_t decisions)
{
    set(&metrics->display_lag, decisions);
}

void metrics_halted(struct metrics *metrics, bool halted)
{
    set(&metrics->halted, halted);
}

void metrics_retries(struct metrics *metrics, int64_t failures)
{
    set(&metrics->retries, failures);
}

void metrics_keep(struct metrics *metrics, const struct metrics_kept *kept)
{
    set(&metrics->kept_resources, kept->resources);
    set(&metrics->kept_bookings, kept->bookings);
    set(&metrics->kept_ids, kept->ids);
    set(&metrics->kept_units, kept->units);
    set(&metrics->kept_bytes, kept->bytes);
    for (size_t i = 0; i < METRICS_UNIT_STATE_COUNT; i++)
        set(&metrics->units[i], kept->by_state[i]);
}

void metrics_open_bookings(struct metrics *metrics, int64_t holds, int64_t parties)
{
    set(&metrics->holds_open, holds);
    set(&metrics->parties_waiting, parties);
}

void metrics_evict(struct metrics *metrics, enum metrics_kind kind, uint32_t count)
{
    add(&metrics->evicted[kind], count);
}

/* Answers that a revoked partition has not delivered are its next owner's. */
void metrics_assigned(struct metrics *metrics, bool assigned)
{
    set(&metrics->assigned, assigned);
    if (!assigned)
        set(&metrics->outbox_pending, 0);
}

void metrics_acquired(struct metrics *metrics)
{
    add(&metrics->acquisitions, 1);
}

void metrics_fenced(struct metrics *metrics)
{
    add(&metrics->fenced, 1);
}

void metrics_recovery(struct metrics *metrics, int64_t recovery_us)
{
    observe(&metrics->recovery, &metrics_recovery_bounds, recovery_us);
}
