/*
 * Evicts rows from memory: what a partition keeps is its part of the process's memory, within its
 * own limits. Traces what became of a request.
 */
#include "worker/partition/retention.h"

#include <assert.h>
#include <inttypes.h>

#include "producer/base/log.h"
#include "worker/inventory/bookings.h"
#include "worker/inventory/catalogue.h"
#include "worker/inventory/seal.h"
#include "worker/observe/metrics.h"
#include "worker/partition/memory_budget.h"
#include "worker/partition/partition_state.h"

/* ==== Retention ==== */

enum {
    RETURN_INTERVAL_MS = 100 /* of what is free here to the allocator: it goes through all of it */
};

struct inventory_size retention_limit(struct partition *p)
{
    const struct inventory_size size = inventory_size(p->inventory);
    const struct inventory_limits limits =
        memory_limits_within(&p->settings.limits, &size, memory_budget_level(p->ports.budget));
    inventory_limit(p->inventory, &limits);
    return size;
}

/* Its last state may still have to be published before it is freed. */
static void free_evicted(struct partition *p)
{
    for (struct resource *resource; (resource = inventory_take_evicted(p->inventory));) {
        display_evict(p->display, resource);
        resource_destroy(resource);
    }
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

void retention_free(struct partition *p, const struct inventory_size *before)
{
    free_evicted(p);
    const struct inventory_size now = note(p);
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

/* ==== Trace ==== */

void trace_load(const struct partition *p, const struct load_request *request,
                const struct load_result *result, int64_t took_us, bool failed)
{
    if (!log_enabled(LOG_LEVEL_DEBUG))
        return;
    struct log_context log = log_context_with(
        &p->log, "took_us=%" PRId64 " resources_asked=%" PRIu32 " ids_asked=%" PRIu32, took_us,
        request->resource_count + request->resource_no_count, request->id_count);
    if (!failed)
        log = log_context_with(
            &log,
            "resources=%" PRIu32 " first_answers=%" PRIu32 " bookings=%" PRIu32 " due=%" PRIu32,
            result->resource_count, result->first_count,
            result->booking_count + result->of_cart_count + result->owner_count, result->due_count);
    log_debug(&log, failed ? "could not load rows into memory" : "loaded rows into memory");
}

static struct log_context with_text(const struct log_context *log, const char *key,
                                    const char *value)
{
    return value ? log_context_text(log, key, value) : *log;
}

static struct log_context with_word(const struct log_context *log, const char *key,
                                    const char *word)
{
    return word ? log_context_with(log, "%s=%s", key, word) : *log;
}

static void trace_decision(const struct partition *p, const struct decision_row *row)
{
    struct log_context log = log_context_with(&p->log, "seq=%" PRId64, row->seq);
    if (row->source_offset != OFFSET_NONE)
        log = log_context_with(&log, "offset=%" PRId64, row->source_offset);
    log = with_text(&log, "request_id", row->request_id);
    log = with_text(&log, "resource", row->resource);
    log = with_word(&log, "op", usher_op_name(row->op));
    log = with_word(&log, "outcome", usher_outcome_name(row->outcome));
    log = with_word(&log, "reason", usher_reason_name(row->reason));
    log_debug(&log, row->source_offset == OFFSET_NONE ? "decided without a request"
                    : row->replayed                   ? "decided before"
                                                      : "decided");
}

void trace_batch(const struct partition *p, const struct batch *batch,
                 const struct batch_times *times, int64_t commit_us)
{
    if (!log_enabled(LOG_LEVEL_DEBUG))
        return;
    for (uint32_t i = 0; i < batch->decision_count; i++)
        trace_decision(p, &batch->decisions[i]);
    struct log_context log = log_context_with(
        &p->log,
        "requests=%" PRIu32 " decisions=%" PRIu32 " next_offset=%" PRId64 " next_seq=%" PRId64
        " load_us=%" PRId64 " decide_us=%" PRId64 " commit_us=%" PRId64,
        batch->record_count, batch->decision_count, batch->next_offset, batch->next_seq,
        times->load_us, times->decide_us, commit_us);
    log_debug(&log, "committed a batch");
}

void trace_published(const struct partition *p, int64_t from_seq, int64_t to_seq)
{
    if (!log_enabled(LOG_LEVEL_DEBUG))
        return;
    struct log_context log =
        log_context_with(&p->log, "first_seq=%" PRId64 " last_seq=%" PRId64, from_seq + 1, to_seq);
    log_debug(&log, "delivered answers");
}
