/*
 * Commit, publish, show, acknowledge: the effects of a batch in the one order that loses nothing.
 */
#include "worker/partition/commit.h"

#include <assert.h>

#include "worker/display/display.h"
#include "worker/inventory/bookings.h"
#include "worker/inventory/inventory_state.h"
#include "worker/inventory/seal.h"
#include "worker/observe/metrics.h"
#include "worker/partition/memory_budget.h"
#include "worker/partition/partition_state.h"
#include "worker/partition/retention.h"
#include "worker/partition/trace.h"

/*
 * A transaction costs the database as much as some twenty bookings: many small ones in flight
 * would only wait for each other there. So a further batch is begun once it is as large as all
 * that are in flight, or takes no more.
 */
static bool is_due(const struct partition *p, uint32_t committed)
{
    const struct batch *batch = p->pipeline.open;
    assert(committed <= p->pipeline.in_flight);
    uint32_t in_flight = p->pipeline.in_flight - committed;
    if (!batch || in_flight == p->settings.batches_in_flight)
        return false;
    uint32_t waiting = batch->decision_count;
    if (waiting == 0)
        return batch->next_offset > batch->expected_next_offset || partition_leaves_unrecorded(p);
    return waiting >= pipeline_decisions(&p->pipeline, committed) || p->turn.full;
}

/* The chain that the guard checks, and that tells the fate of a batch. */
static void check_batch(const struct partition *p, const struct batch *batch)
{
    assert(batch->epoch == p->position.epoch && batch->now_ms == p->position.now_ms);
    assert(batch->expected_next_seq == p->position.next_seq);
    assert(batch->expected_next_offset == p->position.next_offset);
    assert(batch->next_offset >= batch->expected_next_offset && p->spare_bytes >= 0);
    assert(batch->record_count <= batch->decision_count);
    assert(batch->dead_letter_count <= batch->record_count);
    assert(batch->decision_count <= quarantine_most(&p->quarantine, batch->expected_next_offset));
}

static void count_open(struct position *position, enum booking_state state, int64_t more)
{
    position->holds += state == BOOKING_HELD ? more : 0;
    position->parties += state == BOOKING_WAITING ? more : 0;
}

/*
 * Counts all bookings that the database has after the sealed batch. If a count is unknown, the next
 * owner counts.
 */
static void count_bookings(struct partition *p, struct batch *batch)
{
    for (uint32_t i = 0; i < batch->booking_count; i++)
        count_open(&p->position, batch->bookings[i].state, 1);
    for (uint32_t i = 0; i < batch->bookings_changed_count; i++) {
        count_open(&p->position, batch->bookings_changed[i].from, -1);
        count_open(&p->position, batch->bookings_changed[i].state, 1);
    }
    if (p->position.holds < 0)
        p->position.holds = COUNT_UNKNOWN;
    if (p->position.parties < 0)
        p->position.parties = COUNT_UNKNOWN;
    batch->holds = p->position.holds;
    batch->parties = p->position.parties;
}

/*
 * Computes the batch's net effect, which evicts cold rows above the current limits, and draws the
 * changes for the cache.
 */
static void seal(struct partition *p, struct batch *batch)
{
    const struct inventory_size before = retention_limit(p);
    if (USHER_CHECKED)
        inventory_check(p->inventory);
    inventory_seal(p->inventory, batch);
    cache_sync_sealed(&p->cache_sync, batch, p->turn.clock_ms);
    retention_free(p, &before);
    partition_read_clock(p); /* a large batch takes its time */
}

/* `committed`: of the batches in flight, how many are known to be committed. */
static enum usher_status begin(struct partition *p, uint32_t committed, struct usher_error *err)
{
    struct batch *batch = p->pipeline.open;
    if (!is_due(p, committed))
        return USHER_OK;
    check_batch(p, batch);
    batch->next_seq = batch->expected_next_seq + batch->decision_count;
    seal(p, batch);
    count_bookings(p, batch);
    batch->published_seq = p->position.published_seq;
    batch->published_offset = p->position.published_offset;
    p->position.next_seq = batch->next_seq;
    p->position.next_offset = batch->next_offset;
    p->position.fingerprint_offset = batch->fingerprint_offset;
    p->position.fingerprint = batch->fingerprint;
    p->pipeline.open_times->begun_us = p->turn.us;
    pipeline_begin_commit(&p->pipeline);
    /* The next batch takes records, unless it has to wait until this one is committed. */
    p->turn.full = p->waits_for_idle || p->turn.most != QUARANTINE_NONE;
    enum usher_status status = p->ports.record.commit_begin(p->ports.record.self, batch, err);
    /* The memory reserved for its decisions is in use. */
    memory_budget_settle(p->ports.budget, p->settings.partition, MEMORY_FOR_BATCH, p->spare_bytes);
    return status;
}

enum usher_status commit_begin(struct partition *p, struct usher_error *err)
{
    return begin(p, 0, err);
}

/*
 * Hands them to the outbox, and commit_report sends the answers. Dead letters first: the published
 * position passes a seq only when its dead letter is out, too.
 */
static enum usher_status publish(struct partition *p, const struct batch *batch,
                                 struct usher_error *err)
{
    const struct outbox_port *outbox = &p->ports.outbox;
    enum usher_status status = USHER_OK;
    for (uint32_t i = 0; status == USHER_OK && i < batch->dead_letter_count; i++) {
        status = outbox->dead_letter(outbox->self, &batch->dead_letters[i], err);
        metrics_add(&p->ports.metrics->usher_dead_letters_total[batch->dead_letters[i].reason], 1);
    }
    for (uint32_t i = 0; status == USHER_OK && i < batch->decision_count; i++) {
        assert(batch->decisions[i].seq == p->handed_seq + 1);
        status = outbox->publish(outbox->self, &batch->decisions[i], err);
        p->handed_seq = batch->decisions[i].seq;
    }
    p->outbox_open = status == USHER_OK;
    return status;
}

static void count_batch(struct partition *p, const struct batch *batch,
                        const struct batch_times *times)
{
    struct metrics *metrics = p->ports.metrics;
    int64_t commit_us = p->turn.us - times->begun_us;
    for (uint32_t i = 0; i < batch->decision_count; i++) {
        const struct decision_row *row = &batch->decisions[i];
        if (row->source_offset == OFFSET_NONE)
            metrics_unrequested(metrics, row->outcome);
        else if (row->replayed)
            metrics_repeat(metrics, row->op);
        else
            metrics_decision(metrics, row->op, row->outcome, row->reason);
        if (row->outcome == USHER_REFUSED && row->first)
            metrics_refuse(metrics, row->resource, row->reason, batch->now_ms);
    }
    metrics_observe(&metrics->usher_batch_requests, batch->record_count);
    metrics_observe(&metrics->usher_batch_load_seconds, times->load_us);
    metrics_observe(&metrics->usher_batch_decide_seconds, times->decide_us);
    metrics_observe(&metrics->usher_batch_commit_seconds, commit_us);
    metrics_set(&metrics->usher_holds_open, batch->holds);
    metrics_set(&metrics->usher_parties_waiting, batch->parties);
    trace_batch(p, batch, times, commit_us);
}

static void note_committed(struct position *committed, const struct batch *batch)
{
    committed->next_offset = batch->next_offset;
    committed->next_seq = batch->next_seq;
    committed->fingerprint_offset = batch->fingerprint_offset;
    committed->fingerprint = batch->fingerprint;
    committed->holds = batch->holds;
    committed->parties = batch->parties;
}

/* Deals with the oldest batch in flight, now known to be committed. */
static enum usher_status finish(struct partition *p, struct batch *batch,
                                const struct batch_times *times, struct usher_error *err)
{
    assert(batch->epoch == p->position.epoch);
    assert(batch->expected_next_offset == p->committed.next_offset);
    quarantine_committed(&p->quarantine, batch);
    note_committed(&p->committed, batch);
    p->recorded_seq = batch->published_seq;
    if (batch->decision_count > 0)
        p->last_decided_ms = batch->now_ms;
    p->last_commit_ms = p->turn.ms;
    p->commit_ms = p->last_commit_ms - times->begun_us / 1000;
    enum usher_status status = publish(p, batch, err);
    latency_note(&p->latency, batch, p->turn.us);
    inventory_committed(p->inventory, batch->number);
    display_committed(p->display, batch);
    count_batch(p, batch, times);
    partition_release(p, batch->next_offset);
    if (batch->decision_count == 0) /* there is no answer that it could follow */
        p->ports.log.acknowledge(p->ports.log.self, p->committed.next_offset);
    bool is_last_define = batch->number == p->defined_in;
    pipeline_end_oldest(&p->pipeline);
    if (is_last_define || pipeline_is_empty(&p->pipeline))
        memory_budget_return(p->ports.budget, p->settings.partition, MEMORY_FOR_BATCH,
                             p->spare_bytes);
    return status;
}

enum usher_status commit_finish(struct partition *p, struct usher_error *err)
{
    struct batch *batch;
    struct batch_times *times;
    bool done;
    if (p->pipeline.in_flight == 0) /* an idle partition notices a lost connection, too */
        return p->ports.record.commit_end(p->ports.record.self, 0, &done, err);
    while ((batch = pipeline_oldest(&p->pipeline, &times))) {
        enum usher_status status = p->ports.record.commit_end(p->ports.record.self, 0, &done, err);
        if (status == USHER_RETRY)
            quarantine_unanswered(&p->quarantine, batch, partition_taken_until(p));
        if (status != USHER_OK || !done)
            return status;
        status = begin(p, 1, err); /* first: the database need not wait while answers go out */
        if (status == USHER_OK)
            status = finish(p, batch, times, err);
        if (status != USHER_OK)
            return status;
    }
    return USHER_OK;
}

/* Measures how long the answers took that were delivered after `from_seq`. */
static void measure(struct partition *p, int64_t from_seq)
{
    int64_t now_ms = p->turn.now_ms;
    int64_t to_seq = p->position.published_seq;
    int64_t committed_us;
    for (int64_t seq = from_seq + 1; seq <= to_seq; seq++) {
        int64_t appended_ms = latency_appended_ms(&p->latency, seq);
        if (appended_ms > 0) /* it is known */
            metrics_observe(&p->ports.metrics->usher_request_latency_seconds,
                            now_ms > appended_ms ? now_ms - appended_ms : 0);
    }
    while ((committed_us = latency_batch_done(&p->latency, to_seq)) != USHER_ABSENT)
        metrics_observe(&p->ports.metrics->usher_batch_publish_seconds, p->turn.us - committed_us);
    metrics_add(&p->ports.metrics->usher_results_published_total, to_seq - from_seq);
    trace_published(p, from_seq, to_seq);
}

enum usher_status commit_report(struct partition *p, struct usher_error *err)
{
    int64_t published = p->position.published_seq;
    enum usher_status status = partition_serve_outbox(p, err);
    p->outbox_open = status == USHER_OK;
    if (p->position.published_seq != published) {
        measure(p, published);
        p->ports.log.acknowledge(p->ports.log.self, p->committed.next_offset);
    }
    return status;
}
