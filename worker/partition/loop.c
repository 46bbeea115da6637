/*
 * The loop of one partition while it is owned: named steps, in the order that the protocol needs.
 * What cannot go on returns its status, and the partition is taken over anew.
 */
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "producer/base/clock.h"
#include "worker/partition/commit.h"
#include "worker/partition/fill.h"
#include "worker/partition/partition_state.h"

/* ---- take ---- */

/* How many records may be taken, and where they go. */
static uint32_t take_room(struct allocator *a, struct log_record **at)
{
    return a->kept.bytes < KEPT_BYTES_MAX ? kept_room(&a->kept, at) : 0;
}

/* Records below next_offset were decided by an earlier owner: a start is only a lower bound. */
static uint32_t drop_decided(struct allocator *a, struct log_record *records, uint32_t count)
{
    uint32_t old = 0;
    while (old < count && records[old].offset < a->position.next_offset)
        old++;
    if (old > 0) {
        a->ports.log.release(a->ports.log.self, records, old);
        memmove(records, records + old, (count - old) * sizeof *records);
    }
    return count - old;
}

static enum usher_status take(struct allocator *a, struct usher_error *err)
{
    struct log_record *at;
    uint32_t room = take_room(a, &at);
    uint32_t count = room > 0 ? a->ports.log.take(a->ports.log.self, at, room) : 0;
    a->more = room > 0 && count == room;
    if (count == 0)
        return a->ports.log.health(a->ports.log.self, err);
    a->idle_since_ms = 0;
    kept_add(&a->kept, drop_decided(a, at, count));
    return USHER_OK;
}

/* ---- show ---- */

static void beat(struct allocator *a)
{
    int64_t now = clock_ms();
    if (now < a->next_beat_ms)
        return;
    a->next_beat_ms = now + BEAT_INTERVAL_MS;
    allocator_publish_view(a);
    struct cache_beat beat = {
        .partition = a->settings.partition,
        .epoch = a->position.epoch,
        .next_offset = a->committed_offset,
        .lag = a->view.lag,
        .last_decided_ms = a->last_decided_ms,
    };
    a->ports.cache.beat(a->ports.cache.self, &beat);
}

static void show(struct allocator *a)
{
    struct display_update *update;
    uint64_t generation = a->ports.cache.generation(a->ports.cache.self);
    int64_t now = allocator_clock_ms(a);
    while ((update = display_next(a->display, generation, now))) {
        if (!a->ports.cache.put(a->ports.cache.self, update)) {
            display_put_back(a->display, update);
            break;
        }
    }
    beat(a);
}

/* ---- wait ---- */

static void empty_descriptor(int descriptor)
{
    char bytes[256];
    while (read(descriptor, bytes, sizeof bytes) == (ssize_t)sizeof bytes)
        continue;
}

static int sleep_ms(struct allocator *a)
{
    struct log_record *at;
    if (a->more && a->flight.begun == 0)
        return 0;
    if (!a->stopping && kept_undecided(&a->kept, &at) > 0 && fill_room(a) > 0)
        return 0;
    if (inventory_has_work(a->inventory) && a->flight.begun == 0)
        return a->worked ? 0 : WORK_WAIT_MS;
    int64_t wait = display_wait_ms(a->display, allocator_clock_ms(a));
    return wait < 0 || wait > TURN_WAIT_MS ? TURN_WAIT_MS : (int)wait;
}

/* -1: nobody takes from it, being left or having no room; what is there would only wake us. */
static int log_descriptor(struct allocator *a)
{
    struct log_record *at;
    return a->stopping || take_room(a, &at) == 0 ? -1 : a->ports.log.descriptor(a->ports.log.self);
}

static int record_descriptor(struct allocator *a)
{
    return a->flight.begun > 0 ? a->ports.record.descriptor(a->ports.record.self) : -1;
}

/* Where news come from; those of the log and the outbox are read empty here. */
enum source {
    FROM_STOP,
    FROM_LOG,
    FROM_OUTBOX,
    FROM_RECORD,
};

static void wait_for_news(struct allocator *a)
{
    struct pollfd sources[] = {
        [FROM_STOP] = {.fd = a->wake_descriptor, .events = POLLIN},
        [FROM_LOG] = {.fd = log_descriptor(a), .events = POLLIN},
        [FROM_OUTBOX] = {.fd = a->ports.outbox.descriptor(a->ports.outbox.self), .events = POLLIN},
        [FROM_RECORD] = {.fd = record_descriptor(a), .events = POLLIN},
    };
    int wait_ms = sleep_ms(a);
    int ready = wait_ms > 0 ? poll(sources, sizeof sources / sizeof *sources, wait_ms) : 0;
    for (int i = FROM_LOG; ready > 0 && i <= FROM_OUTBOX; i++)
        if (sources[i].revents != 0)
            empty_descriptor(sources[i].fd);
    allocator_moved(a);
}

/* ---- the loop ---- */

static enum usher_status (*const steps[])(struct allocator *, struct usher_error *) = {
    commit_finish, /* first: what is committed makes room, and its answers are waited for */
    commit_report, /* the published position goes along with the next batch */
    take,          /* while a batch is in flight, the next one is taken … */
    fill_ready,    /* … and decided */
    fill_work,     /* what is left of earlier batches, as far as there is room */
    fill_idle,     /* only where there was nothing to decide */
    commit_begin,  /* once the one before is known, or it is due: a batch grows meanwhile */
};

static enum usher_status turn(struct allocator *a, struct usher_error *err)
{
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        enum usher_status status = steps[i](a, err);
        if (status != USHER_OK)
            return status;
    }
    show(a);
    return USHER_OK;
}

enum usher_status active_run(struct allocator *a, struct usher_error *err)
{
    while (!a->stopping) {
        enum usher_status status = turn(a, err);
        if (status != USHER_OK)
            return status;
        wait_for_news(a);
    }
    return USHER_OK;
}

/* ---- leaving ---- */

static bool is_drained(struct allocator *a)
{
    return a->flight.begun == 0 && !a->flight.filling &&
           a->ports.outbox.pending(a->ports.outbox.self) == 0;
}

/* Changes that still rest: without them Redis would stay behind until a new owner looks it over. */
static void show_last(struct allocator *a)
{
    int64_t until_ms = clock_ms() + SHOW_LAST_MS;
    display_hasten(a->display);
    show(a);
    while (clock_ms() < until_ms && display_wait_ms(a->display, allocator_clock_ms(a)) >= 0) {
        wait_for_news(a);
        show(a);
    }
}

/* Abandoning is safe: what was not committed is decided by the next owner. */
enum usher_status active_drain(struct allocator *a, struct usher_error *err)
{
    empty_descriptor(a->wake_descriptor);
    a->more = a->worked = false;
    while (clock_ms() < a->stop_ms && !is_drained(a)) {
        enum usher_status status = commit_finish(a, err);
        if (status == USHER_OK)
            status = commit_report(a, err);
        if (status == USHER_OK)
            status = commit_begin(a, err);
        if (status != USHER_OK)
            return status;
        show(a);
        if (!is_drained(a))
            wait_for_news(a);
    }
    if (clock_ms() < a->stop_ms)
        show_last(a);
    return USHER_OK;
}
