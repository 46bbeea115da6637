/*
 * Fills the open batch with decisions: about the records taken, about units and holds that fall
 * due, and work that outlasts a batch. Missing rows are loaded first.
 */
#include "worker/partition/fill.h"

#include <assert.h>

#include "worker/base/fingerprint.h"
#include "worker/inventory/inventory_load.h"
#include "worker/inventory/inventory_state.h"
#include "worker/inventory/work.h"
#include "worker/observe/metrics.h"
#include "worker/partition/memory_budget.h"
#include "worker/partition/partition_state.h"
#include "worker/partition/retention.h"
#include "worker/partition/takeover.h"
#include "worker/partition/trace.h"
#include "worker/rules/decide.h"
#include "worker/rules/prefetch.h"
#include "worker/rules/waiting.h"

/*
 * ==== Loading ====
 *
 * Loads the rows that a batch needs before it is decided. One load asks for no more than the
 * database serves within a bounded time, so that no request is too large to be decided.
 */

/* A load into the open batch: its request, and the rows that came. */
struct load {
    struct load_request request;
    struct load_result result;
};

/* All pages of it: a large resource has thousands, and the watchdog and a stop need not wait. */
static enum usher_status read_load(struct partition *p, struct batch *batch, struct load *load,
                                   struct usher_error *err)
{
    const struct record_port *record = &p->ports.record;
    enum usher_status status =
        record->load(record->self, &load->request, &batch->arena, &load->result, err);
    partition_read_clock(p); /* the database may have taken long */
    while (status == USHER_OK && load_has_more(&load->result) && !p->stopping) {
        status = record->load_more(record->self, &load->request, &batch->arena, &load->result, err);
        partition_read_clock(p); /* here, too */
    }
    if (status == USHER_OK && load_has_more(&load->result)) {
        usher_error_set(err, USHER_EXIT_UNAVAILABLE,
                        "could not load: the partition is being released");
        status = USHER_RETRY;
    }
    return status;
}

/* All rows in the database, and in memory, were decided before the next decision. */
static enum usher_status check_revs(const struct partition *p, const struct load_result *result,
                                    struct usher_error *err)
{
    for (uint32_t i = 0; i < result->resource_count; i++) {
        const struct resource_row *row = &result->resources[i].row;
        if (row->rev >= p->position.next_seq) {
            usher_error_set(err, USHER_EXIT_BUG,
                            "could not load resource \"%s\": its rev %lld is of no decision yet",
                            row->id, (long long)row->rev);
            return USHER_HALT;
        }
    }
    return USHER_OK;
}

static enum usher_status load_once(struct partition *p, struct batch *batch, struct load *load,
                                   struct usher_error *err)
{
    struct load_request *request = &load->request;
    struct load_result *result = &load->result;
    request->halvings = p->portion.halvings;
    int64_t began_us = p->turn.us;
    enum usher_status status = read_load(p, batch, load, err);
    trace_load(p, request, result, p->turn.us - began_us, status != USHER_OK);
    if (status != USHER_OK)
        return status;
    retention_make_room(p, result);
    status = check_revs(p, result, err);
    return status == USHER_OK ? inventory_load(p->inventory, request, result, err) : status;
}

/* Whether more is asked for in a second round than a load could serve at once. */
static bool left_some(const struct load *load)
{
    return load->result.resources_served < load->request.resource_no_count ||
           load->result.tallies_served < load->request.tally_count;
}

/*
 * Loads the rows that follow from the first round: resources with due holds or work left, then
 * their customers. Rows that a load leaves come with the next batch, but for the customers of
 * resources that did come: without them nothing could be decided.
 */
static enum usher_status load_second_round(struct partition *p, struct batch *batch,
                                           const struct input *inputs, uint32_t count,
                                           int64_t until_ms, struct usher_error *err)
{
    struct load load;
    bool only_counts = false;
    enum usher_status status = USHER_OK;
    while (status == USHER_OK &&
           prefetch_collect_more(p->inventory, inputs, count, until_ms, &batch->arena,
                                 &load.request) &&
           (!only_counts || prefetch_only_counts(&load.request))) {
        bool counts = load.request.resource_no_count == 0;
        status = load_once(p, batch, &load, err);
        if (status == USHER_OK && left_some(&load)) {
            if (counts)
                break;
            only_counts = true;
        }
    }
    return status;
}

static enum usher_status load_all(struct partition *p, struct batch *batch,
                                  const struct input *inputs, uint32_t *count, int64_t until_ms,
                                  struct usher_error *err)
{
    struct load load;
    enum usher_status status = USHER_OK;
    if (prefetch_collect(p->inventory, inputs, *count, until_ms, &batch->arena, &load.request)) {
        status = load_once(p, batch, &load, err);
        if (status == USHER_OK)
            *count = prefetch_covered(p->inventory, inputs, *count, &load.request, &load.result,
                                      &batch->arena);
    }
    if (status == USHER_OK)
        status = load_second_round(p, batch, inputs, *count, until_ms, err);
    if (status == USHER_OK)
        *count = prefetch_counted(p->inventory, inputs, *count);
    return status;
}

/*
 * Loads the rows that the inputs need, and those of bookings due until `until_ms` (0: none). The
 * first `*count` inputs may then be decided. Commits in flight go on meanwhile: the rows that they
 * touched are in memory, and the database still shows the past. RETRY: the next load asks for less.
 * HALT. A stop ends it between two pages: OK, and no input may be decided.
 */
static enum usher_status batch_load(struct partition *p, const struct input *inputs,
                                    uint32_t *count, int64_t until_ms, struct usher_error *err)
{
    struct batch *batch = p->pipeline.open;
    uint32_t asked = *count;
    assert(asked <= p->portion.records);
    partition_read_clock(p); /* to decode is no part of loading */
    int64_t began_us = p->turn.us;
    enum usher_status status = load_all(p, batch, inputs, count, until_ms, err);
    partition_read_clock(p); /* it may have taken in many rows */
    p->pipeline.open_times->load_us += p->turn.us - began_us;
    if (p->stopping && status == USHER_RETRY) {
        *count = 0;
        return USHER_OK;
    }
    if (status == USHER_RETRY)
        portion_failed(&p->portion, asked, partition_taken_until(p));
    else if (asked > 0)
        portion_loaded(&p->portion, batch->next_offset, asked, *count);
    return status;
}

/* ==== Filling a batch ==== */

enum {
    BATCH_BYTES_MAX = 8 << 20,    /* requests and answers of a batch: it must commit in time */
    BATCH_ROWS_MAX = 50000,       /* that it has written, … */
    BATCH_WRITTEN_MAX = 16 << 20, /* … and their bytes: a define of few bytes may write many */
    BATCH_AGE_MS = 100, /* a batch is filled this long, because its `now` is that of its start, … */
    BATCH_AGE_MAX_MS = 1000,     /* … up to this long if commits take … */
    BATCH_AGE_OF_COMMIT = 4,     /* … so many times as long, for which the requests wait anyway */
    PORTION_BYTES_MAX = 2 << 20, /* of records decoded at once: decoded they take several times */
    UNREQUESTED_AT_ONCE = 8,     /* decisions, before it is looked at how much they have written */
    IDLE_BEFORE_EXPIRY_MS = 1000, /* the log was drained this long: the clock may expire holds */
};

static struct rules rules_of(const struct partition *p)
{
    return (struct rules){
        .hold_ttl_s = p->settings.hold_ttl_s,
        .hold_ttl_max_s = p->settings.hold_ttl_max_s,
        .house_hold_ttl_max_s = p->settings.house_hold_ttl_max_s,
        .partition = p->settings.partition,
        .partition_count = p->position.partition_count,
        .epoch = p->position.epoch,
    };
}

/* ---- the open batch ---- */

/* Returns the open batch. A new one takes its `now` and its place in the chain. */
static struct batch *open_batch(struct partition *p)
{
    if (p->pipeline.open)
        return p->pipeline.open;
    assert(!inventory_has_loaded(p->inventory)); /* first answers lie in the batch that is over */
    struct batch *batch = pipeline_open_batch(&p->pipeline);
    p->pipeline.open_times->opened_us = p->turn.us;
    p->position.now_ms = p->turn.now_ms;
    p->defined = (struct unsealed){0};
    batch->partition = p->settings.partition;
    batch->epoch = p->position.epoch;
    batch->now_ms = p->position.now_ms;
    batch->expected_next_offset = batch->next_offset = p->position.next_offset;
    batch->expected_next_seq = batch->next_seq = p->position.next_seq;
    batch->fingerprint_offset = p->position.fingerprint_offset;
    batch->fingerprint = p->position.fingerprint;
    return batch;
}

/*
 * Drops the open batch if nothing was decided in it: left open, it would give a later request its
 * old `now`. Its rows are loaded again.
 */
static void drop_if_empty(struct partition *p)
{
    if (p->pipeline.open->decision_count > 0)
        return;
    inventory_forget_loaded(p->inventory);
    pipeline_drop_batch(&p->pipeline);
}

/* ---- memory ---- */

/*
 * About the bytes that a define of so many pools and seats takes until it is committed, beside the
 * rows.
 */
enum {
    DEFINED_POOL_BYTES = 1100,
    DEFINED_SEAT_BYTES = 40,
    DEFINED_SMALL = 4 << 20 /* it needs no leave */
};

static int64_t section_bytes(const struct usher_section *section)
{
    int64_t seats = 0;
    for (uint32_t i = 0; i < section->row_count; i++)
        seats += section->rows[i].seats;
    return DEFINED_POOL_BYTES + seats * DEFINED_SEAT_BYTES;
}

/* The resource is cloned, old and new parts. */
static int64_t defined_bytes(const struct partition *p, const struct usher_request *request)
{
    const struct usher_definition *definition = request->definition;
    const struct resource *old = inventory_resource(p->inventory, request->resource);
    int64_t bytes = (int64_t)definition->product_count * DEFINED_POOL_BYTES;
    if (old)
        bytes += (int64_t)old->pool_count * DEFINED_POOL_BYTES +
                 (int64_t)old->number_count * DEFINED_SEAT_BYTES;
    for (uint32_t i = 0; i < definition->section_count; i++)
        bytes += section_bytes(&definition->sections[i]);
    for (uint32_t i = 0; i < definition->plan_section_count; i++)
        bytes += section_bytes(&definition->plan_sections[i]);
    for (uint32_t i = 0; i < definition->room_count; i++) {
        int64_t nights = (int64_t)definition->rooms[i].to - definition->rooms[i].from;
        bytes += nights * DEFINED_POOL_BYTES;
    }
    return bytes;
}

/* Whether it is anything but a define of many pools: its rows are few beside those of one. */
static bool is_small(const struct partition *p, const struct input *input)
{
    return input->invalid != USHER_REASON_NONE || input->request.op != USHER_OP_DEFINE ||
           defined_bytes(p, &input->request) <= DEFINED_SMALL;
}

/* Reserves the memory that the next record waits for, if it waits. False: it is not there yet. */
static bool get_wanted_memory(struct partition *p)
{
    if (p->wants_bytes == 0)
        return true;
    assert(p->wants_bytes > 0);
    if (!memory_budget_reserve(p->ports.budget, p->settings.partition, MEMORY_FOR_BATCH,
                               p->wants_bytes))
        return false;
    p->spare_bytes += p->wants_bytes;
    p->wants_bytes = 0;
    return true;
}

/* Whether there is the memory for the record, or it is small. Else it waits for other partitions.
 */
static bool reserve(struct partition *p, const struct input *input)
{
    if (is_small(p, input))
        return true;
    int64_t bytes = defined_bytes(p, &input->request);
    if (p->spare_bytes < bytes)
        p->wants_bytes = bytes;
    if (!get_wanted_memory(p))
        return false;
    assert(p->spare_bytes >= bytes);
    p->spare_bytes -= bytes;
    return true;
}

/* ---- room ---- */

/* Whether no batch may be in flight beside the open one, because PostgreSQL refused one. */
static bool is_isolating(const struct partition *p)
{
    return p->turn.most != QUARANTINE_NONE;
}

/* How many more decisions the batch may have. */
static uint32_t more_decisions(const struct partition *p, const struct batch *batch)
{
    uint32_t decided = batch ? batch->decision_count : 0;
    return decided < p->turn.most ? p->turn.most - decided : 0;
}

/* Whether it is as large as can commit in time, beside the rows in `written`. */
static bool is_large_beside(const struct partition *p, const struct batch *batch,
                            struct unsealed written)
{
    const struct unsealed unsealed = inventory_unsealed(p->inventory);
    return batch->bytes >= BATCH_BYTES_MAX || unsealed.rows >= written.rows + BATCH_ROWS_MAX ||
           unsealed.bytes >= written.bytes + BATCH_WRITTEN_MAX;
}

static bool is_large(const struct partition *p, const struct batch *batch)
{
    return is_large_beside(p, batch, (struct unsealed){0});
}

/* How old a batch may become. Of those whose commits take seconds few are made, each with more. */
static int64_t age_max_ms(const struct partition *p)
{
    int64_t ms = p->commit_ms / BATCH_AGE_OF_COMMIT;
    ms = ms < BATCH_AGE_MAX_MS ? ms : BATCH_AGE_MAX_MS;
    return ms > BATCH_AGE_MS ? ms : BATCH_AGE_MS;
}

/* Whether it is large, or too old for its `now` to suit further requests. */
static bool is_grown(const struct partition *p, const struct batch *batch)
{
    int64_t age_us = p->turn.us - p->pipeline.open_times->opened_us;
    return is_large(p, batch) || (batch->decision_count > 0 && age_us > age_max_ms(p) * 1000);
}

/* Whether anything may be decided: to be added to the open batch, or to a new one. */
static bool may_decide(const struct partition *p)
{
    return !p->waits_for_idle && p->ports.outbox.has_room(p->ports.outbox.self);
}

/* Whether the next record may be. */
static bool may_add(const struct partition *p)
{
    const struct batch *batch = p->pipeline.open;
    return may_decide(p) && !p->pipeline.is_full && !(batch && is_grown(p, batch)) &&
           p->wants_bytes == 0;
}

/* How many records may be decided now. */
static uint32_t room_for_records(const struct partition *p)
{
    const struct batch *batch = p->pipeline.open;
    if (!may_add(p) || (is_isolating(p) && p->pipeline.in_flight > 0))
        return 0;
    uint32_t count = batch ? batch->record_count : 0;
    assert(count <= p->settings.batch_limit);
    uint32_t room = p->settings.batch_limit - count, most = more_decisions(p, batch);
    return memory_budget_portion(p->ports.budget, room < most ? room : most, count);
}

/* How many more unrequested decisions the batch has room for. */
static uint32_t room_for_unrequested(const struct partition *p, const struct batch *batch)
{
    assert(batch->decision_count >= batch->record_count);
    uint32_t unrequested = batch->decision_count - batch->record_count;
    uint32_t room = EXPIRY_LIMIT - unrequested, most = more_decisions(p, batch);
    assert(unrequested <= EXPIRY_LIMIT);
    return is_large(p, batch) ? 0 : room < most ? room : most;
}

enum usher_status fill_prepare(struct partition *p, struct usher_error *err)
{
    (void)err;
    p->turn.most = quarantine_most(&p->quarantine, p->position.next_offset);
    p->waits_for_idle = p->waits_for_idle && !pipeline_is_empty(&p->pipeline);
    (void)get_wanted_memory(p);
    return USHER_OK;
}

/* ---- time ---- */

/* From now on the batch is decided, for so long: later records are for the next batch. */
static void begin_to_decide(struct partition *p)
{
    p->turn.decides_until_ms = p->turn.ms + age_max_ms(p);
}

static bool is_late(const struct partition *p)
{
    return p->turn.ms >= p->turn.decides_until_ms;
}

/* Adds the sizes of the last `count` answers to that of the batch. */
static void note_decided(struct partition *p, struct batch *batch, uint32_t count)
{
    assert(count <= batch->decision_count);
    for (uint32_t i = batch->decision_count - count; i < batch->decision_count; i++)
        batch->bytes += batch->decisions[i].body_size;
    if (count > 0)
        partition_read_clock(p); /* for is_late: one decision may take long */
}

/* ---- decide ---- */

/* Counts the records that the batch has bytes for, at least one. */
static uint32_t count_that_fit(const struct batch *batch, const struct log_record *records,
                               uint32_t count)
{
    uint32_t fitting = 0;
    size_t bytes = batch->bytes;
    size_t most = batch->bytes + PORTION_BYTES_MAX;
    most = most < BATCH_BYTES_MAX ? most : BATCH_BYTES_MAX;
    while (fitting < count && (fitting == 0 || bytes < most))
        bytes += log_record_size(&records[fitting++]);
    assert(fitting > 0 && fitting <= count);
    return fitting;
}

static struct input *decode(struct partition *p, struct batch *batch,
                            const struct log_record *records, uint32_t count)
{
    const struct rules rules = rules_of(p);
    struct input *inputs = usher_arena_alloc(&batch->arena, count * sizeof *inputs);
    for (uint32_t i = 0; i < count; i++) {
        input_decode(&inputs[i], &records[i], &rules, &batch->arena);
        if (records[i].offset == p->quarantine.dead_letter)
            input_dead_letter(&inputs[i]);
    }
    return inputs;
}

/*
 * Counts the inputs that may be decided now: those before one that can only be loaded while nothing
 * is in flight. That one comes first in a batch of its own, once the pipeline is empty.
 */
static uint32_t count_before_idle(const struct partition *p, const struct batch *batch,
                                  const struct input *inputs, uint32_t count)
{
    bool is_idle = p->pipeline.in_flight == 0 && batch->decision_count == 0;
    for (uint32_t i = is_idle ? 1 : 0; i < count; i++)
        if (prefetch_needs_idle(p->inventory, &inputs[i], 1))
            return i;
    return count;
}

/* The log's time at the latest of these records. */
static int64_t log_time_of(const struct batch *batch, const struct log_record *records,
                           uint32_t count)
{
    int64_t last_ms = 0;
    for (uint32_t i = 0; i < count; i++) {
        int64_t ms = input_log_ms(&records[i], batch);
        last_ms = ms > last_ms ? ms : last_ms;
    }
    return last_ms;
}

/* How many are decided before the room is looked at again. */
static uint32_t few(uint32_t room)
{
    return room < UNREQUESTED_AT_ONCE ? room : UNREQUESTED_AT_ONCE;
}

/* False: more holds are due than the batch has room for. They and the record come in the next. */
static bool expire(struct partition *p, struct batch *batch, int64_t until_ms)
{
    const struct rules rules = rules_of(p);
    uint32_t asked, done;
    do {
        asked = few(room_for_unrequested(p, batch));
        done = asked > 0 ? expiry_run(p->inventory, &rules, until_ms, asked, batch) : 0;
        assert(done <= asked);
        note_decided(p, batch, done);
    } while (done > 0 && done == asked && !is_late(p));
    return !inventory_due(p->inventory, until_ms) && more_decisions(p, batch) > 0;
}

/* False: more parties are to be served before the record than the batch has room for. */
static bool serve_first(struct partition *p, struct batch *batch, const struct input *input)
{
    const struct rules rules = rules_of(p);
    bool served;
    uint32_t asked, done;
    do {
        uint32_t before = batch->decision_count;
        asked = few(room_for_unrequested(p, batch));
        served = background_serve_first(p->inventory, &rules, input, asked, batch);
        done = batch->decision_count - before;
        assert(done <= asked);
        note_decided(p, batch, done);
    } while (!served && done > 0 && done == asked && !is_late(p));
    return served && more_decisions(p, batch) > 0;
}

/*
 * Decides everything due before a record, then the record. False: no room is left, and the record
 * is decided later.
 */
static bool decide_record(struct partition *p, struct batch *batch, const struct input *input)
{
    const struct log_record *record = input->record;
    const struct rules rules = rules_of(p);
    const struct batches_in_flight in_flight = {pipeline_in_flight(&p->pipeline),
                                                p->pipeline.in_flight};
    assert(record->offset >= batch->next_offset && batch->record_count < batch->record_limit);
    if (!expire(p, batch, input_log_ms(record, batch)) || !serve_first(p, batch, input))
        return false;
    p->log_ms = input_at_ms(record, batch);
    uint32_t before = batch->decision_count;
    decide(p->inventory, &rules, input, &in_flight, batch);
    assert(batch->decision_count == before + 1);
    note_decided(p, batch, 1);
    batch->bytes += log_record_size(record);
    batch->record_count++;
    batch->next_offset = record->offset + 1;
    /* A record that came after the batch was opened has not waited. */
    int64_t wait_ms = batch->now_ms - record->appended_ms;
    if (record->appended_ms > 0) /* it is known */
        metrics_observe(&p->ports.metrics->usher_request_wait_seconds, wait_ms > 0 ? wait_ms : 0);
    return true;
}

/* Whether the record changes a resource once more that the batch writes whole: little is added. */
static bool defines_again(const struct partition *p, const struct input *input)
{
    const struct resource *resource = NULL;
    if (input->invalid == USHER_REASON_NONE && input->request.op == USHER_OP_DEFINE)
        resource = inventory_resource(p->inventory, input->request.resource);
    return resource && resource->redefined && resource->unsealed.rows > 0;
}

/*
 * A batch that one define made large takes along small records beside it: else requests to other
 * resources in between would make a batch of each define, and each writes its resource whole.
 */
static bool get_room(struct partition *p, const struct batch *batch, const struct input *input)
{
    if (!is_large(p, batch))
        return reserve(p, input);
    return defines_again(p, input) ? batch->bytes < BATCH_BYTES_MAX
                                   : is_small(p, input) && !is_large_beside(p, batch, p->defined);
}

/* A large define is written whole, so its rows no longer count against later records. */
static void note_defined(struct partition *p, const struct batch *batch, const struct input *input)
{
    if (is_small(p, input))
        return;
    p->defined = inventory_unsealed(p->inventory);
    assert(batch->number >= p->defined_in);
    p->defined_in = batch->number;
}

/*
 * Decides records until one has no room, the batch is large enough, or it is late: the rest is for
 * the next batch. Returns how many.
 */
static uint32_t decide_records(struct partition *p, struct batch *batch, const struct input *inputs,
                               uint32_t count)
{
    uint32_t done = 0;
    bool late = false;
    begin_to_decide(p);
    while (done < count && !late && get_room(p, batch, &inputs[done]) &&
           decide_record(p, batch, &inputs[done])) {
        note_defined(p, batch, &inputs[done++]);
        late = is_late(p);
    }
    return done;
}

/*
 * Only the last readable record that was decided gets a fingerprint, because no other is ever
 * compared. An unreadable record has no stable content to fingerprint.
 */
static void set_fingerprint(struct batch *batch, const struct log_record *records, uint32_t count)
{
    while (count > 0 && records[count - 1].unreadable)
        count--;
    if (count == 0)
        return;
    const struct log_record *last = &records[count - 1];
    assert(last->offset < batch->next_offset);
    batch->fingerprint_offset = last->offset;
    batch->fingerprint =
        record_fingerprint(last->key, last->key_size, last->value, last->value_size);
}

/* Into the open batch, or a new one. */
static enum usher_status fill(struct partition *p, const struct log_record *records, uint32_t count,
                              struct usher_error *err)
{
    struct batch *batch = open_batch(p);
    int64_t began_us = p->turn.us;
    count = count_that_fit(batch, records, count < p->portion.records ? count : p->portion.records);
    struct input *inputs = decode(p, batch, records, count);
    count = count_before_idle(p, batch, inputs, count);
    p->waits_for_idle = count == 0;
    uint32_t loaded = count;
    enum usher_status status = USHER_OK;
    if (count > 0)
        status = batch_load(p, inputs, &loaded, log_time_of(batch, records, count), err);
    if (status != USHER_OK)
        return status;
    assert(loaded <= count);
    uint32_t done = decide_records(p, batch, inputs, loaded);
    set_fingerprint(batch, records, done);
    replay_buffer_mark_decided(&p->replay, done);
    p->pipeline.open_times->decide_us += p->turn.us - began_us;
    if (done < count) /* left for the next batch: retrying would only make this one grow */
        pipeline_close_batch(&p->pipeline);
    drop_if_empty(p);
    return USHER_OK;
}

enum usher_status fill_ready(struct partition *p, struct usher_error *err)
{
    struct log_record *records;
    uint32_t room = room_for_records(p);
    uint32_t count = replay_buffer_undecided(&p->replay, &records);
    count = count < room ? count : room;
    enum usher_status status = count > 0 ? fill(p, records, count, err) : USHER_OK;
    p->turn.full = room_for_records(p) == 0;
    return status;
}

/* ---- time without requests ---- */

/*
 * Once the log was drained for a while, the clock tells the time. Returns the time up to which
 * holds due at `due_ms` may end. INT64_MIN: not yet, or not by the clock. Asks Kafka, and notes
 * since when the log is drained.
 */
static int64_t learn_idle_until_ms(struct partition *p, int64_t due_ms)
{
    if (!partition_is_settled(p) || due_ms > p->turn.now_ms)
        return INT64_MIN;
    if (!p->ports.log.drained(p->ports.log.self, p->position.next_offset)) {
        p->idle_since_ms = 0;
        return INT64_MIN;
    }
    partition_read_clock(p); /* Kafka may have been waited for */
    if (p->idle_since_ms == 0)
        p->idle_since_ms = p->turn.ms;
    int64_t until_ms = p->turn.now_ms - IDLE_BEFORE_EXPIRY_MS;
    bool is_idle = p->turn.ms - p->idle_since_ms >= IDLE_BEFORE_EXPIRY_MS;
    return is_idle && due_ms <= until_ms ? until_ms : INT64_MIN;
}

/*
 * The time up to which holds due at `due_ms` may end, at most `until_ms`. INT64_MIN: that has yet
 * to be found out. Each record up to that time was taken: the log's end was learnt later
 * (log_port.drained), and no record of then is hidden behind that end. So no request that came in
 * time, such as a confirm, can turn up any more.
 */
static int64_t certain_ms(const struct partition *p, int64_t due_ms, int64_t until_ms)
{
    if (due_ms > until_ms)
        return until_ms;
    int64_t hidden_ms = p->ports.log.hidden_ms(p->ports.log.self, until_ms - due_ms);
    assert(hidden_ms <= until_ms - due_ms);
    return hidden_ms < 0 ? INT64_MIN : until_ms - hidden_ms;
}

enum usher_status fill_idle(struct partition *p, struct usher_error *err)
{
    if (!p->ports.outbox.has_room(p->ports.outbox.self))
        return USHER_OK;
    int64_t due_ms = inventory_next_due_ms(p->inventory);
    int64_t until_ms = learn_idle_until_ms(p, due_ms);
    if (until_ms == INT64_MIN)
        return USHER_OK;
    bool knows_due = inventory_horizon(p->inventory).expires_ms > until_ms;
    if (knows_due && certain_ms(p, due_ms, until_ms) == INT64_MIN) /* loads nothing for nothing */
        return USHER_OK;
    struct batch *batch = open_batch(p);
    uint32_t none = 0;
    enum usher_status status = batch_load(p, NULL, &none, until_ms, err);
    if (status == USHER_OK && !p->stopping) {
        begin_to_decide(p);
        (void)expire(p, batch, certain_ms(p, inventory_next_due_ms(p->inventory), until_ms));
    }
    if (status == USHER_OK) /* a hold that looked due was not, say */
        drop_if_empty(p);
    return status;
}

/* ---- offsets without a record ---- */

/*
 * The offset up to which there is no record, or that of the next one if something is unsettled. A
 * partition that is to stop does not wait for Kafka.
 */
static int64_t passable_offset(const struct partition *p)
{
    int64_t next = p->position.next_offset;
    int64_t up_to = p->ports.log.read_up_to(p->ports.log.self, next);
    bool is_done =
        partition_is_settled(p) && partition_is_published(p) && !(p->stopping && p->joins);
    return up_to > next && up_to > 0 && is_done ? up_to : next;
}

static bool may_record_published(const struct partition *p)
{
    return partition_is_published(p) && partition_leaves_unrecorded(p);
}

bool fill_may_pass(const struct partition *p)
{
    return passable_offset(p) > p->position.next_offset || may_record_published(p);
}

enum usher_status fill_pass(struct partition *p, struct usher_error *err)
{
    int64_t up_to =
        partition_is_quiet(p) || p->stopping ? passable_offset(p) : p->position.next_offset;
    enum usher_status status = USHER_OK;
    if (up_to > p->position.next_offset)
        status = takeover_verify_joint(p, up_to, err);
    if (status == USHER_OK && (up_to > p->position.next_offset || may_record_published(p))) {
        assert(pipeline_is_empty(&p->pipeline));
        open_batch(p)->next_offset = up_to;
    }
    return status;
}

/* ---- work that outlasts a batch ---- */

/* A batch that is full of requests has room for it all the same: else it would wait for the end of
 * a rush. */
static bool may_work(const struct partition *p)
{
    const struct batch *batch = p->pipeline.open;
    bool is_alone = p->pipeline.in_flight == 0 && !(batch && batch->decision_count > 0);
    return inventory_has_work(p->inventory) && (is_alone || !is_isolating(p)) && may_decide(p) &&
           (!batch || room_for_unrequested(p, batch) > 0);
}

/*
 * The log's time as far as it is known: that of the last record decided. If a waiting list is to be
 * served from a later time on, that of an idle partition's clock.
 */
static int64_t learn_reached_ms(struct partition *p)
{
    int64_t due_ms = background_next_ms(p->inventory, p->log_ms);
    int64_t until_ms = learn_idle_until_ms(p, due_ms);
    if (until_ms == INT64_MIN)
        return p->log_ms;
    int64_t certain = certain_ms(p, due_ms, until_ms);
    return certain > p->log_ms ? certain : p->log_ms;
}

/* Returns how many decisions were made. */
static uint32_t work(struct partition *p, struct batch *batch, int64_t at_ms)
{
    const struct rules rules = rules_of(p);
    uint32_t asked, done, sum = 0;
    begin_to_decide(p);
    do {
        asked = few(room_for_unrequested(p, batch));
        done = background_run(p->inventory, &rules, at_ms, asked, batch);
        assert(done <= asked);
        note_decided(p, batch, done);
        sum += done;
    } while (done > 0 && done == asked && !is_late(p));
    return sum;
}

enum usher_status fill_work(struct partition *p, struct usher_error *err)
{
    if (!may_work(p))
        return USHER_OK;
    int64_t at_ms = learn_reached_ms(p);
    struct batch *batch = open_batch(p);
    uint32_t none = 0;
    enum usher_status status = batch_load(p, NULL, &none, 0, err);
    if (status == USHER_OK && !p->stopping)
        p->turn.worked = work(p, batch, at_ms) > 0 || inventory_owners_remain(p->inventory);
    if (status == USHER_OK)
        drop_if_empty(p);
    return status;
}
