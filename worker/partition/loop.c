/*
 * The loop of one partition while it is owned: named steps, in the order that the protocol needs.
 * A step that fails ends the loop, and the partition is taken over again.
 */
#include "worker/partition/loop.h"

#include <assert.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "worker/inventory/work.h"
#include "worker/observe/metrics.h"
#include "worker/partition/commit.h"
#include "worker/partition/fill.h"
#include "worker/partition/memory_budget.h"
#include "worker/partition/partition_state.h"
#include "worker/partition/retention.h"
#include "worker/partition/takeover.h"

enum {
    REPLAY_BYTES_MAX = 64 << 20, /* of the records taken: beyond, no more are taken */
    SLOW_PAUSE_MS = 100,         /* between two takes when hardly any memory is left */
    WORK_WAIT_MS = 50,           /* before work that found nothing to do is tried again */
    MEMORY_WAIT_MS = 10,         /* before it is asked again for the memory that a record wants */
    TURN_WAIT_MS = 200,          /* the longest sleep of the loop */
    LAST_SYNC_MS = 1000,         /* for resting updates when a partition is left */
    BEAT_INTERVAL_MS = 1000,     /* of the heartbeat for the cache */
    RESYNC_BYTES = 48 << 20,     /* that a large resource takes which is read for the cache */
};

/* ---- take ---- */

/* When hardly any memory is left: how long until the next records may be taken. */
static int64_t pause_ms(const struct partition *p)
{
    int64_t ms = p->taken_ms + SLOW_PAUSE_MS - p->turn.ms;
    return ms > 0 && memory_budget_is_slow(p->ports.budget) ? ms : 0;
}

/* How many records may be taken. */
static uint32_t take_room(const struct partition *p)
{
    uint32_t room = p->replay.bytes < REPLAY_BYTES_MAX ? replay_buffer_room(&p->replay) : 0;
    if (room == 0 || pause_ms(p) > 0)
        return 0;
    return memory_budget_portion(p->ports.budget, room, p->replay.end - p->replay.first);
}

/* Records below next_offset were decided by an earlier owner: a start is only a lower bound. */
static uint32_t drop_decided(struct partition *p, struct log_record *records, uint32_t count)
{
    uint32_t old = 0;
    while (old < count && records[old].offset < p->position.next_offset)
        old++;
    if (old > 0) {
        p->ports.log.release(p->ports.log.self, records, old);
        memmove(records, records + old, (count - old) * sizeof *records);
    }
    return count - old;
}

static void keep(struct partition *p, const struct log_record *records, uint32_t count)
{
    size_t before = p->replay.bytes;
    uint32_t unreadable = 0;
    for (uint32_t i = 0; i < count; i++)
        unreadable += records[i].unreadable ? 1 : 0;
    replay_buffer_add(&p->replay, count);
    metrics_add(&p->ports.metrics->usher_request_bytes_total, (int64_t)(p->replay.bytes - before));
    metrics_add(&p->ports.metrics->usher_unreadable_requests_total, unreadable);
}

/*
 * How far Kafka's clock is ahead of the database's. The last record was appended just now, unless
 * there are more, or a transaction kept it back. It still tells of a clock that is ahead.
 */
static void note_append(struct partition *p, int64_t appended_ms)
{
    int64_t ahead_ms = appended_ms - p->turn.clock_ms;
    bool late = p->turn.more || p->view.open_transaction_ms > 0;
    if (appended_ms == 0 || (ahead_ms < 0 && late))
        return;
    p->append_ahead_ms = ahead_ms;
    p->append_seen_ms = p->turn.ms;
}

static enum usher_status take(struct partition *p, struct usher_error *err)
{
    uint32_t room = take_room(p);
    struct log_record *at = replay_buffer_make_room(&p->replay);
    uint32_t count = room > 0 ? p->ports.log.take(p->ports.log.self, at, room) : 0;
    assert(count <= room);
    p->turn.more = room > 0 && count == room;
    if (count == 0)
        return p->ports.log.health(p->ports.log.self, err);
    p->idle_since_ms = 0;
    note_append(p, at[count - 1].appended_ms);
    count = drop_decided(p, at, count);
    if (count > 0) {             /* dropped records take no memory: nothing pauses for them */
        partition_read_clock(p); /* the pause begins now, not when the turn did */
        p->taken_ms = p->turn.ms;
    }
    enum usher_status status = count > 0 ? takeover_verify_joint(p, at->offset, err) : USHER_OK;
    if (status == USHER_OK)
        keep(p, at, count);
    else /* they are taken again */
        p->ports.log.release(p->ports.log.self, at, count);
    return status;
}

/* ---- the cache ---- */

static void beat(struct partition *p)
{
    if (p->turn.ms < p->next_beat_ms)
        return;
    p->next_beat_ms = p->turn.ms + BEAT_INTERVAL_MS;
    partition_publish_view(p);
    (void)retention_note(p);
    struct cache_beat beat = {
        .partition = p->settings.partition,
        .epoch = p->position.epoch,
        .next_offset = p->committed.next_offset,
        .lag = p->view.lag,
        .last_decided_ms = p->last_decided_ms,
    };
    cache_sync_set_beat(&p->cache_sync, &beat);
    metrics_set(&p->ports.metrics->usher_outbox_pending_results,
                p->ports.outbox.pending(p->ports.outbox.self));
    metrics_set(&p->ports.metrics->usher_display_lag_decisions,
                cache_sync_lag(&p->cache_sync, p->position.next_seq - 1));
    p->ports.cache.beat(p->ports.cache.self, &beat);
}

/* If memory is tight, not all partitions read for the cache at once. */
static bool reserve_for_cache(struct partition *p)
{
    return !p->turn.tight || p->cache_sync.state != CACHE_RESYNCING ||
           cache_sync_is_loading(&p->cache_sync) ||
           memory_budget_reserve(p->ports.budget, p->settings.partition, MEMORY_FOR_CACHE,
                                 RESYNC_BYTES);
}

/*
 * Do not slow a resync down while a define waits for its memory: that would block the define, here
 * or in another partition.
 */
static struct cache_moment cache_moment(struct partition *p)
{
    struct log_record *at;
    bool sells = p->pipeline.in_flight > 0 || replay_buffer_undecided(&p->replay, &at) > 0;
    return (struct cache_moment){
        .now_ms = p->turn.clock_ms,
        .monotonic_us = p->turn.us,
        .decided_seq = p->position.next_seq - 1,
        .busy = sells && !(p->turn.tight && memory_budget_is_awaited(p->ports.budget)),
        .tight = p->turn.tight,
        .may_load = reserve_for_cache(p),
    };
}

static void sync_cache(struct partition *p)
{
    struct cache_moment *moment = &p->turn.cache;
    *moment = cache_moment(p);
    cache_sync_turn(&p->cache_sync, moment);
    if (moment->may_load && !cache_sync_is_loading(&p->cache_sync))
        memory_budget_release(p->ports.budget, p->settings.partition, MEMORY_FOR_CACHE);
    beat(p);
}

/* ---- wait ---- */

static void drain_descriptor(int descriptor)
{
    char bytes[256];
    while (read(descriptor, bytes, sizeof bytes) == (ssize_t)sizeof bytes)
        continue;
}

static int sleep_ms(const struct partition *p)
{
    struct log_record *at;
    if (p->turn.more && p->pipeline.in_flight == 0)
        return 0;
    if (!p->stopping && replay_buffer_undecided(&p->replay, &at) > 0 && !p->turn.full)
        return 0;
    if (inventory_has_work(p->inventory) && p->pipeline.in_flight == 0)
        return p->turn.worked ? 0 : WORK_WAIT_MS;
    int64_t wait = cache_sync_wait_ms(&p->cache_sync, &p->turn.cache);
    int64_t pause = p->stopping ? 0 : p->wants_bytes > 0 ? MEMORY_WAIT_MS : pause_ms(p);
    int64_t most = pause > 0 && pause < TURN_WAIT_MS ? pause : TURN_WAIT_MS;
    return wait < 0 || wait > most ? (int)most : (int)wait;
}

/*
 * -1 if no record would be taken, because of a stop or for want of room: it would only wake the
 * loop.
 */
static int log_descriptor(const struct partition *p)
{
    return p->stopping || take_room(p) == 0 ? -1 : p->ports.log.descriptor(p->ports.log.self);
}

/* The sources that wake the loop. The descriptors of the log and the outbox are read empty here. */
enum source {
    FROM_STOP,
    FROM_LOG,
    FROM_OUTBOX,
    FROM_RECORD,
};

static void wait_for_events(struct partition *p)
{
    struct pollfd sources[] = {
        [FROM_STOP] = {.fd = p->wake_descriptor, .events = POLLIN},
        [FROM_LOG] = {.fd = log_descriptor(p), .events = POLLIN},
        [FROM_OUTBOX] = {.fd = p->ports.outbox.descriptor(p->ports.outbox.self), .events = POLLIN},
        [FROM_RECORD] = {.fd = p->ports.record.descriptor(p->ports.record.self), .events = POLLIN},
    };
    int wait_ms = sleep_ms(p);
    int ready = wait_ms > 0 ? poll(sources, sizeof sources / sizeof *sources, wait_ms) : 0;
    for (int i = FROM_LOG; ready > 0 && i <= FROM_OUTBOX; i++)
        if (sources[i].revents != 0)
            drain_descriptor(sources[i].fd);
    partition_read_clock(p); /* for the turn that begins */
}

/* ---- the loop ---- */

/* The records below the open batch's next offset are decided, and no others. */
static void check_decided(const struct partition *p)
{
    const struct replay_buffer *kept = &p->replay;
    int64_t until = p->pipeline.open ? p->pipeline.open->next_offset : p->position.next_offset;
    assert(kept->next == kept->first || kept->records[kept->next - 1].offset < until);
    assert(kept->next == kept->end || kept->records[kept->next].offset >= until);
}

/* All committed decisions are given to the outbox. They end at the batches in flight. */
static void check_position(struct partition *p)
{
    struct batch_times *times;
    const struct position *position = &p->position;
    const struct batch *oldest = pipeline_oldest(&p->pipeline, &times);
    int64_t next_offset = oldest ? oldest->expected_next_offset : position->next_offset;
    int64_t next_seq = oldest ? oldest->expected_next_seq : position->next_seq;
    assert(p->inventory && p->outbox_open && p->verified);
    assert(p->committed.next_offset == next_offset && p->handed_seq == next_seq - 1);
    assert(p->acquired_seq <= p->handed_seq);
    check_decided(p);
}

static enum usher_status trust_memory(struct partition *p, struct usher_error *err)
{
    return inventory_fault(p->inventory, err);
}

typedef enum usher_status step(struct partition *, struct usher_error *);

static step *const steps[] = {
    commit_finish, /* first: a committed batch makes room, and its answers go to the outbox */
    commit_report, /* sends them: the published position goes along with the next batch */
    take,          /* while a batch is in flight, the next one is taken … */
    fill_prepare,  /* … gets the memory that it waits for … */
    fill_ready,    /* … and is decided */
    fill_work,     /* work left by earlier batches, as far as there is room */
    fill_idle,     /* only if there was nothing to decide */
    fill_pass,     /* and nothing that fell due */
    trust_memory,  /* before it is committed */
    commit_begin,  /* once the one before is known, or it is due: a batch grows meanwhile */
    NULL,
};

/* Of a partition that is left: nothing more is taken or decided. */
static step *const last_steps[] = {commit_finish, commit_report, fill_pass, commit_begin, NULL};

static enum usher_status turn(struct partition *p, step *const *next, struct usher_error *err)
{
    check_position(p);
    p->turn.more = p->turn.worked = false;
    p->turn.tight = memory_budget_level(p->ports.budget) != INT64_MAX;
    for (; *next; next++) {
        enum usher_status status = (*next)(p, err);
        if (status != USHER_OK)
            return status;
        partition_read_clock(p); /* a step may load, decide or write much */
    }
    retention_trim(p);
    sync_cache(p);
    return USHER_OK;
}

enum usher_status loop_run(struct partition *p, struct usher_error *err)
{
    assert(p->stage == STAGE_ACTIVE && p->retries == 0);
    while (!p->stopping && !p->ports.record.is_elsewhere(p->ports.record.self)) {
        enum usher_status status = turn(p, steps, err);
        if (status != USHER_OK)
            return status;
        wait_for_events(p);
    }
    return USHER_OK;
}

/* ---- after a failure ---- */

/* Work left by earlier batches can wait: for the time, say, at which a sale begins. */
static bool work_can_wait(const struct partition *p)
{
    uint32_t listed;
    (void)inventory_unfinished(p->inventory, &listed);
    return !inventory_has_work(p->inventory) ||
           (!p->turn.worked && listed == 0 &&
            inventory_unfinished_after(p->inventory) == INT64_MAX);
}

/*
 * Nothing is pending or due, and memory knows it from the database: one that had nothing to load
 * has not shown yet that it can.
 */
static bool has_nothing_to_do(const struct partition *p)
{
    return partition_is_settled(p) && partition_is_published(p) && work_can_wait(p) &&
           inventory_next_due_ms(p->inventory) > p->turn.now_ms &&
           p->ports.log.drained(p->ports.log.self, p->position.next_offset);
}

/* A request was decided since the takeover and its answer delivered, or there is nothing to do. */
static bool has_succeeded(const struct partition *p)
{
    return p->position.published_seq > p->acquired_seq || has_nothing_to_do(p);
}

enum usher_status loop_retry(struct partition *p, struct usher_error *err)
{
    assert(p->stage == STAGE_RETRYING && p->retries > 0);
    while (!p->stopping && p->retries > 0 && !p->ports.record.is_elsewhere(p->ports.record.self)) {
        enum usher_status status = turn(p, steps, err);
        if (status != USHER_OK)
            return status;
        if (has_succeeded(p))
            p->retries = 0;
        if (p->retries > 0)
            wait_for_events(p);
    }
    return USHER_OK;
}

/* ---- leaving ---- */

static bool is_drained(const struct partition *p)
{
    return partition_is_published(p) && !fill_may_pass(p);
}

/*
 * Puts the changes that still wait, then stores the position from which the next owner continues.
 */
static void sync_cache_last(struct partition *p)
{
    int64_t until_ms = p->turn.ms + LAST_SYNC_MS;
    display_flush(p->display);
    sync_cache(p);
    while (p->turn.ms < until_ms && display_wait_ms(p->display, p->turn.clock_ms) >= 0) {
        wait_for_events(p);
        sync_cache(p);
    }
    p->next_beat_ms = 0;
    beat(p);
}

/* Abandoning is safe: the next owner decides all that is not committed. */
enum usher_status loop_drain(struct partition *p, struct usher_error *err)
{
    assert(p->stage == STAGE_DRAIN && p->stopping);
    drain_descriptor(p->wake_descriptor);
    while (p->turn.ms < p->stop_ms && !is_drained(p)) {
        enum usher_status status = turn(p, last_steps, err);
        if (status != USHER_OK)
            return status;
        if (!is_drained(p))
            wait_for_events(p);
    }
    if (p->turn.ms < p->stop_ms)
        sync_cache_last(p);
    return USHER_OK;
}
