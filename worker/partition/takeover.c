/*
 * Acquire, verify, catch up: each checks the result of the previous step, and changes nothing that
 * is committed.
 */
#include "worker/partition/takeover.h"

#include <assert.h>
#include <inttypes.h>

#include "worker/observe/metrics.h"
#include "worker/partition/partition_state.h"

enum {
    PUBLISH_ROWS = 1000, /* rows read at once while catching up */
    AHEAD_MS = 3000,     /* clocks may differ by less */
};

/* Sets err to the fault that an operator must look at. Its value is HALT. */
#define HALT(err, ...) (usher_error_set(err, USHER_EXIT_CONFIG, __VA_ARGS__), USHER_HALT)

/* ---- acquire ---- */

/*
 * Whether the database has less than this very allocator knows to be committed: it was restored, or
 * is a standby that lagged. Only a new producer asks the result log, too.
 */
static bool has_lost_commits(const struct partition *p, const struct position *found)
{
    return p->position.epoch != 0 &&
           (found->next_offset < p->committed.next_offset || found->next_seq <= p->handed_seq);
}

/* After a fail-over, say, from a server whose clock was ahead. */
static void warn_of_clock(const struct partition *p)
{
    int64_t ahead_ms = p->turn.now_ms - p->turn.clock_ms;
    if (ahead_ms < AHEAD_MS)
        return;
    log_warning(&p->log,
                "the last decision is %" PRId64 " s ahead of the database's clock: until it has "
                "caught up the time of this partition stands still, so holds last too long; if the "
                "clock is right now, run `usher-worker partition reset-clock --partition %" PRId32
                "`",
                ahead_ms / 1000, p->settings.partition);
}

/*
 * The log was assigned at the database's position of some seconds ago, and was read on since: the
 * database may have less by now. Lower positions do no harm, because decided records are dropped.
 */
static enum usher_status seek_back(struct partition *p, struct usher_error *err)
{
    const struct log_port *log = &p->ports.log;
    int64_t wanted = partition_taken_until(p), from = log->position(log->self);
    p->joins = true;
    if (from <= wanted)
        return USHER_OK;
    log_info(&p->log, "continuing at offset %" PRId64 ", not %" PRId64, wanted, from);
    return log->seek(log->self, wanted, err);
}

/* But for the rows in memory. */
static void drop_uncommitted(struct partition *p)
{
    pipeline_abandon(&p->pipeline);
    partition_release_memory(p);
    replay_buffer_rewind(&p->replay);
    p->log_ms = 0;
}

enum usher_status takeover_acquire(struct partition *p, struct usher_error *err)
{
    struct position position = {0};
    assert(p->stage == STAGE_ACQUIRE);
    /* Memory is never ahead of the database: everything not known to be committed is dropped. */
    drop_uncommitted(p);
    inventory_destroy(p->inventory);
    p->inventory = NULL;
    enum usher_status status =
        p->ports.record.acquire(p->ports.record.self, p->position.epoch, &position, err);
    if (status == USHER_HALT)
        p->position.epoch = position.epoch; /* it is ours, and can be halted */
    if (status != USHER_OK)
        return status;
    bool lost = has_lost_commits(p, &position);
    p->recorded_seq = position.published_seq;
    /* A producer that is still good knows more than the database does. */
    if (p->outbox_open && p->position.published_seq > position.published_seq) {
        position.published_seq = p->position.published_seq;
        position.published_offset = p->position.published_offset;
    }
    p->position = position;
    metrics_add(&p->ports.metrics->usher_partition_acquisitions_total, 1);
    metrics_set(&p->ports.metrics->usher_holds_open, position.holds);
    metrics_set(&p->ports.metrics->usher_parties_waiting, position.parties);
    p->clock_offset_ms = position.clock_offset_ms;
    partition_read_clock(p); /* it has another meaning now */
    p->committed = position;
    p->acquired_seq = position.next_seq - 1;
    p->inventory = inventory_create(p->settings.partition, &p->settings.limits, position.last_pool);
    cache_sync_acquired(&p->cache_sync, p->inventory, position.epoch, position.next_seq - 1);
    /* Records that were committed after all are released. The others are fed again. */
    partition_release(p, position.next_offset);
    assert(p->replay.next == p->replay.first && pipeline_is_empty(&p->pipeline));
    p->log = log_context_with(NULL, "partition=%" PRId32 " epoch=%" PRId32, p->settings.partition,
                              position.epoch);
    if (position.next_offset < 0)
        log_info(&p->log, "acquired the partition, which has decided nothing yet");
    else
        log_info(&p->log, "acquired the partition at offset %" PRId64 ", seq %" PRId64,
                 position.next_offset, position.next_seq);
    warn_of_clock(p);
    if (lost)
        return HALT(err,
                    "the database ends before seq %" PRId64 ", offset %" PRId64
                    ", but had committed more: the database lost commits",
                    position.next_seq, position.next_offset);
    return seek_back(p, err);
}

/* ---- rewind ---- */

enum usher_status takeover_rewind(struct partition *p, struct usher_error *err)
{
    struct position *position = &p->position;
    const struct position *committed = &p->committed;
    enum usher_status status = p->ports.record.rewind(p->ports.record.self, err);
    if (status != USHER_OK)
        return status;
    drop_uncommitted(p);
    inventory_empty(&p->inventory);
    position->next_offset = committed->next_offset;
    position->next_seq = committed->next_seq;
    position->fingerprint_offset = committed->fingerprint_offset;
    position->fingerprint = committed->fingerprint;
    position->holds = committed->holds;
    position->parties = committed->parties;
    cache_sync_rewound(&p->cache_sync, p->inventory, position->next_seq - 1);
    assert(p->handed_seq == position->next_seq - 1);
    return USHER_OK;
}

/* ---- verify ---- */

/* Looks the same to all who start with it. */
#define OTHER_INSTALLATION \
    "USHER_TOPIC_PREFIX or USHER_KAFKA_BROKERS is that of another installation"

static enum usher_status verify_bounds(struct partition *p, int64_t *start, struct usher_error *err)
{
    int64_t end;
    int64_t next = p->position.next_offset;
    enum usher_status status = p->ports.log.bounds(p->ports.log.self, start, &end, err);
    if (status != USHER_OK || next == OFFSET_NONE)
        return status;
    if (next > end)
        return HALT(err,
                    "the request log ends at offset %" PRId64 " but was consumed up to %" PRId64
                    ": the topic was recreated or lost records, or " OTHER_INSTALLATION,
                    end, next);
    if (next < *start)
        return HALT(err,
                    "the request log begins at offset %" PRId64
                    " but is consumed only up to %" PRId64
                    ": requests were deleted before they were decided",
                    *start, next);
    return USHER_OK;
}

/* The last consumed record must still be the one that was consumed, or deleted by retention. */
static enum usher_status verify_fingerprint(struct partition *p, int64_t start,
                                            struct usher_error *err)
{
    const struct log_port *log = &p->ports.log;
    int64_t fingerprint = 0;
    int64_t offset = p->position.fingerprint_offset;
    enum usher_status status = USHER_OK, bounds = USHER_OK;
    if (offset == OFFSET_NONE)
        return USHER_OK;
    if (offset >= start)
        status = log->read_fingerprint(log->self, offset, &fingerprint, err);
    if (status == USHER_REJECT) /* it may have been deleted since the bounds were read */
        bounds = verify_bounds(p, &start, err);
    if (bounds != USHER_OK)
        return bounds;
    if (offset < start) {
        log_info(&p->log, "the last consumed record was deleted by retention, accepted");
        return USHER_OK;
    }
    if (status == USHER_REJECT)
        return HALT(err,
                    "the request at offset %" PRId64
                    ", the last one that was consumed (next offset "
                    "%" PRId64 "), is gone, though the log begins at %" PRId64
                    ": the topic was compacted or recreated, or " OTHER_INSTALLATION,
                    offset, p->position.next_offset, start);
    if (status == USHER_OK && fingerprint != p->position.fingerprint)
        return HALT(err,
                    "the request at offset %" PRId64
                    " is not the one that was consumed (next offset "
                    "%" PRId64 "): the topic was recreated, or " OTHER_INSTALLATION,
                    offset, p->position.next_offset);
    return status;
}

/* The result log must not know more than the database. A consumer of it stands at handed_seq. */
static enum usher_status verify_results(struct partition *p, struct usher_error *err)
{
    int64_t last_seq;
    int64_t last_offset;
    int64_t highest;
    assert(!p->outbox_open);
    enum usher_status status = p->ports.outbox.scan(p->ports.outbox.self, &p->position, &last_seq,
                                                    &last_offset, &highest, err);
    if (status != USHER_OK)
        return status;
    if (highest >= p->position.next_seq)
        return HALT(err,
                    "the result log holds seq %" PRId64 " but the database ends before %" PRId64
                    ": the database lost commits",
                    highest, p->position.next_seq);
    p->handed_seq = last_seq;
    return USHER_OK;
}

enum usher_status takeover_verify(struct partition *p, struct usher_error *err)
{
    int64_t start = 0;
    enum usher_status status = USHER_OK;
    assert(p->stage == STAGE_VERIFY && p->inventory);
    if (!p->verified)
        status = p->ports.log.check_policy(p->ports.log.self, err);
    if (status == USHER_OK && !p->verified)
        status = verify_bounds(p, &start, err);
    if (status == USHER_OK && !p->verified)
        status = verify_fingerprint(p, start, err);
    if (status == USHER_OK && !p->outbox_open)
        status = verify_results(p, err);
    if (status == USHER_OK)
        p->verified = true;
    return status;
}

/* ---- catch up ---- */

/* Hands over the answers that have gathered, then waits until another page fits. */
static enum usher_status await_room(struct partition *p,
                                    enum usher_status (*serve)(struct partition *,
                                                               struct usher_error *),
                                    struct usher_error *err)
{
    partition_read_clock(p); /* there may be many pages, and the watchdog is to see each */
    enum usher_status status = serve(p, err);
    while (status == USHER_OK && !p->ports.outbox.has_room(p->ports.outbox.self)) {
        if (p->stopping)
            return USHER_RETRY;
        partition_sleep(p, OUTBOX_WAIT_MS);
        status = serve(p, err);
    }
    return status;
}

/* A consumer accepts nothing but the next seq, so nothing may be published behind a gap. */
static enum usher_status halt_at_gap(const struct partition *p, struct usher_error *err)
{
    return HALT(err,
                "the decision after seq %" PRId64 " is missing, next seq is %" PRId64
                ": the database lost rows before they were published",
                p->handed_seq, p->position.next_seq);
}

/*
 * A successor, which has acquired the partition since, decides from next_seq on: this worker may
 * have stood still for longer than its session.
 */
static enum usher_status check_ours(const struct partition *p, int64_t seq, struct usher_error *err)
{
    const struct record_port *record = &p->ports.record;
    if (seq < p->position.next_seq)
        return USHER_OK;
    enum usher_status status = record->check_epoch(record->self, p->position.epoch, err);
    if (status != USHER_OK)
        return status;
    return HALT(err,
                "the database holds seq %" PRId64 ", but the partition is decided only up to seq "
                "%" PRId64 ": its rows were changed by somebody else",
                seq, p->position.next_seq - 1);
}

static enum usher_status publish_page(struct partition *p, uint32_t *count, struct usher_error *err)
{
    struct decision_row *rows;
    const struct outbox_port *outbox = &p->ports.outbox;
    usher_arena_reset(&p->scratch);
    enum usher_status status = p->ports.record.decisions(
        p->ports.record.self, p->handed_seq, PUBLISH_ROWS, &p->scratch, &rows, count, err);
    if (status == USHER_OK)
        status = await_room(p, partition_serve_outbox, err);
    for (uint32_t i = 0; status == USHER_OK && i < *count; i++) {
        status = check_ours(p, rows[i].seq, err);
        if (status != USHER_OK)
            return status;
        if (rows[i].seq != p->handed_seq + 1)
            return halt_at_gap(p, err);
        status = outbox->publish(outbox->self, &rows[i], err);
        p->handed_seq = rows[i].seq;
    }
    return status;
}

/* From the published position on: it has passed a seq only when its dead letter was out, too. */
static enum usher_status publish_dead_letters(struct partition *p, int64_t after_seq,
                                              struct usher_error *err)
{
    struct dead_letter_row *rows;
    enum usher_status status;
    uint32_t count;
    do {
        count = 0;
        usher_arena_reset(&p->scratch);
        status = await_room(p, partition_serve_reports, err);
        if (status == USHER_OK) {
            status = p->ports.record.dead_letters(p->ports.record.self, after_seq, PUBLISH_ROWS,
                                                  &p->scratch, &rows, &count, err);
        }
        for (uint32_t i = 0; status == USHER_OK && i < count; i++) {
            status = check_ours(p, rows[i].seq, err);
            if (status == USHER_OK)
                status = p->ports.outbox.dead_letter(p->ports.outbox.self, &rows[i], err);
            after_seq = rows[i].seq;
        }
    } while (status == USHER_OK && count > 0); /* a page is limited in bytes, too */
    return status;
}

/*
 * With a producer that is still good, there is something to publish only if a commit of unknown
 * fate succeeded. After a failure of the producer a new one is made.
 */
enum usher_status takeover_catch_up(struct partition *p, struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    assert(p->stage == STAGE_CATCH_UP && p->verified);
    assert(p->handed_seq < p->position.next_seq); /* or the database has lost commits */
    int64_t dead_after = p->outbox_open ? p->handed_seq : p->position.published_seq;
    if (!p->outbox_open)
        status = p->ports.outbox.open(p->ports.outbox.self, err);
    if (status != USHER_OK)
        return status;
    int64_t from = p->handed_seq;
    status = publish_dead_letters(p, dead_after, err);
    while (status == USHER_OK && p->handed_seq < p->position.next_seq - 1) {
        uint32_t count = 0;
        status = publish_page(p, &count, err);
        if (status == USHER_OK && count == 0)
            return halt_at_gap(p, err);
    }
    p->outbox_open = status == USHER_OK;
    if (status == USHER_OK && p->handed_seq > from)
        log_info(&p->log, "published %" PRId64 " answers recorded earlier", p->handed_seq - from);
    /* The owner before may not have come to it, and there may be no further request for long. */
    if (status == USHER_OK && p->committed.next_offset != OFFSET_NONE)
        p->ports.log.acknowledge(p->ports.log.self, p->committed.next_offset);
    /* Else requests would be passed over in silence. */
    assert(p->ports.log.position(p->ports.log.self) <= partition_taken_until(p));
    return status;
}

/* ---- the first record ---- */

/*
 * Offsets without a record explain a gap. A record does not. The log finds out later why there is
 * none, here and behind it.
 */
enum usher_status takeover_verify_joint(struct partition *p, int64_t until, struct usher_error *err)
{
    int64_t from = partition_taken_until(p);
    int64_t first = until;
    assert(from <= until);
    enum usher_status status = USHER_OK;
    if (p->joins && from < until && until > 0)
        status = p->ports.log.first_record(p->ports.log.self, from, until, &first, err);
    if (status != USHER_OK)
        return status;
    if (first < until)
        return HALT(err,
                    "the request at offset %" PRId64 " was passed over: the log was read from "
                    "offset %" PRId64 " on, but is decided only up to %" PRId64,
                    first, until, from == OFFSET_NONE ? 0 : from);
    p->joins = false;
    return USHER_OK;
}
