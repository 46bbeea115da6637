/*
 * The loop of one partition while it is owned: named steps, in the order that the protocol needs.
 * What cannot go on returns its status, and the partition is taken over anew.
 */
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "allocator_state.h"
#include "clock.h"
#include "commit.h"
#include "fingerprint.h"
#include "metrics.h"
#include "needs.h"

static struct rules rules_of(const struct allocator *a)
{
    return (struct rules){
        .hold_ttl_s = a->settings.hold_ttl_s,
        .hold_ttl_max_s = a->settings.hold_ttl_max_s,
        .partition = a->settings.partition,
        .partition_count = a->position.partition_count,
        .epoch = a->position.epoch,
    };
}

/* ---- take ---- */

static void empty_descriptor(int descriptor)
{
    char bytes[256];
    while (descriptor >= 0 && read(descriptor, bytes, sizeof bytes) == (ssize_t)sizeof bytes)
        continue;
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
    empty_descriptor(a->ports.log.descriptor(a->ports.log.self));
    uint32_t room = a->kept.bytes < KEPT_BYTES_MAX ? kept_room(&a->kept, &at) : 0;
    uint32_t count = room > 0 ? a->ports.log.take(a->ports.log.self, at, room) : 0;
    a->more = room > 0 && count == room;
    if (count == 0)
        return a->ports.log.health(a->ports.log.self, err);
    a->idle_since_ms = 0;
    kept_add(&a->kept, drop_decided(a, at, count));
    return USHER_OK;
}

/* ---- load ---- */

static enum usher_status ask(struct allocator *a, struct batch *batch,
                             const struct load_request *request, struct usher_error *err)
{
    struct load_result result = {0};
    enum usher_status status =
        a->ports.record.load(a->ports.record.self, request, &batch->arena, &result, err);
    if (status != USHER_OK)
        return status;
    status = inventory_load(a->inventory, request, &result, err);
    if (status != USHER_OK)
        return status;
    for (uint32_t i = 0; i < result.resource_count; i++)
        display_load(a->display, &result.resources[i]);
    return USHER_OK;
}

/*
 * Brings into memory what the inputs and the holds due need. Commits in flight are not looked at
 * meanwhile: what they touched is in memory, and the database still shows the past.
 */
static enum usher_status load(struct allocator *a, struct batch *batch, const struct input *inputs,
                              uint32_t count, int64_t until_ms, struct usher_error *err)
{
    struct usher_arena *arena = &batch->arena;
    struct load_request request;
    int64_t began_us = clock_us();
    enum usher_status status = USHER_OK;
    if (needs_gather(a->inventory, inputs, count, until_ms, arena, &request))
        status = ask(a, batch, &request, err);
    while (status == USHER_OK &&
           needs_resources(a->inventory, inputs, count, until_ms, arena, &request))
        status = ask(a, batch, &request, err);
    flight_filling_times(&a->flight)->load_us += clock_us() - began_us;
    return status;
}

/* Leaves a batch in which nothing was decided; what was loaded for it is asked for again. */
static void drop(struct allocator *a)
{
    inventory_forget_loaded(a->inventory);
    flight_drop(&a->flight);
}

/* ---- decide ---- */

static struct batch *fill(struct allocator *a)
{
    bool is_new = !a->flight.filling;
    struct batch *batch = flight_filling(&a->flight);
    if (!is_new)
        return batch;
    a->position.now_ms = allocator_now_ms(a);
    batch->partition = a->settings.partition;
    batch->epoch = a->position.epoch;
    batch->now_ms = a->position.now_ms;
    batch->expected_next_offset = batch->next_offset = a->position.next_offset;
    batch->expected_next_seq = batch->next_seq = a->position.next_seq;
    batch->fingerprint_offset = a->position.fingerprint_offset;
    batch->fingerprint = a->position.fingerprint;
    return batch;
}

static bool cautious(const struct allocator *a)
{
    return caution_applies(&a->caution, a->position.next_offset);
}

/* Large enough to commit in time, or so old that its `now` would be far behind that of more. */
static bool is_grown(const struct allocator *a, const struct batch *batch)
{
    return batch->bytes >= BATCH_BYTES_MAX ||
           (batch->decision_count > 0 && allocator_now_ms(a) - batch->now_ms > BATCH_AGE_MAX_MS);
}

/* Of the records, how many the batch has bytes for; at least one. */
static uint32_t fit(const struct batch *batch, const struct log_record *records, uint32_t count)
{
    uint32_t fitting = 0;
    size_t bytes = batch->bytes;
    while (fitting < count && (fitting == 0 || bytes < BATCH_BYTES_MAX))
        bytes += log_record_size(&records[fitting++]);
    return fitting;
}

/* Nothing is in flight, nor decided in the batch at hand. */
static bool is_quiet(const struct allocator *a)
{
    return a->flight.begun == 0 && !a->flight.filling;
}

/* How many records may be decided now; 0: wait for what is in flight. */
static uint32_t room_to_decide(struct allocator *a)
{
    a->waits_for_quiet = a->waits_for_quiet && !is_quiet(a);
    if (a->waits_for_quiet || a->flight.full || flight_redraws(&a->flight) ||
        !a->ports.outbox.has_room(a->ports.outbox.self))
        return 0;
    const struct batch *batch = a->flight.filling ? flight_filling(&a->flight) : NULL;
    if (cautious(a))
        return a->flight.begun == 0 && !(batch && batch->decision_count > 0) ? 1 : 0;
    if (batch && is_grown(a, batch))
        return 0;
    return a->settings.batch_limit - (batch ? batch->record_count : 0);
}

static struct input *decode(struct allocator *a, struct batch *batch,
                            const struct log_record *records, uint32_t count)
{
    const struct rules rules = rules_of(a);
    struct input *inputs = usher_arena_alloc(&batch->arena, count * sizeof *inputs);
    for (uint32_t i = 0; i < count; i++) {
        input_decode(&inputs[i], &records[i], &rules, &batch->arena);
        if (records[i].offset == a->caution.set_aside)
            input_set_aside(&inputs[i]);
    }
    return inputs;
}

/* How many more decisions that nobody asked for the batch has room for. */
static uint32_t room_for_unasked(const struct allocator *a, const struct batch *batch)
{
    uint32_t unasked = batch->decision_count - batch->record_count;
    uint32_t limit = cautious(a) ? 1 : EXPIRY_LIMIT;
    return unasked < limit && batch->bytes < BATCH_BYTES_MAX ? limit - unasked : 0;
}

/* Counts the answers of the last so many decisions. */
static void weigh(struct batch *batch, uint32_t count)
{
    for (uint32_t i = batch->decision_count - count; i < batch->decision_count; i++)
        batch->bytes += batch->decisions[i].body_size;
}

/* False: more holds are due than the batch has room for; they and the record come in the next. */
static bool expire(struct allocator *a, struct batch *batch, int64_t until_ms)
{
    const struct rules rules = rules_of(a);
    uint32_t room = room_for_unasked(a, batch);
    if (room > 0)
        weigh(batch, decide_expiries(a->inventory, &rules, until_ms, room, batch));
    return !inventory_due(a->inventory, until_ms) && !(cautious(a) && batch->decision_count > 0);
}

/* False: more parties are to be served before the record than the batch has room for. */
static bool serve_first(struct allocator *a, struct batch *batch, const struct input *input)
{
    const struct rules rules = rules_of(a);
    uint32_t before = batch->decision_count;
    bool served =
        decide_serve_first(a->inventory, &rules, input, room_for_unasked(a, batch), batch);
    weigh(batch, batch->decision_count - before);
    return served && !(cautious(a) && batch->decision_count > 0);
}

static bool decide_one(struct allocator *a, struct batch *batch, const struct input *input)
{
    const struct log_record *record = input->record;
    const struct rules rules = rules_of(a);
    const struct batches_in_flight in_flight = {flight_all(&a->flight), a->flight.begun};
    if (record->appended_ms > a->log_ms)
        a->log_ms = record->appended_ms;
    if (!expire(a, batch, a->log_ms) || !serve_first(a, batch, input))
        return false;
    decide(a->inventory, &rules, input, &in_flight, batch);
    batch->record_count++;
    batch->bytes += log_record_size(record) + batch->decisions[batch->decision_count - 1].body_size;
    batch->next_offset = record->offset + 1;
    batch->fingerprint_offset = record->offset;
    /* One that came after the batch was begun has not waited. */
    int64_t wait_ms = batch->now_ms - record->appended_ms;
    metrics_request_wait(a->ports.metrics, wait_ms > 0 ? wait_ms : 0);
    return true;
}

/* The fingerprint is of the last record of the portion: the others are never compared. */
static void sign(struct batch *batch, const struct log_record *last)
{
    batch->fingerprint =
        record_fingerprint(last->key, last->key_size, last->value, last->value_size);
}

/*
 * Of the inputs, how many may be decided now: those before one that wants all to be quiet. That one
 * comes first in a batch of its own, once nothing is in flight.
 */
static uint32_t before_quiet(struct allocator *a, const struct input *inputs, uint32_t count)
{
    bool quiet = a->flight.begun == 0 && flight_filling(&a->flight)->decision_count == 0;
    for (uint32_t i = quiet ? 1 : 0; i < count; i++) {
        if (!needs_quiet(a->inventory, &inputs[i], 1))
            continue;
        a->waits_for_quiet = i == 0;
        return i;
    }
    return count;
}

static enum usher_status decide_ready(struct allocator *a, struct usher_error *err)
{
    struct log_record *records;
    uint32_t room = room_to_decide(a);
    uint32_t count = kept_undecided(&a->kept, &records);
    count = count < room ? count : room;
    if (count == 0)
        return USHER_OK;
    struct batch *batch = fill(a);
    int64_t began_us = clock_us();
    count = fit(batch, records, count);
    struct input *inputs = decode(a, batch, records, count);
    count = before_quiet(a, inputs, count);
    if (count == 0) {
        if (batch->decision_count == 0)
            drop(a);
        return USHER_OK;
    }
    int64_t until_ms = a->log_ms;
    for (uint32_t i = 0; i < count; i++)
        if (records[i].appended_ms > until_ms)
            until_ms = records[i].appended_ms;
    enum usher_status status = load(a, batch, inputs, count, until_ms, err);
    if (status != USHER_OK)
        return status;
    uint32_t done = 0;
    while (done < count && batch->bytes < BATCH_BYTES_MAX && decide_one(a, batch, &inputs[done]))
        done++;
    if (done > 0)
        sign(batch, &records[done - 1]);
    kept_decided(&a->kept, done);
    flight_filling_times(&a->flight)->decide_us += clock_us() - began_us;
    /* Tried again and again until its turn comes, it would cost time and grow without end. */
    if (batch->decision_count == 0)
        drop(a);
    else if (done < count)
        flight_close(&a->flight);
    return USHER_OK;
}

/* ---- expiry without requests ---- */

/*
 * On a partition whose log was drained for a while nothing waits that could still confirm, so the
 * clock may expire what the log's time would.
 */
static bool idle(struct allocator *a)
{
    struct log_record *at;
    if (a->flight.begun > 0 || a->flight.filling || kept_undecided(&a->kept, &at) > 0)
        return false;
    if (inventory_next_due_ms(a->inventory) > allocator_now_ms(a))
        return false;
    if (!a->ports.log.drained(a->ports.log.self, a->position.next_offset)) {
        a->idle_since_ms = 0;
        return false;
    }
    int64_t now = clock_ms();
    if (a->idle_since_ms == 0)
        a->idle_since_ms = now;
    return now - a->idle_since_ms >= IDLE_BEFORE_EXPIRY_MS;
}

static enum usher_status expire_idle(struct allocator *a, struct usher_error *err)
{
    if (!a->ports.outbox.has_room(a->ports.outbox.self) || !idle(a))
        return USHER_OK;
    /* What was appended before this was taken: the log's end was heard later (log_port.drained). */
    int64_t until_ms = allocator_now_ms(a) - IDLE_BEFORE_EXPIRY_MS;
    if (inventory_next_due_ms(a->inventory) > until_ms)
        return USHER_OK;
    struct batch *batch = fill(a);
    enum usher_status status = load(a, batch, NULL, 0, until_ms, err);
    if (status == USHER_OK)
        (void)expire(a, batch, until_ms);
    /* What looked due was not: kept, the batch would give a later request the time of now. */
    if (status == USHER_OK && batch->decision_count == 0)
        drop(a);
    return status;
}

/* ---- work that outlasts a batch ---- */

static bool may_work(struct allocator *a)
{
    return inventory_has_work(a->inventory) && !cautious(a) && room_to_decide(a) > 0;
}

/* Waiting lists, and bookings of resources that are cancelled: so many a batch, after the requests.
 */
static enum usher_status work(struct allocator *a, struct usher_error *err)
{
    a->worked = false;
    if (!may_work(a))
        return USHER_OK;
    struct batch *batch = fill(a);
    enum usher_status status = load(a, batch, NULL, 0, a->log_ms, err);
    if (status == USHER_OK) {
        const struct rules rules = rules_of(a);
        uint32_t done = decide_work(a->inventory, &rules, room_for_unasked(a, batch), batch);
        weigh(batch, done);
        a->worked = done > 0;
    }
    if (status == USHER_OK && batch->decision_count == 0)
        drop(a);
    return status;
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
    int64_t now = allocator_now_ms(a);
    while ((update = display_next(a->display, generation, now))) {
        if (!a->ports.cache.put(a->ports.cache.self, update)) {
            display_put_back(a->display, update);
            break;
        }
    }
    beat(a);
}

/* ---- wait ---- */

static int sleep_ms(struct allocator *a)
{
    struct log_record *at;
    if (a->more && a->flight.begun == 0)
        return 0;
    if (!a->stopping && kept_undecided(&a->kept, &at) > 0 && room_to_decide(a) > 0)
        return 0;
    if (inventory_has_work(a->inventory) && a->flight.begun == 0)
        return a->worked ? 0 : WORK_WAIT_MS;
    int64_t wait = display_wait_ms(a->display, allocator_now_ms(a));
    return wait < 0 || wait > TURN_WAIT_MS ? TURN_WAIT_MS : (int)wait;
}

static void wait_for_news(struct allocator *a)
{
    int log = a->stopping ? -1 : a->ports.log.descriptor(a->ports.log.self);
    struct pollfd sources[] = {
        {.fd = a->wake_descriptor, .events = POLLIN},
        {.fd = log, .events = POLLIN}, /* nobody takes from it any more while it is left */
        {.fd = a->ports.outbox.descriptor(a->ports.outbox.self), .events = POLLIN},
        {.fd = a->flight.begun > 0 ? a->ports.record.descriptor(a->ports.record.self) : -1,
         .events = POLLIN},
    };
    int wait_ms = sleep_ms(a);
    if (wait_ms > 0)
        (void)poll(sources, sizeof sources / sizeof *sources, wait_ms);
    allocator_moved(a);
}

/* ---- the loop ---- */

static enum usher_status (*const steps[])(struct allocator *, struct usher_error *) = {
    commit_finish, /* first: what is committed makes room, and its answers are waited for */
    commit_report, /* the published position goes along with the next batch */
    take,          /* while a batch is in flight, the next one is taken … */
    decide_ready,  /* … and decided */
    work,          /* what is left of earlier batches, as far as there is room */
    expire_idle,   /* only where there was nothing to decide */
    commit_begin,  /* as soon as the one before is known: a batch grows while it waits */
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

/* Changes that rest until the next interval: without them Redis would stay a little behind. */
static void show_last(struct allocator *a)
{
    int64_t until_ms = clock_ms() + (int64_t)2 * DISPLAY_INTERVAL_MS;
    show(a);
    while (clock_ms() < until_ms && display_wait_ms(a->display, allocator_now_ms(a)) >= 0) {
        wait_for_news(a);
        show(a);
    }
}

/* Abandoning is safe: what was not committed is decided by the next owner. */
enum usher_status active_drain(struct allocator *a, struct usher_error *err)
{
    empty_descriptor(a->wake_descriptor);
    a->more = false;
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
