/*
 * One partition as this worker owns it: its settings, its ports, its position and the batches under
 * way, and the verbs that all steps share. This file knows nothing of takeover.c, loop.c, fill.c
 * and commit.c, which work with it.
 */
#include "worker/partition/partition_state.h"

#include <assert.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "producer/base/clock.h"
#include "worker/model/rows.h"
#include "worker/observe/metrics.h"
#include "worker/partition/memory_budget.h"

/* ==== The partition ==== */

enum {
    REPLAY_BATCHES = 2,     /* batches of records kept beside those in flight */
    QUIET_MS = 5000,        /* after a commit, until work that needs no batch of its own gets one */
    APPEND_SEEN_MS = 60000, /* how long the last append tells of Kafka's clock */
};

static void check_thread(const struct partition *p)
{
    assert(pthread_equal(p->thread, pthread_self()));
}

void partition_init(struct partition *p, const struct partition_settings *settings,
                    const struct partition_ports *ports)
{
    assert(settings->batch_limit > 0 && settings->batches_in_flight > 0);
    p->settings = *settings;
    p->ports = *ports;
    p->log = log_context_with(NULL, "partition=%d", settings->partition);
    p->wake_descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    assert(p->wake_descriptor >= 0);
    pthread_mutex_init(&p->view_lock, NULL);
    p->view.partition = settings->partition;
    quarantine_init(&p->quarantine);
    portion_init(&p->portion, settings->batch_limit);
    pipeline_init(&p->pipeline, settings->batches_in_flight, settings->batch_limit, EXPIRY_LIMIT);
    replay_buffer_init(&p->replay,
                       (settings->batches_in_flight + REPLAY_BATCHES) * settings->batch_limit);
    p->display = display_open(settings->partition);
    cache_sync_init(&p->cache_sync, settings->partition, &p->ports.record, &p->ports.cache,
                    p->display, &p->log);
    partition_read_clock(p); /* the watchdog may look before the thread runs */
}

void partition_forget(struct partition *p)
{
    const struct metrics_kept nothing = {0};
    assert(p->stage >= STAGE_FENCED && p->stage < STAGE_COUNT);
    partition_release(p, INT64_MAX);
    pipeline_abandon(&p->pipeline);
    pipeline_return_memory(&p->pipeline);
    display_reset(p->display, NULL, p->position.epoch, 0);
    inventory_destroy(p->inventory);
    p->inventory = NULL;
    cache_sync_deinit(&p->cache_sync);
    usher_arena_deinit(&p->scratch);
    metrics_keep(p->ports.metrics, &nothing);
    memory_budget_note(p->ports.budget, p->settings.partition, MEMORY_OWNS_NONE);
    partition_release_memory(p);
    memory_budget_release(p->ports.budget, p->settings.partition, MEMORY_FOR_CACHE);
}

void partition_deinit(struct partition *p)
{
    assert(!p->inventory && pipeline_is_empty(&p->pipeline));
    cache_sync_deinit(&p->cache_sync);
    display_close(p->display);
    pipeline_deinit(&p->pipeline);
    replay_buffer_deinit(&p->replay);
    pthread_mutex_destroy(&p->view_lock);
    close(p->wake_descriptor);
}

/* ---- time ---- */

/* `now` does not go back over takeovers, either: the last one is stored with each batch. */
void partition_read_clock(struct partition *p)
{
    struct turn *turn = &p->turn;
    turn->us = clock_us();
    turn->ms = turn->us / 1000;
    turn->clock_ms = turn->ms + p->clock_offset_ms;
    turn->now_ms = turn->clock_ms > p->position.now_ms ? turn->clock_ms : p->position.now_ms;
    atomic_store_explicit(&p->progress_ms, turn->ms, memory_order_relaxed);
}

/* 0: nothing was appended of late, so it is not known. */
static int64_t append_ahead_ms(const struct partition *p)
{
    return p->turn.ms - p->append_seen_ms < APPEND_SEEN_MS ? p->append_ahead_ms : 0;
}

/* ---- waiting and stopping ---- */

void partition_stop(struct partition *p, int64_t drain_ms)
{
    uint64_t one = 1;
    atomic_store(&p->stop_ms, clock_ms() + drain_ms); /* of another thread */
    atomic_store(&p->stopping, true);
    ssize_t written = write(p->wake_descriptor, &one, sizeof one);
    assert(written == sizeof one);
}

void partition_sleep(struct partition *p, int64_t ms)
{
    struct pollfd wake = {.fd = p->wake_descriptor, .events = POLLIN};
    assert(ms >= 0); /* it would wait for ever */
    (void)poll(&wake, 1, (int)ms);
    partition_read_clock(p);
}

/* ---- the outbox and the log ---- */

enum usher_status partition_serve_outbox(struct partition *p, struct usher_error *err)
{
    check_thread(p);
    int64_t before = p->position.published_seq;
    enum usher_status status = p->ports.outbox.poll(
        p->ports.outbox.self, &p->position.published_seq, &p->position.published_offset, err);
    /* None is delivered that was not given to it. */
    assert(p->position.published_seq == before || p->position.published_seq <= p->handed_seq);
    return status;
}

enum usher_status partition_serve_reports(struct partition *p, struct usher_error *err)
{
    return p->ports.outbox.poll(p->ports.outbox.self, NULL, NULL, err);
}

/*
 * Records are kept until they are committed. Those of the open batch are decided, but next_offset
 * moves past them only when it is sealed. If none are kept, it was moved past all of them.
 */
int64_t partition_taken_until(const struct partition *p)
{
    const struct replay_buffer *kept = &p->replay;
    int64_t until = kept->end > kept->first ? kept->records[kept->end - 1].offset + 1 : OFFSET_NONE;
    return until > p->position.next_offset ? until : p->position.next_offset;
}

bool partition_is_settled(const struct partition *p)
{
    struct log_record *at;
    return pipeline_is_empty(&p->pipeline) && replay_buffer_undecided(&p->replay, &at) == 0;
}

bool partition_is_published(const struct partition *p)
{
    return pipeline_is_empty(&p->pipeline) && p->ports.outbox.pending(p->ports.outbox.self) == 0;
}

bool partition_is_quiet(const struct partition *p)
{
    return p->turn.ms - p->last_commit_ms >= QUIET_MS;
}

bool partition_leaves_unrecorded(const struct partition *p)
{
    return (p->stopping || partition_is_quiet(p)) && p->position.published_seq > p->recorded_seq;
}

void partition_release(struct partition *p, int64_t below_offset)
{
    struct log_record *records;
    check_thread(p);
    uint32_t count = replay_buffer_below(&p->replay, below_offset, &records);
    if (count > 0)
        p->ports.log.release(p->ports.log.self, records, count);
    replay_buffer_drop(&p->replay, count);
}

void partition_release_memory(struct partition *p)
{
    p->wants_bytes = p->spare_bytes = 0;
    p->defined_in = 0;
    memory_budget_release(p->ports.budget, p->settings.partition, MEMORY_FOR_BATCH);
}

/* ---- for others to see ---- */

static int64_t oldest_pending_ms(const struct partition *p)
{
    return p->replay.first < p->replay.end ? p->replay.records[p->replay.first].appended_ms : 0;
}

/* Records taken and not known to be committed, and those not yet taken. */
static int64_t lag_of(const struct partition *p, int64_t *open_transaction_ms)
{
    uint32_t kept = p->replay.end - p->replay.first;
    int64_t taken_until =
        kept > 0 ? p->replay.records[p->replay.end - 1].offset + 1 : p->committed.next_offset;
    return kept + p->ports.log.lag(p->ports.log.self, taken_until, open_transaction_ms);
}

static void publish_metrics(struct partition *p)
{
    struct metrics *metrics = p->ports.metrics;
    const struct partition_view *view = &p->view;
    struct log_gaps gaps = p->ports.log.gaps(p->ports.log.self);
    metrics_add(&metrics->usher_offsets_unexplained_total, gaps.unexplained);
    metrics_add(&metrics->usher_offsets_unchecked_total, gaps.unchecked);
    metrics_set(&metrics->usher_partition_open_transaction_seconds.ms, view->open_transaction_ms);
    metrics_set(&metrics->usher_partition_append_ahead_seconds.ms, view->append_ahead_ms);
    metrics_set(&metrics->usher_partition_clock_ahead_seconds.ms, view->clock_ahead_ms);
    metrics_set(&metrics->usher_partition_halted, view->stage == STAGE_HALTED);
    metrics_set(&metrics->usher_partition_retries, view->retries);
    metrics_set(&metrics->usher_partition_epoch, view->epoch);
    metrics_set(&metrics->usher_partition_committed_offset, view->next_offset);
    metrics_set(&metrics->usher_partition_lag_messages, view->lag);
    metrics_set(&metrics->usher_partition_oldest_pending_timestamp_seconds.ms,
                oldest_pending_ms(p));
}

void partition_publish_view(struct partition *p)
{
    check_thread(p);
    assert(p->stage < STAGE_COUNT && p->committed.next_offset <= p->position.next_offset);
    int64_t open_transaction_ms;
    int64_t lag = lag_of(p, &open_transaction_ms);
    int64_t ahead_ms = append_ahead_ms(p);
    pthread_mutex_lock(&p->view_lock);
    p->view.stage = p->stage;
    p->view.epoch = p->position.epoch;
    p->view.next_offset = p->committed.next_offset;
    p->view.next_seq = p->position.next_seq;
    p->view.published_seq = p->position.published_seq;
    p->view.lag = lag;
    p->view.retries = p->retries;
    p->view.open_transaction_ms = open_transaction_ms;
    p->view.append_ahead_ms = ahead_ms;
    p->view.clock_ahead_ms = p->turn.now_ms - p->turn.clock_ms;
    pthread_mutex_unlock(&p->view_lock);
    publish_metrics(p);
}

void partition_publish_error(struct partition *p, const struct usher_error *err)
{
    pthread_mutex_lock(&p->view_lock);
    p->view.error = *err;
    pthread_mutex_unlock(&p->view_lock);
}

void partition_snapshot(struct partition *p, struct partition_view *view)
{
    pthread_mutex_lock(&p->view_lock);
    *view = p->view;
    pthread_mutex_unlock(&p->view_lock);
    view->progress_ms = atomic_load_explicit(&p->progress_ms, memory_order_relaxed);
}

/* ==== Quarantine ==== */

enum {
    FAILURES_BEFORE_ISOLATION = 2,
    BEHIND_MIN = 16,          /* decisions of the first batch behind one that was refused … */
    BEHIND_GROWTH = 4,        /* … so many times as many of each further one, … */
    BEHIND_MAX = 1024,        /* … until it is as large as batches are */
    DOUBTFUL_MAX = 10,        /* in a row … */
    DOUBTFUL_FOR_MS = 600000, /* … and again after so long */
};

static void check_quarantine(const struct quarantine *quarantine)
{
    bool isolates = quarantine->failures == FAILURES_BEFORE_ISOLATION;
    assert(quarantine->failures <= FAILURES_BEFORE_ISOLATION);
    assert(!isolates || quarantine_most(quarantine, quarantine->offset) == 1);
}

void quarantine_init(struct quarantine *quarantine)
{
    *quarantine = (struct quarantine){.offset = OFFSET_NONE,
                                      .until_offset = OFFSET_NONE,
                                      .most_behind = QUARANTINE_NONE,
                                      .dead_letter = OFFSET_NONE,
                                      .blameless = OFFSET_NONE};
}

static bool was_tried(const struct quarantine *quarantine, int64_t next_offset)
{
    return quarantine->until_offset != OFFSET_NONE && next_offset < quarantine->until_offset;
}

uint32_t quarantine_most(const struct quarantine *quarantine, int64_t next_offset)
{
    bool again = was_tried(quarantine, next_offset);
    assert((!again || quarantine->most >= 1) && quarantine->most_behind >= 1);
    return again ? quarantine->most : quarantine->most_behind;
}

/* At least one offset further, so that it also applies to a batch that only expires. */
static void make_small(struct quarantine *quarantine, const struct batch *batch,
                       int64_t until_offset, uint32_t most)
{
    int64_t least = batch->expected_next_offset + 1;
    quarantine->until_offset = until_offset > least ? until_offset : least;
    quarantine->most = most > 1 ? most : 1;
    quarantine->most_behind = BEHIND_MIN;
}

/*
 * Notes a refusal. Returns whether there was one before: of any record, or of the same expiry,
 * because another may have been committed though the answer was lost. A batch without a decision
 * only records positions: it can wait, and tells nothing about either.
 */
static bool was_refused(struct quarantine *quarantine, const struct batch *batch)
{
    if (batch->decision_count == 0)
        return false;
    bool of_record = batch->record_count > 0;
    bool before =
        of_record ? quarantine->record_refused : quarantine->expiry_seq == batch->expected_next_seq;
    if (of_record)
        quarantine->record_refused = true;
    else
        quarantine->expiry_seq = batch->expected_next_seq;
    return before;
}

/*
 * Whether the record of a batch of one may be set aside, though the data need not be at fault.
 * Counts it if so. Earlier work is decided in a batch before.
 */
static bool may_doubt(struct quarantine *quarantine, const struct batch *batch)
{
    assert(batch->decision_count == 1);
    enum usher_op op = batch->decisions[0].op;
    assert(op < USHER_OP_COUNT && quarantine->doubtful[op].count <= DOUBTFUL_MAX);
    if (batch->now_ms - quarantine->doubtful[op].last_ms >= DOUBTFUL_FOR_MS)
        quarantine->doubtful[op].count = 0;
    if (quarantine->doubtful[op].count >= DOUBTFUL_MAX)
        return false;
    quarantine->doubtful[op].count++;
    quarantine->doubtful[op].last_ms = batch->now_ms;
    return true;
}

static enum usher_status refused_alone(struct quarantine *quarantine, const struct batch *batch,
                                       bool by_data)
{
    int64_t record = batch->next_offset - 1;
    assert(batch->decision_count == 1 && batch->record_count <= batch->decision_count);
    bool before = was_refused(quarantine, batch);
    if (batch->record_count == 0)
        return before ? USHER_HALT : USHER_RETRY;
    if (!before)
        return USHER_REJECT;
    if (quarantine->dead_letter == record) {
        quarantine->dead_letter = OFFSET_NONE;
        quarantine->blameless = record;
        quarantine->blameless_ms = batch->now_ms;
    }
    if (quarantine->blameless == record &&
        batch->now_ms - quarantine->blameless_ms < DOUBTFUL_FOR_MS)
        return USHER_RETRY;
    if (!by_data && !may_doubt(quarantine, batch))
        return USHER_RETRY;
    quarantine->dead_letter = record;
    return USHER_REJECT;
}

enum usher_status quarantine_refused(struct quarantine *quarantine, const struct batch *batch,
                                     bool by_data)
{
    if (batch->decision_count == 0)
        return USHER_RETRY;
    if (!was_tried(quarantine, batch->expected_next_offset))
        quarantine->record_refused = false; /* which was of another */
    if (quarantine_most(quarantine, batch->expected_next_offset) > 1)
        make_small(quarantine, batch, batch->next_offset, batch->decision_count / 2);
    if (batch->decision_count == 1)
        return refused_alone(quarantine, batch, by_data);
    (void)was_refused(quarantine, batch);
    return batch->record_count > 0 ? USHER_REJECT : USHER_RETRY;
}

void quarantine_unanswered(struct quarantine *quarantine, const struct batch *batch,
                           int64_t taken_until)
{
    if (quarantine_most(quarantine, batch->expected_next_offset) == 1)
        return;
    if (quarantine->offset != batch->expected_next_offset) {
        quarantine->failures = 0;
        quarantine->record_refused = false;
    }
    quarantine->offset = batch->expected_next_offset;
    if (++quarantine->failures >= FAILURES_BEFORE_ISOLATION)
        make_small(quarantine, batch, taken_until, 1);
    check_quarantine(quarantine);
}

/* Whether it wrote rows as the next one of its operation does. */
static bool is_done(const struct decision_row *decision)
{
    return decision->source_offset != OFFSET_NONE && !decision->replayed &&
           decision->outcome != USHER_REFUSED && decision->outcome != USHER_INVALID;
}

/* The rest of a refused batch has the refused record in it. Behind it is none. */
static void note_end(struct quarantine *quarantine, const struct batch *batch)
{
    int64_t left = quarantine->until_offset - batch->next_offset;
    if (left > 0 && quarantine->most > (left + 1) / 2)
        quarantine->most = (uint32_t)((left + 1) / 2);
    if (was_tried(quarantine, batch->expected_next_offset))
        return;
    uint32_t most = quarantine->most_behind;
    quarantine->most_behind =
        most < BEHIND_MAX / BEHIND_GROWTH ? most * BEHIND_GROWTH : QUARANTINE_NONE;
}

void quarantine_committed(struct quarantine *quarantine, const struct batch *batch)
{
    for (uint32_t i = 0; i < batch->decision_count; i++)
        if (is_done(&batch->decisions[i]))
            quarantine->doubtful[batch->decisions[i].op].count = 0;
    quarantine->failures = 0;
    /* Of a record it stays: expiries may be committed between its refusals. */
    quarantine->expiry_seq = 0;
    note_end(quarantine, batch);
    check_quarantine(quarantine);
}

/* ==== Portions ==== */

enum {
    HALVINGS_MAX = 16, /* then it is not the size of a load that makes it fail */
    ALIKE = 8,         /* loads that fit, before more is tried again */
};

static uint32_t between(uint32_t least, uint32_t value, uint32_t most)
{
    assert(least <= most);
    return value < least ? least : value > most ? most : value;
}

static void check_portion(const struct portion *portion)
{
    assert(portion->records >= 1 && portion->records <= portion->limit);
    assert(portion->halvings <= HALVINGS_MAX);
}

void portion_init(struct portion *portion, uint32_t limit)
{
    *portion = (struct portion){.limit = limit, .records = limit, .until_offset = OFFSET_NONE};
    check_portion(portion);
}

void portion_failed(struct portion *portion, uint32_t asked, int64_t taken_until)
{
    assert(asked <= portion->records);
    uint32_t failed = asked > 0 && asked < portion->records ? asked : portion->records;
    portion->records = between(1, failed / 2, portion->limit);
    portion->halvings = between(0, portion->halvings + 1, HALVINGS_MAX);
    portion->until_offset = taken_until;
    check_portion(portion);
}

void portion_loaded(struct portion *portion, int64_t next_offset, uint32_t asked, uint32_t covered)
{
    assert(covered <= asked && asked <= portion->records);
    if (covered < asked) {
        /* No more than fitted, for a while: records that a load left were read in vain. */
        portion->records = between(1, covered, portion->records);
        int64_t until_offset = next_offset + covered + ALIKE * (int64_t)portion->records;
        if (until_offset > portion->until_offset)
            portion->until_offset = until_offset;
        return;
    }
    if (portion->until_offset != OFFSET_NONE && next_offset < portion->until_offset)
        return;
    portion->records = between(1, 2 * portion->records, portion->limit);
    portion->halvings -= portion->halvings > 0;
    check_portion(portion);
}
