/* Tells the log about each request. */
#include "worker/partition/trace.h"

#include <inttypes.h>

#include "producer/base/log.h"
#include "worker/partition/partition_state.h"

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
