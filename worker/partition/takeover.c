/*
 * How an allocator comes to own its partition, and to own it again after anything failed: acquire,
 * verify, catch up. Each function is one try.
 */
#include <inttypes.h>

#include "producer/base/clock.h"
#include "worker/partition/partition_state.h"

/* What a person must look at: err, then HALT. */
#define HALT(err, ...) (usher_error_set(err, USHER_EXIT_CONFIG, __VA_ARGS__), USHER_HALT)

/* ---- acquire ---- */

/* Memory is never ahead of the database: what was decided and not known to be committed goes. */
static void forget(struct allocator *a)
{
    flight_abandon(&a->flight);
    inventory_destroy(a->inventory);
    a->inventory = NULL;
    kept_rewind(&a->kept);
}

/*
 * The kept records that were committed after all are released; the others are fed again, each at
 * the log's time that it was appended at: a confirm that was in time still is.
 */
static void feed_again(struct allocator *a)
{
    allocator_release(a, a->position.next_offset);
    a->log_ms = a->kept.log_ms;
}

/*
 * Whether the database has less than this very allocator knows to be committed: it was restored, or
 * is a standby that lagged. What the result log says of it is asked only of a new producer.
 */
static bool has_lost_commits(const struct allocator *a, const struct position *found)
{
    return a->position.epoch != 0 &&
           (found->next_offset < a->committed_offset || found->next_seq <= a->handed_seq);
}

enum usher_status takeover_acquire(struct allocator *a, struct usher_error *err)
{
    struct position position;
    forget(a);
    enum usher_status status =
        a->ports.record.acquire(a->ports.record.self, a->position.epoch, &position, err);
    if (status != USHER_OK)
        return status;
    bool lost = has_lost_commits(a, &position);
    /* A producer that is still good knows more than the database does. */
    if (a->outbox_open && a->position.published_seq > position.published_seq) {
        position.published_seq = a->position.published_seq;
        position.published_offset = a->position.published_offset;
    }
    a->position = position;
    a->clock_offset_ms = position.clock_ms - clock_ms();
    a->committed_offset = position.next_offset;
    a->inventory = inventory_create(a->settings.partition, &a->settings.limits, position.last_pool);
    display_reset(a->display, position.epoch);
    feed_again(a);
    a->log = log_context_with(NULL, "partition=%" PRId32 " epoch=%" PRId32, a->settings.partition,
                              position.epoch);
    log_info(&a->log, "acquired the partition at offset %" PRId64 ", seq %" PRId64,
             position.next_offset, position.next_seq);
    if (lost)
        return HALT(err,
                    "the database ends before seq %" PRId64 ", offset %" PRId64
                    ", but had committed more: the database lost commits",
                    position.next_seq, position.next_offset);
    return USHER_OK;
}

/* ---- verify ---- */

static enum usher_status verify_bounds(struct allocator *a, int64_t *start, struct usher_error *err)
{
    int64_t end;
    int64_t next = a->position.next_offset;
    enum usher_status status = a->ports.log.bounds(a->ports.log.self, start, &end, err);
    if (status != USHER_OK || next == OFFSET_NONE)
        return status;
    if (next > end)
        return HALT(err,
                    "the request log ends at offset %" PRId64 " but was consumed up to %" PRId64
                    ": the topic was made anew or lost records",
                    end, next);
    if (next < *start)
        return HALT(err,
                    "the request log begins at offset %" PRId64
                    " but is consumed only up to %" PRId64
                    ": requests were deleted before they were decided",
                    *start, next);
    return USHER_OK;
}

/* The last consumed record must still be the one that was consumed. */
static enum usher_status verify_fingerprint(struct allocator *a, int64_t start,
                                            struct usher_error *err)
{
    int64_t fingerprint = 0;
    int64_t appended_ms = 0;
    int64_t offset = a->position.fingerprint_offset;
    if (offset == OFFSET_NONE)
        return USHER_OK;
    if (offset < start) {
        log_info(&a->log, "the last consumed record was deleted by retention, accepted");
        return USHER_OK;
    }
    enum usher_status status =
        a->ports.log.read_fingerprint(a->ports.log.self, offset, &fingerprint, &appended_ms, err);
    if (status == USHER_REJECT || (status == USHER_OK && fingerprint != a->position.fingerprint))
        return HALT(err,
                    "the request at offset %" PRId64
                    " is not the one that was consumed (next offset "
                    "%" PRId64 "): the topic was made anew",
                    offset, a->position.next_offset);
    if (status == USHER_OK)
        kept_came_before(&a->kept, appended_ms);
    a->log_ms = a->kept.log_ms;
    return status;
}

static enum usher_status verify_log(struct allocator *a, struct usher_error *err)
{
    int64_t start = 0;
    enum usher_status status = verify_bounds(a, &start, err);
    return status == USHER_OK ? verify_fingerprint(a, start, err) : status;
}

/* Where an accept-only-next consumer of the result log stands, and that it knows no more than we.
 */
static enum usher_status verify_results(struct allocator *a, struct usher_error *err)
{
    int64_t last_seq;
    int64_t last_offset;
    int64_t highest;
    enum usher_status status = a->ports.outbox.scan(a->ports.outbox.self, &a->position, &last_seq,
                                                    &last_offset, &highest, err);
    if (status != USHER_OK)
        return status;
    if (highest >= a->position.next_seq)
        return HALT(err,
                    "the result log holds seq %" PRId64 " but the database ends before %" PRId64
                    ": the database lost commits",
                    highest, a->position.next_seq);
    a->handed_seq = last_seq;
    return USHER_OK;
}

enum usher_status takeover_verify(struct allocator *a, struct usher_error *err)
{
    enum usher_status status = a->verified ? USHER_OK : verify_log(a, err);
    if (status == USHER_OK && !a->outbox_open)
        status = verify_results(a, err);
    if (status == USHER_OK)
        a->verified = true;
    return status;
}

/* ---- catch up ---- */

/* Hands over what gathered, whatever becomes of the next page, and waits until that has room. */
static enum usher_status await_room(struct allocator *a,
                                    enum usher_status (*serve)(struct allocator *,
                                                               struct usher_error *),
                                    struct usher_error *err)
{
    enum usher_status status = serve(a, err);
    while (status == USHER_OK && !a->ports.outbox.has_room(a->ports.outbox.self)) {
        if (a->stopping)
            return USHER_RETRY;
        allocator_wait(a);
        status = serve(a, err);
    }
    return status;
}

static enum usher_status publish_page(struct allocator *a, uint32_t *count, struct usher_error *err)
{
    struct decision_row *rows;
    const struct outbox_port *outbox = &a->ports.outbox;
    usher_arena_reset(&a->scratch);
    enum usher_status status = a->ports.record.decisions(
        a->ports.record.self, a->handed_seq, PUBLISH_ROWS, &a->scratch, &rows, count, err);
    if (status == USHER_OK)
        status = await_room(a, allocator_serve_outbox, err);
    for (uint32_t i = 0; status == USHER_OK && i < *count; i++) {
        status = outbox->publish(outbox->self, &rows[i], err);
        a->handed_seq = rows[i].seq;
    }
    return status;
}

/* From the published position on: it has passed a seq only when its dead letter was out, too. */
static enum usher_status publish_dead_letters(struct allocator *a, int64_t after_seq,
                                              struct usher_error *err)
{
    struct dead_letter_row *rows;
    enum usher_status status;
    uint32_t count;
    do {
        count = 0;
        usher_arena_reset(&a->scratch);
        status = await_room(a, allocator_serve_reports, err);
        if (status == USHER_OK) {
            status = a->ports.record.dead_letters(a->ports.record.self, after_seq, PUBLISH_ROWS,
                                                  &a->scratch, &rows, &count, err);
        }
        for (uint32_t i = 0; status == USHER_OK && i < count; i++) {
            status = a->ports.outbox.dead_letter(a->ports.outbox.self, &rows[i], err);
            after_seq = rows[i].seq;
        }
    } while (status == USHER_OK && count > 0); /* a page ends by its bytes, too */
    return status;
}

/*
 * Publishes what is committed and not in the result log. With a producer that is still good this
 * is what a commit of unknown fate left behind, if it succeeded; after any failure a new one is
 * made.
 */
enum usher_status takeover_catch_up(struct allocator *a, struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    int64_t dead_after = a->outbox_open ? a->handed_seq : a->position.published_seq;
    if (!a->outbox_open)
        status = a->ports.outbox.open(a->ports.outbox.self, err);
    if (status != USHER_OK)
        return status;
    int64_t from = a->handed_seq;
    status = publish_dead_letters(a, dead_after, err);
    while (status == USHER_OK && a->handed_seq < a->position.next_seq - 1) {
        uint32_t count = 0;
        status = publish_page(a, &count, err);
        if (status == USHER_OK && count == 0)
            return HALT(err,
                        "the decision after seq %" PRId64 " is missing, next seq is %" PRId64
                        ": the database lost rows",
                        a->handed_seq, a->position.next_seq);
    }
    a->outbox_open = status == USHER_OK;
    if (status == USHER_OK && a->handed_seq > from)
        log_info(&a->log, "published %" PRId64 " answers that were recorded before",
                 a->handed_seq - from);
    return status;
}
