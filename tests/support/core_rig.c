/*
 * The steps of one batch in the order of the allocator's loop, without its I/O.
 */
#include "core_rig.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "producer/codec/answer_fields.h"
#include "quotes.h"
#include "worker/inventory/bookings.h"
#include "worker/inventory/inventory_load.h"
#include "worker/inventory/inventory_state.h"
#include "worker/inventory/seal.h"
#include "worker/inventory/work.h"

enum {
    RIG_ROUNDS = 100 /* of loads that leave something */
};

const struct inventory_limits rig_no_limits = {UINT32_MAX, UINT32_MAX, UINT64_MAX, UINT32_MAX,
                                               UINT64_MAX};

void rig_open(struct rig *rig, const struct inventory_limits *limits)
{
    *rig = (struct rig){
        .limits = *limits,
        .rules = {.hold_ttl_s = 900,
                  .hold_ttl_max_s = 86400,
                  .house_hold_ttl_max_s = 31536000,
                  .partition = 0,
                  .partition_count = 1,
                  .epoch = 1},
        .now_ms = 1000000,
        .log_ms = INT64_MIN,
        .next_seq = 1,
        .unrequested_limit = RIG_UNREQUESTED,
    };
    rig->database = &rig->own_database;
    for (uint32_t i = 0; i < RIG_BATCHES; i++)
        batch_init(&rig->batches[i], RIG_RECORDS, RIG_UNREQUESTED);
    rig->inventory = inventory_create(rig->rules.partition, limits, 0);
}

void rig_close(struct rig *rig)
{
    inventory_destroy(rig->inventory);
    for (uint32_t i = 0; i < RIG_BATCHES; i++)
        batch_deinit(&rig->batches[i]);
    fake_database_close(&rig->own_database);
    usher_arena_deinit(&rig->arena);
}

void rig_restart(struct rig *rig)
{
    inventory_destroy(rig->inventory);
    for (uint32_t i = 0; i < RIG_BATCHES; i++)
        batch_reset(&rig->batches[i]);
    rig->in_flight = 0;
    rig->number = 0;
    rig->next_seq = (int64_t)rig->database->decision_count + 1;
    rig->rules.epoch++;
    rig->inventory = inventory_create(rig->rules.partition, &rig->limits, rig->database->last_pool);
}

struct batch *rig_batch(struct rig *rig)
{
    struct batch *batch = &rig->batches[rig->in_flight];
    if (batch->number == 0) {
        batch->number = ++rig->number;
        batch->partition = rig->rules.partition;
        batch->epoch = rig->rules.epoch;
        batch->now_ms = rig->now_ms;
        batch->expected_next_seq = rig->next_seq;
    }
    return batch;
}

struct load_result rig_fetch(struct rig *rig, const struct load_request *request)
{
    struct load_result result;
    struct usher_error err = {0};
    fake_database_load(rig->database, request, &rig_batch(rig)->arena, &result);
    inventory_make_room(rig->inventory, &result);
    enum usher_status status = inventory_load(rig->inventory, request, &result, &err);
    assert(status == USHER_OK);
    return result;
}

/* As fill.c does it; whether the input may be decided now. */
static bool load_some(struct rig *rig, const struct input *input, int64_t until_ms)
{
    struct usher_arena *arena = &rig_batch(rig)->arena;
    uint32_t count = input ? 1 : 0, covered = count, rounds = 0;
    bool only_counts = false;
    struct load_request request;
    struct load_result result;
    if (prefetch_collect(rig->inventory, input, count, until_ms, arena, &request)) {
        result = rig_fetch(rig, &request);
        covered = prefetch_covered(rig->inventory, input, count, &request, &result, arena);
    }
    while (prefetch_collect_more(rig->inventory, input, covered, until_ms, arena, &request) &&
           (!only_counts || prefetch_only_counts(&request))) {
        bool counts = request.resource_no_count == 0;
        result = rig_fetch(rig, &request);
        rounds++;
        if (result.resources_served < request.resource_no_count ||
            result.tallies_served < request.tally_count) {
            if (counts)
                break;
            only_counts = true;
        }
    }
    assert(rounds <= 2); /* resources of what is due, then their customers */
    return prefetch_counted(rig->inventory, input, covered) == count;
}

void rig_load(struct rig *rig, const struct input *input, int64_t until_ms)
{
    uint32_t rounds = 0;
    while (!load_some(rig, input, until_ms))
        assert(rounds++ < RIG_ROUNDS);
}

static uint32_t unrequested_room(const struct rig *rig, const struct batch *batch)
{
    uint32_t unrequested = batch->decision_count - batch->record_count;
    return unrequested < rig->unrequested_limit ? rig->unrequested_limit - unrequested : 0;
}

uint32_t rig_expire(struct rig *rig)
{
    struct batch *batch = rig_batch(rig);
    int64_t until_ms = rig->now_ms - rig->lag_ms;
    uint32_t count = 0, ended;
    do {
        rig_load(rig, NULL, until_ms);
        ended =
            expiry_run(rig->inventory, &rig->rules, until_ms, unrequested_room(rig, batch), batch);
        count += ended;
    } while (ended > 0 && inventory_due(rig->inventory, until_ms));
    assert(!inventory_due(rig->inventory, until_ms));
    return count;
}

uint32_t rig_work(struct rig *rig)
{
    struct batch *batch = rig_batch(rig);
    if (!inventory_has_work(rig->inventory))
        return 0;
    rig_load(rig, NULL, rig->log_ms);
    return background_run(rig->inventory, &rig->rules, rig->now_ms - rig->lag_ms,
                          unrequested_room(rig, batch), batch);
}

static void commit_all(struct rig *rig)
{
    while (rig->in_flight > 0)
        rig_commit(rig);
}

/* Decodes the record into the open batch. */
static struct input decode(struct rig *rig, const struct log_record *record, bool internal)
{
    struct batch *batch = rig_batch(rig);
    struct log_record *kept = usher_arena_alloc(&batch->arena, sizeof(*kept));
    *kept = *record;
    struct input input;
    input_decode(&input, kept, &rig->rules, &batch->arena);
    if (internal)
        input_dead_letter(&input);
    return input;
}

/* Decides what comes before a record. False: the open batch has no room for all of it. */
static bool come_to(struct rig *rig, const struct input *input)
{
    struct batch *batch = rig_batch(rig);
    rig_load(rig, input, rig->log_ms);
    (void)expiry_run(rig->inventory, &rig->rules, rig->log_ms, unrequested_room(rig, batch), batch);
    return !inventory_due(rig->inventory, rig->log_ms) &&
           background_serve_first(rig->inventory, &rig->rules, input, unrequested_room(rig, batch),
                                  batch);
}

static const struct decision_row *decide_now(struct rig *rig, const struct input *input)
{
    struct batch *batch = rig_batch(rig);
    const struct batch *others[RIG_BATCHES];
    for (uint32_t i = 0; i < rig->in_flight; i++)
        others[i] = &rig->batches[i];
    const struct batches_in_flight in_flight = {others, rig->in_flight};
    decide(rig->inventory, &rig->rules, input, &in_flight, batch);
    batch->record_count++;
    return &batch->decisions[batch->decision_count - 1];
}

const struct decision_row *rig_decide_record(struct rig *rig, const struct log_record *record,
                                             bool internal)
{
    struct input input = decode(rig, record, internal);
    if (prefetch_needs_idle(rig->inventory, &input, 1) &&
        rig->in_flight + rig_batch(rig)->decision_count > 0) {
        rig_seal(rig);
        commit_all(rig);
        input = decode(rig, record, internal);
    }
    rig->log_ms = record->appended_ms;
    while (!come_to(rig, &input)) {
        rig_seal(rig);
        commit_all(rig);
        input = decode(rig, record, internal);
    }
    return decide_now(rig, &input);
}

/* The key of a request is as its text says it; tests of bad records make their own. */
static struct log_record record_of(struct rig *rig, const char *json)
{
    const char *text = quotes_double(&rig->arena, json);
    const char *key = strstr(text, "\"resource\":\"");
    assert(key);
    key += strlen("\"resource\":\"");
    return (struct log_record){.offset = rig->next_offset,
                               .appended_ms = rig->now_ms - rig->lag_ms,
                               .key = key,
                               .key_size = strcspn(key, "\""),
                               .value = text,
                               .value_size = strlen(text)};
}

const struct decision_row *rig_decide(struct rig *rig, const char *json)
{
    const struct log_record record = record_of(rig, json);
    rig->next_offset++;
    return rig_decide_record(rig, &record, false);
}

struct input rig_input(struct rig *rig, const char *json)
{
    const struct log_record record = record_of(rig, json);
    struct input input = decode(rig, &record, false);
    assert(input.invalid == USHER_REASON_NONE);
    return input;
}

struct load_request rig_prefetch(struct rig *rig, const char *json)
{
    struct input input = rig_input(rig, json);
    struct load_request request;
    bool needed =
        prefetch_collect(rig->inventory, &input, 1, rig->now_ms, &rig_batch(rig)->arena, &request);
    uint32_t asked = request.resource_count + request.id_count + request.booking_count +
                     request.cart_count + request.chart_count + request.tally_count;
    assert(needed == (asked > 0 || request.due || request.unfinished_limit > 0 ||
                      request.owners.resource_no != 0));
    return request;
}

/* A batch is ended by what it would have written: that must have been known, and all of it. */
static void check_unsealed(const struct rig *rig, const struct unsealed *before,
                           const struct batch *batch)
{
    const struct unsealed after = inventory_unsealed(rig->inventory);
    uint64_t rows = (uint64_t)batch->freed_count + batch->taken_count + batch->booking_count +
                    batch->bookings_changed_count + batch->pool_count + batch->pool_move_count +
                    batch->resource_count + batch->resource_mark_count + batch->chart_count;
    uint64_t bytes =
        (uint64_t)(batch->freed_count + batch->taken_count) * sizeof *batch->taken +
        batch->pool_count * sizeof *batch->pools +
        (uint64_t)(batch->booking_count + batch->bookings_changed_count) * sizeof *batch->bookings;
    for (uint32_t i = 0; i < batch->pool_count; i++)
        bytes += (batch->pools[i].rates ? strlen(batch->pools[i].rates) : 0) +
                 (batch->pools[i].restrictions ? strlen(batch->pools[i].restrictions) : 0);
    assert(before->rows >= rows && before->bytes >= bytes);
    assert(after.rows == 0 && after.bytes == 0);
}

void rig_seal(struct rig *rig)
{
    struct batch *batch = rig_batch(rig);
    assert(rig->in_flight + 1 < RIG_BATCHES);
    (void)rig_work(rig);
    const struct unsealed before = inventory_unsealed(rig->inventory);
    inventory_check(rig->inventory);
    inventory_seal(rig->inventory, batch);
    check_unsealed(rig, &before, batch);
    rig->next_seq += batch->decision_count;
    batch->next_seq = rig->next_seq;
    rig->in_flight++;
}

void rig_commit(struct rig *rig)
{
    assert(rig->in_flight > 0);
    struct batch oldest = rig->batches[0];
    fake_database_apply(rig->database, &oldest);
    inventory_committed(rig->inventory, oldest.number);
    batch_reset(&oldest);
    rig->in_flight--;
    memmove(rig->batches, rig->batches + 1, (RIG_BATCHES - 1) * sizeof(oldest));
    rig->batches[RIG_BATCHES - 1] = oldest;
}

const struct usher_answer *rig_answer(struct rig *rig, const struct decision_row *row)
{
    struct usher_answer envelope;
    struct usher_buffer text = {0};
    usher_answer_init(&envelope);
    envelope.request_id = row->request_id;
    envelope.op = row->op;
    envelope.resource = row->resource;
    envelope.client = row->client;
    envelope.replayed = row->replayed;
    envelope.seq = row->seq;
    envelope.epoch = row->epoch;
    envelope.source_offset = row->source_offset == OFFSET_NONE ? USHER_ABSENT : row->source_offset;
    answer_wrap(&envelope, row->body, row->body_size, &text);
    assert(text.size <= USHER_ANSWER_SIZE_MAX);

    struct usher_answer *answer = usher_arena_alloc(&rig->arena, sizeof(*answer));
    struct usher_error err;
    enum usher_status status = usher_answer_decode(text.at, text.size, &rig->arena, answer, &err);
    assert(status == USHER_OK);
    usher_buffer_deinit(&text);
    return answer;
}

const struct usher_answer *rig_ask(struct rig *rig, const char *json)
{
    const struct usher_answer *answer = rig_answer(rig, rig_decide(rig, json));
    rig_seal(rig);
    rig_commit(rig);
    return answer;
}

bool rig_says(struct rig *rig, const char *json, const char *fragment)
{
    const struct decision_row *row = rig_decide(rig, json);
    bool found = strstr(row->body, quotes_double(&rig->arena, fragment));
    if (!found)
        (void)fprintf(stderr, "request  %s\nexpected %s\nanswer   %s\n", json, fragment, row->body);
    rig_seal(rig);
    rig_commit(rig);
    return found;
}

bool rig_play(struct rig *rig, const struct rig_step *steps, size_t count)
{
    bool good = true;
    for (size_t i = 0; good && i < count; i++)
        good = rig_says(rig, steps[i].request, steps[i].says);
    return good;
}

struct resource *rig_resource(struct rig *rig, const char *id)
{
    struct resource *resource = inventory_resource(rig->inventory, id);
    assert(resource);
    return resource;
}
