/*
 * Commit, publish, show, acknowledge: the effects of a batch in the one order that loses nothing.
 */
#include "worker/partition/commit.h"

#include "producer/base/clock.h"
#include "worker/inventory/seal.h"
#include "worker/observe/metrics.h"
#include "worker/partition/fill.h"
#include "worker/partition/partition_state.h"

static void forget_evicted(struct allocator *a)
{
    uint32_t count;
    const int64_t *evicted = inventory_evicted(a->inventory, &count);
    for (uint32_t i = 0; i < count; i++)
        display_forget(a->display, evicted[i]);
}

/*
 * A transaction costs the database as much as some twenty bookings: many small ones in flight
 * would only wait for each other there. So a further batch is begun once it is as large as all
 * that are in flight, or takes no more.
 */
static bool is_due(struct allocator *a, uint32_t done)
{
    uint32_t begun = a->flight.begun - done;
    uint32_t waiting = a->flight.filling ? flight_filling(&a->flight)->decision_count : 0;
    if (waiting == 0 || begun == a->settings.batches_in_flight)
        return false;
    return waiting >= flight_decisions(&a->flight, done) || fill_room(a) == 0;
}

/* `done`: of the batches begun, how many are known to be committed. */
static enum usher_status begin(struct allocator *a, uint32_t done, struct usher_error *err)
{
    if (!is_due(a, done))
        return USHER_OK;
    struct batch *batch = flight_filling(&a->flight);
    inventory_seal(a->inventory, batch);
    forget_evicted(a);
    batch->next_seq = batch->expected_next_seq + batch->decision_count;
    batch->published_seq = a->position.published_seq;
    batch->published_offset = a->position.published_offset;
    a->position.next_seq = batch->next_seq;
    a->position.next_offset = batch->next_offset;
    a->position.fingerprint_offset = batch->fingerprint_offset;
    a->position.fingerprint = batch->fingerprint;
    flight_filling_times(&a->flight)->begun_us = clock_us();
    flight_begin(&a->flight);
    return a->ports.record.commit_begin(a->ports.record.self, batch, err);
}

enum usher_status commit_begin(struct allocator *a, struct usher_error *err)
{
    return begin(a, 0, err);
}

/* Dead letters first: the published position passes a seq only when its dead letter is out too. */
static enum usher_status publish(struct allocator *a, const struct batch *batch,
                                 struct usher_error *err)
{
    const struct outbox_port *outbox = &a->ports.outbox;
    enum usher_status status = USHER_OK;
    for (uint32_t i = 0; status == USHER_OK && i < batch->dead_letter_count; i++) {
        status = outbox->dead_letter(outbox->self, &batch->dead_letters[i], err);
        metrics_dead_letter(a->ports.metrics, usher_reason_named(batch->dead_letters[i].reason));
    }
    for (uint32_t i = 0; status == USHER_OK && i < batch->decision_count; i++) {
        status = outbox->publish(outbox->self, &batch->decisions[i], err);
        a->handed_seq = batch->decisions[i].seq;
    }
    a->outbox_open = status == USHER_OK;
    return status;
}

static void draw(struct allocator *a, const struct batch *batch)
{
    display_apply(a->display, batch);
    for (uint32_t i = 0; i < batch->resource_change_count; i++) {
        const struct resource_change *change = &batch->resource_changes[i];
        if (change->redraw)
            display_draw(a->display,
                         inventory_resource_numbered(a->inventory, change->resource_no));
    }
}

static void count(struct allocator *a, const struct batch *batch, const struct flight_times *times)
{
    struct metrics *metrics = a->ports.metrics;
    for (uint32_t i = 0; i < batch->decision_count; i++) {
        const struct decision_row *row = &batch->decisions[i];
        metrics_decision(metrics, usher_op_named(row->op), usher_outcome_named(row->outcome),
                         usher_reason_named(row->reason));
    }
    metrics_batch(metrics, batch->record_count, times->load_us, times->decide_us,
                  clock_us() - times->begun_us);
}

static enum usher_status finish_one(struct allocator *a, struct batch *batch,
                                    const struct flight_times *times, struct usher_error *err)
{
    caution_committed(&a->caution);
    a->committed_offset = batch->next_offset;
    a->last_decided_ms = batch->now_ms;
    enum usher_status status = publish(a, batch, err);
    answer_times_note(&a->answer_times, batch, clock_us());
    draw(a, batch);
    inventory_committed(a->inventory, batch->number);
    count(a, batch, times);
    allocator_release(a, batch->next_offset);
    flight_end(&a->flight);
    return status;
}

enum usher_status commit_finish(struct allocator *a, struct usher_error *err)
{
    struct batch *batch;
    struct flight_times *times;
    while ((batch = flight_oldest(&a->flight, &times))) {
        bool done = false;
        enum usher_status status = a->ports.record.commit_end(a->ports.record.self, 0, &done, err);
        if (status == USHER_OK && !done)
            return USHER_OK;
        /* The next one first: the database need not wait while answers go out. */
        if (status == USHER_OK)
            status = begin(a, 1, err);
        if (status == USHER_OK)
            status = finish_one(a, batch, times, err);
        if (status != USHER_OK)
            return status;
    }
    return USHER_OK;
}

/* How long the answers took that were delivered since, up to the published position. */
static void measure(struct allocator *a, int64_t from_seq)
{
    int64_t now_ms = allocator_now_ms(a);
    int64_t now_us = clock_us();
    int64_t to_seq = a->position.published_seq;
    int64_t committed_us;
    for (int64_t seq = from_seq + 1; seq <= to_seq; seq++) {
        int64_t appended_ms = answer_times_appended(&a->answer_times, seq);
        if (appended_ms != USHER_ABSENT)
            metrics_latency_us(a->ports.metrics,
                               now_ms > appended_ms ? (now_ms - appended_ms) * 1000 : 0);
    }
    while ((committed_us = answer_times_batch_done(&a->answer_times, to_seq)) != USHER_ABSENT)
        metrics_batch_published(a->ports.metrics, now_us - committed_us);
    metrics_published(a->ports.metrics, (uint32_t)(to_seq - from_seq),
                      a->ports.outbox.pending(a->ports.outbox.self));
}

enum usher_status commit_report(struct allocator *a, struct usher_error *err)
{
    int64_t published = a->position.published_seq;
    enum usher_status status = allocator_serve_outbox(a, err);
    a->outbox_open = status == USHER_OK;
    if (a->position.published_seq != published) {
        measure(a, published);
        a->ports.log.acknowledge(a->ports.log.self, a->committed_offset);
    }
    return status;
}
