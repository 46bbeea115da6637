/*
 * What a batch is filled with: the records at hand, what falls due, and work that outlasts a batch;
 * as much as it has room for.
 */
#include "worker/partition/fill.h"

#include "producer/base/clock.h"
#include "worker/base/fingerprint.h"
#include "worker/observe/metrics.h"
#include "worker/partition/partition_state.h"
#include "worker/rules/prefetch.h"

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

static struct batch *begin(struct allocator *a)
{
    bool is_new = !a->flight.filling;
    struct batch *batch = flight_filling(&a->flight);
    if (!is_new)
        return batch;
    flight_filling_times(&a->flight)->opened_us = clock_us();
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
static bool is_grown(struct allocator *a, const struct batch *batch)
{
    int64_t age_us = clock_us() - flight_filling_times(&a->flight)->opened_us;
    return batch->bytes >= BATCH_BYTES_MAX ||
           (batch->decision_count > 0 && age_us > BATCH_AGE_MAX_MS * 1000);
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

/* The batch being filled; NULL: the next has yet to be opened. */
static const struct batch *at_hand(struct allocator *a)
{
    return a->flight.filling ? flight_filling(&a->flight) : NULL;
}

/* Whether anything may be added to the batch at hand, whatever it is. */
static bool is_open(struct allocator *a)
{
    const struct batch *batch = at_hand(a);
    a->waits_for_quiet = a->waits_for_quiet && !is_quiet(a);
    return !a->waits_for_quiet && !a->flight.full && !flight_redraws(&a->flight) &&
           a->ports.outbox.has_room(a->ports.outbox.self) && !(batch && is_grown(a, batch));
}

uint32_t fill_room(struct allocator *a)
{
    const struct batch *batch = at_hand(a);
    if (!is_open(a))
        return 0;
    if (cautious(a))
        return a->flight.begun == 0 && !(batch && batch->decision_count > 0) ? 1 : 0;
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

/* Everything that falls due before the last of the records comes before it. */
static int64_t last_instant(const struct allocator *a, const struct log_record *records,
                            uint32_t count)
{
    int64_t last_ms = a->log_ms;
    for (uint32_t i = 0; i < count; i++)
        if (records[i].appended_ms > last_ms)
            last_ms = records[i].appended_ms;
    return last_ms;
}

/* Decides them in their order, as far as the batch has room for what comes before each. */
static uint32_t decide_portion(struct allocator *a, struct batch *batch, const struct input *inputs,
                               uint32_t count)
{
    uint32_t done = 0;
    while (done < count && batch->bytes < BATCH_BYTES_MAX && decide_one(a, batch, &inputs[done]))
        done++;
    if (done > 0)
        sign(batch, inputs[done - 1].record);
    kept_decided(&a->kept, done);
    return done;
}

enum usher_status fill_ready(struct allocator *a, struct usher_error *err)
{
    struct log_record *records;
    uint32_t room = fill_room(a);
    uint32_t count = kept_undecided(&a->kept, &records);
    count = count < room ? count : room;
    if (count == 0)
        return USHER_OK;
    struct batch *batch = begin(a);
    int64_t began_us = clock_us();
    count = fit(batch, records, count);
    struct input *inputs = decode(a, batch, records, count);
    count = before_quiet(a, inputs, count);
    enum usher_status status = USHER_OK;
    if (count > 0)
        status = load(a, batch, inputs, count, last_instant(a, records, count), err);
    if (status != USHER_OK)
        return status;
    uint32_t done = decide_portion(a, batch, inputs, count);
    flight_filling_times(&a->flight)->decide_us += clock_us() - began_us;
    if (batch->decision_count == 0)
        drop(a);
    else if (done < count) /* its turn is in the next: tried again and again, it would grow this */
        flight_close(&a->flight);
    return USHER_OK;
}

/* ---- expiry without requests ---- */

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

enum usher_status fill_idle(struct allocator *a, struct usher_error *err)
{
    if (!a->ports.outbox.has_room(a->ports.outbox.self) || !idle(a))
        return USHER_OK;
    /* What was appended before this was taken: the log's end was heard later (log_port.drained). */
    int64_t until_ms = allocator_now_ms(a) - IDLE_BEFORE_EXPIRY_MS;
    if (inventory_next_due_ms(a->inventory) > until_ms)
        return USHER_OK;
    struct batch *batch = begin(a);
    enum usher_status status = load(a, batch, NULL, 0, until_ms, err);
    if (status == USHER_OK)
        (void)expire(a, batch, until_ms);
    /* What looked due was not: kept, the batch would give a later request the time of now. */
    if (status == USHER_OK && batch->decision_count == 0)
        drop(a);
    return status;
}

/* ---- work that outlasts a batch ---- */

/* A batch that is full of requests has room for it all the same: else it would wait for the end of
 * a rush. */
static bool may_work(struct allocator *a)
{
    const struct batch *batch = at_hand(a);
    return inventory_has_work(a->inventory) && !cautious(a) && is_open(a) &&
           (batch == NULL || room_for_unasked(a, batch) > 0);
}

enum usher_status fill_work(struct allocator *a, struct usher_error *err)
{
    a->worked = false;
    if (!may_work(a))
        return USHER_OK;
    struct batch *batch = begin(a);
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
