/*
 * The database of the record's tests, and their batches.
 */
#include "record_fixture.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "producer/codec/stored.h"

static const char *from_environment(const char *name)
{
    const char *value = getenv(name);

    if (value == NULL)
        fail_msg("%s is not set: this program is run by test_record.py", name);
    return value;
}

const char *fixture_worker_uri(void)
{
    return from_environment("FIXTURE_WORKER");
}

int fixture_setup(void **state)
{
    PGconn *admin = PQconnectdb(from_environment("FIXTURE_ADMIN"));
    PGresult *result;

    if (PQstatus(admin) != CONNECTION_OK)
        fail_msg("could not connect: %s", PQerrorMessage(admin));
    *state = admin;
    result =
        PQexec(admin, "truncate usher.partition_state, usher.chart, usher.resource, usher.pool,"
                      " usher.booking, usher.allocation, usher.decision, usher.dead_letter,"
                      " usher.former_owner, usher.cart_decision, usher.seat_row,"
                      " usher.partition_halt, usher.partition_skip, usher.partition_topic,"
                      " usher.pruned");
    assert_int_equal(PGRES_COMMAND_OK, PQresultStatus(result));
    PQclear(result);
    return 0;
}

int fixture_teardown(void **state)
{
    PQfinish(*state);
    return 0;
}

static struct pg_record_options options_with(int timeout_ms, struct pg_load_limits loads)
{
    return (struct pg_record_options){
        .connection =
            {
                .uri = fixture_worker_uri(),
                .owner = "fixture",
                .lock_timeout_ms = FIXTURE_LOCK_TIMEOUT_MS,
                .statement_timeout_ms = timeout_ms,
                .query_timeout_ms = timeout_ms,
            },
        .partition = FIXTURE_PARTITION,
        .partition_count = FIXTURE_PARTITION_COUNT,
        .loads = loads,
    };
}

static struct record_port *record_with(int timeout_ms, struct pg_load_limits loads)
{
    const struct pg_record_options options = options_with(timeout_ms, loads);
    return pg_record_open(&options);
}

struct record_port *fixture_record_of_parameters(int bytes)
{
    struct pg_record_options options = options_with(5000, (struct pg_load_limits){0});
    options.parameter_max = bytes;
    return pg_record_open(&options);
}

struct record_port *fixture_record(void)
{
    return record_with(5000, (struct pg_load_limits){0});
}

struct record_port *fixture_small_record(void)
{
    return fixture_record_of_pages(2, 3);
}

struct record_port *fixture_record_of_pages(uint32_t rows, uint32_t units)
{
    return record_with(5000, (struct pg_load_limits){.rows = rows, .units = units, .bytes = 300});
}

struct record_port *fixture_patient_record(void)
{
    return record_with(FIXTURE_PATIENCE_MS, (struct pg_load_limits){0});
}

struct load_result fixture_load(struct record_port *record, const struct load_request *request,
                                struct usher_arena *arena, int *pages)
{
    int count = 0;
    struct load_result result;
    struct usher_error err = {0};
    usher_arena_reset(arena);
    enum usher_status status = record->load(record->self, request, arena, &result, &err);
    for (; status == USHER_OK && load_has_more(&result); count++)
        status = record->load_more(record->self, request, arena, &result, &err);
    if (status != USHER_OK)
        fail_msg("load: %s", err.text);
    if (pages)
        *pages = count;
    return result;
}

struct position fixture_acquire(struct record_port *record, int32_t expected_epoch,
                                enum usher_status wanted)
{
    struct position position = {0};
    struct usher_error err = {0};
    enum usher_status status = record->acquire(record->self, expected_epoch, &position, &err);

    if (status != wanted)
        fail_msg("acquire: %s (%s)", usher_status_name(status), err.text);
    return position;
}

int64_t fixture_number(void **state, const char *sql)
{
    PGresult *result = PQexec(*state, sql);
    int64_t number;

    if (PQresultStatus(result) != PGRES_TUPLES_OK || PQntuples(result) != 1)
        fail_msg("%s: %s", sql, PQerrorMessage(*state));
    number = strtoll(PQgetvalue(result, 0, 0), NULL, 10);
    PQclear(result);
    return number;
}

int64_t fixture_show_no(void)
{
    return row_number(FIXTURE_PARTITION, 1);
}

int64_t fixture_pool_no(void)
{
    return row_number(FIXTURE_PARTITION, 1);
}

void fixture_batch_begin(struct fixture_batch *b, const struct position *position)
{
    struct batch *batch = &b->batch;

    memset(b, 0, sizeof *b);
    batch->partition = FIXTURE_PARTITION;
    batch->epoch = position->epoch;
    batch->expected_next_offset = position->next_offset;
    batch->next_offset = position->next_offset + 1;
    batch->expected_next_seq = batch->next_seq = position->next_seq;
    batch->now_ms = INT64_C(1800000000000) + position->next_seq;
    batch->fingerprint_offset = position->next_offset;
    batch->fingerprint = 4711;
    batch->published_offset = OFFSET_NONE;
    batch->holds = batch->parties = COUNT_UNKNOWN;
    batch->decisions = b->decisions;
    batch->dead_letters = b->dead_letters;
    batch->bookings = b->bookings;
    batch->bookings_changed = b->changed;
    batch->taken = b->taken;
    batch->freed = b->freed;
    batch->resources = b->resources;
    batch->resource_marks = b->marks;
    batch->pools = b->pools;
    batch->lists = b->lists;
    batch->pool_moves = b->moves;
    batch->charts = b->charts;
}

/* A decision that is the first answer to a request of the show. */
static struct decision_row *add_decision(struct fixture_batch *b, enum usher_op op,
                                         enum usher_outcome outcome)
{
    struct batch *batch = &b->batch;
    struct decision_row *row = &b->decisions[batch->decision_count];
    char *id = b->ids[batch->decision_count++];

    snprintf(id, sizeof b->ids[0], "r-%" PRId64, batch->next_seq);
    *row = (struct decision_row){
        .seq = batch->next_seq++,
        .epoch = batch->epoch,
        .codec = 1,
        .source_offset = batch->next_offset - 1,
        .resource_no = fixture_show_no(),
        .key = "show:x",
        .key_size = 6,
        .request_id = id,
        .resource = "show:x",
        .client = "web",
        .op = op,
        .outcome = outcome,
        .first = true,
        .decided_ms = batch->now_ms,
        .appended_ms = batch->now_ms - 3,
        .body = "\"outcome\":\"held\"",
        .body_size = 16,
    };
    request_id_hash(id, row->id_hash);
    row->content_hash[15] = 9;
    return row;
}

void fixture_add_show(struct fixture_batch *b)
{
    struct batch *batch = &b->batch;

    add_decision(b, USHER_OP_DEFINE, USHER_DEFINED);
    b->charts[batch->chart_count++] =
        (struct chart_row){.name = "sha256:00", .content = "{}", .content_size = 2};
    b->resources[batch->resource_count++] = (struct resource_row){
        .no = fixture_show_no(),
        .id = "show:x",
        .state = USHER_OPEN,
        .name = "Hamlet",
        .currency = "GBP",
        .starts_ms = INT64_C(1798139400000),
        .ends_ms = USHER_ABSENT,
        .hold_ttl_s = USHER_ABSENT,
        .opens_ms = USHER_ABSENT,
        .closes_ms = USHER_ABSENT,
        .rev = 1,
        .chart = "sha256:00",
        .is_new = true,
    };
    b->pools[batch->pool_count++] = (struct pool_row){
        .no = fixture_pool_no(),
        .resource_no = fixture_show_no(),
        .index = 0,
        .kind = USHER_SEATS,
        .name = "stalls",
        .night = NIGHT_NONE,
        .capacity = 1000,
        .price = 4500,
        .is_new = true,
    };
}

struct booking_row *fixture_add_hold(struct fixture_batch *b, int32_t first_unit)
{
    struct batch *batch = &b->batch;
    struct decision_row *decision = add_decision(b, USHER_OP_HOLD, USHER_HELD);
    char *lines = b->lines[batch->booking_count];
    struct booking_row *row = &b->bookings[batch->booking_count++];
    int size =
        snprintf(lines, sizeof b->lines[0], "[[0,0,4500,[%d,%d]]]", first_unit, first_unit + 1);

    *row = (struct booking_row){
        .no = row_number(FIXTURE_PARTITION, decision->seq),
        .resource_no = fixture_show_no(),
        .state = BOOKING_HELD,
        .request_id = decision->request_id,
        .customer = "c1",
        .op = USHER_OP_HOLD,
        .created_ms = decision->decided_ms,
        .expires_ms = decision->decided_ms + 900000,
        .ttl_s = USHER_ABSENT,
        .total = 9000,
        .lines = lines,
        .lines_size = (size_t)size,
        .sold_ms = USHER_ABSENT,
    };
    decision->booking_no = row->no;
    for (int32_t i = 0; i < 2; i++) {
        b->taken[batch->taken_count++] = (struct allocation_row){
            .pool = fixture_pool_no(), .unit = first_unit + i, .booking = row->no};
    }
    return row;
}

struct booking_row *fixture_change(struct fixture_batch *b, const struct booking_row *was,
                                   enum booking_state to)
{
    struct decision_row *decision = add_decision(b, USHER_OP_CONFIRM, USHER_CONFIRMED);
    struct booking_row *row = &b->changed[b->batch.bookings_changed_count++];

    *row = *was;
    row->from = was->state;
    row->state = to;
    decision->booking_no = row->no;
    return row;
}

/* ---- committing ---- */

enum usher_status fixture_end(struct record_port *record, struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    bool done = false;

    while (status == USHER_OK && !done)
        status = record->commit_end(record->self, 1000, &done, err);
    return status;
}

void fixture_commit(struct record_port *record, const struct fixture_batch *b,
                    struct position *position, enum usher_status wanted)
{
    struct usher_error err = {0};
    enum usher_status status = record->commit_begin(record->self, &b->batch, &err);

    if (status == USHER_OK)
        status = fixture_end(record, &err);
    if (status != wanted)
        fail_msg("commit: %s (%s)", usher_status_name(status), err.text);
    if (status == USHER_OK) {
        position->next_seq = b->batch.next_seq;
        position->next_offset = b->batch.next_offset;
    }
}
