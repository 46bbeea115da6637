/*
 * Batches into a real PostgreSQL: what is written is read back, and what the guard, a count or a
 * constraint refuses leaves nothing behind.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "producer/codec/stored.h"
#include "record_fixture.h"
#include "record_samples.h"
#include "same_rows.h"
#include "worker/postgres/pg_commit.h"

static struct fixture_batch one, two;
static struct usher_arena arena;

/* Acquires, makes the show, and leaves the position behind it. */
static struct record_port *with_show(struct position *position)
{
    struct record_port *record = fixture_patient_record();
    *position = fixture_acquire(record, 0, USHER_OK);
    position->next_offset = OFFSET_NONE;
    fixture_batch_begin(&one, position);
    fixture_add_show(&one);
    fixture_commit(record, &one, position, USHER_OK);
    return record;
}

static struct load_result load_show(struct record_port *record)
{
    const char *id = "show:x";
    struct load_key keys[3] = {{.resource = id}, {.resource = id}, {.resource = "show:y"}};
    struct load_request request = {.resources = &id,
                                   .resource_count = 1,
                                   .ids = keys,
                                   .id_count = 3,
                                   .bookings = keys,
                                   .booking_count = 3,
                                   .due = true,
                                   .due_after_ms = INT64_MIN,
                                   .due_after_no = INT64_MAX,
                                   .due_until_ms = INT64_C(1900000000000),
                                   .due_limit = 10};
    request_id_hash("r-2", keys[0].id_hash);
    request_id_hash("r-99", keys[1].id_hash);
    request_id_hash("r-2", keys[2].id_hash);
    return fixture_load(record, &request, &arena, NULL);
}

/* Gives every column a value of its own. */
static void fill_catalogue(struct fixture_batch *b)
{
    struct resource_row *show = &b->resources[0];
    struct pool_row *pool = &b->pools[0];
    show->venue = "Globe";
    show->description = "a play";
    show->timezone = "Europe/London";
    show->ends_ms = show->starts_ms + 1;
    show->hold_ttl_s = 60;
    show->opens_ms = INT64_C(1790000000001);
    show->closes_ms = INT64_C(1798139300999);
    show->strategy = USHER_RANDOM;
    show->terms = "{\"limits\":{\"units_min\":2}}";
    show->cancelling = "";
    show->unserved = true;
    show->takings = INT64_C(4500000000000);
    pool->title = "Stalls";
    pool->overbook = 10;
    pool->rates = b->lists[b->batch.list_count++] = "[[\"adult\",4500],[\"child\",2500]]";
    pool->rates_place = b->batch.list_count;
    pool->properties = "{\"a\":1}";
    pool->restrictions = b->lists[b->batch.list_count++] = "[{\"max_stay\":7}]";
    pool->restrictions_place = b->batch.list_count;
}

static void fill_booking(struct booking_row *booking)
{
    booking->client = "web";
    booking->cart = "basket";
    booking->payment = "pi_3Q";
    booking->note = "window";
    booking->meta = "{\"a\":1}";
    booking->ttl_s = 31536000;
    booking->wants = "{\"op\":\"hold\"}";
}

/* The same with a show of which nothing is absent. */
static struct record_port *with_full_show(struct position *position)
{
    struct record_port *record = fixture_patient_record();
    *position = fixture_acquire(record, 0, USHER_OK);
    fixture_batch_begin(&one, position);
    fixture_add_show(&one);
    fill_catalogue(&one);
    fixture_commit(record, &one, position, USHER_OK);
    return record;
}

static void a_batch_is_read_back_as_written(void **state)
{
    (void)state;
    struct position position;
    struct record_port *record = with_full_show(&position);
    fixture_batch_begin(&two, &position);
    struct booking_row *hold = fixture_add_hold(&two, 10);
    fill_booking(hold);
    const int64_t nos[] = {hold->no, row_number(FIXTURE_PARTITION, 9), INT64_MAX};
    two.decisions[0].traceparent = "00-1";
    two.decisions[0].cloud_events = true;
    two.decisions[0].reason = USHER_INTERNAL;
    two.decisions[0].booking_nos = nos;
    two.decisions[0].booking_no_count = 3;
    fixture_commit(record, &two, &position, USHER_OK);

    struct load_result result = load_show(record);
    assert_int_equal(1, result.resource_count);
    const struct loaded_resource *show = &result.resources[0];
    same_row(PG_ROW_RESOURCE, &one.resources[0], &show->row);
    assert_string_equal("{}", show->chart.content);
    assert_int_equal(1, show->pool_count);
    same_row(PG_ROW_POOL, &one.pools[0], &show->pools[0]);
    assert_int_equal(2, show->unit_count);
    assert_int_equal(21, show->units[0].unit + show->units[1].unit);
    assert_int_equal(BOOKING_HELD, show->units[0].state);
    assert_int_equal(0, show->waiting_count);
    assert_int_equal(1, result.first_count);
    same_row(PG_ROW_DECISION, &two.decisions[0], &result.firsts[0]);
    assert_int_equal(1, result.booking_count);
    same_booking(hold, &result.bookings[0]);
    assert_int_equal(1, result.due_count);
    same_booking(hold, &result.due[0]);
    assert_int_equal(3,
                     fixture_number(state, "select count(*) from usher.decision as d"
                                           " join usher.cart_decision as c using (partition, seq)"
                                           " where c.booking = any (d.booking_nos)"));
    pg_record_close(record);
}

/* What is absent comes back as absent, not as nothing or as 1970. */
static void what_is_absent_is_read_back_as_absent(void **state)
{
    (void)state;
    struct position position;
    struct record_port *record = with_show(&position);
    const struct fixture_batch show = one;
    fixture_batch_begin(&two, &position);
    struct booking_row *hold = fixture_add_hold(&two, 10);
    hold->customer = NULL;
    fixture_commit(record, &two, &position, USHER_OK);
    struct load_result result = load_show(record);
    same_row(PG_ROW_RESOURCE, &show.resources[0], &result.resources[0].row);
    same_row(PG_ROW_POOL, &show.pools[0], &result.resources[0].pools[0]);
    same_row(PG_ROW_DECISION, &two.decisions[0], &result.firsts[0]);
    same_booking(hold, &result.bookings[0]);
    pg_record_close(record);
}

/* Their order is the database's, as after a migration that adds one that another has before. */
static void columns_are_sent_in_the_order_of_their_type(void **state)
{
    struct position position;
    sample_sql(state, "alter type usher.chart_row drop attribute hash, add attribute hash text");
    struct record_port *record = with_show(&position);
    fixture_batch_begin(&two, &position);
    fixture_add_hold(&two, 10);
    fixture_commit(record, &two, &position, USHER_OK);
    struct load_result result = load_show(record);
    assert_string_equal("{}", result.resources[0].chart.content);
    pg_record_close(record);
    sample_sql(state,
               "alter type usher.chart_row drop attribute content, add attribute content text");
}

static void assert_refused(const char *text)
{
    struct position position;
    struct usher_error err = {0};
    struct record_port *record = fixture_record();
    assert_int_equal(USHER_FATAL, record->acquire(record->self, 0, &position, &err));
    if (!strstr(err.text, text))
        fail_msg("%s", err.text);
    pg_record_close(record);
}

static void a_type_with_other_columns_is_refused(void **state)
{
    sample_sql(state, "alter type usher.chart_row add attribute more text");
    assert_refused("type usher.chart_row has different columns");
    sample_sql(state, "alter type usher.chart_row drop attribute more, drop attribute content");
    assert_refused("content");
    sample_sql(state, "alter type usher.chart_row add attribute content text");
    sample_sql(state, "alter type usher.dead_letter_row drop attribute value");
    assert_refused("more target columns");
    sample_sql(state, "alter type usher.dead_letter_row add attribute value bytea");
}

static void changes_are_net_and_deletes_come_first(void **state)
{
    struct position position;
    struct record_port *record = with_show(&position);
    const struct resource_row show = one.resources[0];
    const struct pool_row pool = one.pools[0];
    fixture_batch_begin(&one, &position);
    struct booking_row held = *fixture_add_hold(&one, 10);
    fixture_commit(record, &one, &position, USHER_OK);

    /* The hold is released and its units go to another in the same batch; the show is changed. */
    fixture_batch_begin(&two, &position);
    fixture_add_hold(&two, 10);
    struct booking_row *released = fixture_change(&two, &held, BOOKING_RELEASED);
    fill_booking(released);
    released->client = held.client; /* that and the request's meta never change */
    released->meta = held.meta;
    released->customer = "c2";
    released->created_ms++;
    released->expires_ms = USHER_ABSENT;
    released->total = 1;
    released->lines = "[]";
    released->lines_size = 2;
    for (int32_t i = 0; i < 2; i++)
        two.freed[two.batch.freed_count++] =
            (struct allocation_row){.pool = fixture_pool_no(), .unit = 10 + i, .booking = held.no};
    two.resources[two.batch.resource_count++] = show;
    two.pools[two.batch.pool_count++] = pool;
    fill_catalogue(&two);
    two.resources[0].state = USHER_CLOSED;
    two.resources[0].rev = 3;
    two.resources[0].chart = NULL;
    two.resources[0].is_new = two.pools[0].is_new = false;
    two.pools[0].kind = USHER_SECTION;
    two.pools[0].capacity = 50;
    two.pools[0].taken = (struct unit_counts){20, 15, 15};
    fixture_commit(record, &two, &position, USHER_OK);

    struct load_result result = load_show(record);
    same_booking(released, &result.bookings[0]);
    same_row(PG_ROW_RESOURCE, &two.resources[0], &result.resources[0].row);
    same_row(PG_ROW_POOL, &two.pools[0], &result.resources[0].pools[0]);
    assert_int_equal(2, fixture_number(state, "select count(*) from usher.allocation"
                                              " where booking & 255 = 3"));
    assert_int_equal(1, result.due_count);
    pg_record_close(record);
}

/* What selling changes of a resource; all the rest of its row stays as it was. */
static void a_mark_changes_nothing_else(void **state)
{
    (void)state;
    struct position position;
    struct record_port *record = with_full_show(&position);
    fixture_batch_begin(&two, &position);
    fixture_add_hold(&two, 10);
    struct resource_row expected = one.resources[0];
    expected.rev = 17;
    expected.cancelling = "fire";
    expected.unserved = false;
    expected.takings = 9000;
    expected.promised = 4500;
    expected.by_rate = "{\"0\":{\"early\":1}}";
    two.marks[two.batch.resource_mark_count++] =
        (struct resource_mark){.no = expected.no,
                               .rev = expected.rev,
                               .cancelling = expected.cancelling,
                               .unserved = expected.unserved,
                               .takings = expected.takings,
                               .promised = expected.promised,
                               .by_rate = expected.by_rate};
    fixture_commit(record, &two, &position, USHER_OK);
    struct load_result result = load_show(record);
    same_row(PG_ROW_RESOURCE, &expected, &result.resources[0].row);
    pg_record_close(record);
}

/* Nothing but the show is there, and the partition stands behind it. */
static void assert_only_the_show(void **state)
{
    assert_int_equal(0, fixture_number(state, "select count(*) from usher.booking"));
    assert_int_equal(0, fixture_number(state, "select count(*) from usher.allocation"));
    assert_int_equal(1, fixture_number(state, "select count(*) from usher.decision"));
    assert_int_equal(2, fixture_number(state, "select next_seq from usher.partition_state"));
}

static void who_had_a_booking_before_is_kept(void **state)
{
    struct position position;
    struct record_port *record = with_show(&position);
    const char *const owners[] = {"c2", "c1", "c2", "c2", "c3"};
    fixture_batch_begin(&one, &position);
    struct booking_row held = *fixture_add_hold(&one, 10);
    fixture_add_hold(&one, 20);
    fixture_commit(record, &one, &position, USHER_OK);
    for (size_t i = 0; i < sizeof owners / sizeof *owners; i++) {
        fixture_batch_begin(&two, &position);
        struct booking_row *row = fixture_change(&two, &held, BOOKING_HELD);
        row->customer = owners[i];
        held = *row;
        fixture_commit(record, &two, &position, USHER_OK);
    }
    assert_int_equal(2, fixture_number(state, "select count(*) from usher.former_owner"));
    assert_int_equal(2, fixture_number(state, "select count(*) from usher.former_owner"
                                              " where customer in ('c1', 'c2')"
                                              "   and booking = (1::bigint << 48) + 2"));
    pg_record_close(record);
}

/* Each state by its name, and which of them must end by themselves. */
static void states_are_stored_by_name(void **state)
{
    const struct {
        enum booking_state state;
        const char *name;
        bool ends;
    } rows[] = {
        {BOOKING_HELD, "held", true},
        {BOOKING_CONFIRMED, "confirmed", false},
        {BOOKING_BLOCKED, "blocked", false},
        {BOOKING_WAITING, "waiting", true},
        {BOOKING_RELEASED, "released", false},
        {BOOKING_EXPIRED, "expired", false},
        {BOOKING_CANCELLED, "cancelled", false},
        {BOOKING_LEFT, "left", false},
    };
    assert_int_equal(BOOKING_STATE_COUNT - 1, sizeof rows / sizeof *rows);
    struct position position;
    struct record_port *record = with_show(&position);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char sql[128];
        fixture_batch_begin(&one, &position);
        struct booking_row *booking = fixture_add_hold(&one, 2 * (int32_t)i);
        booking->state = rows[i].state;
        fixture_commit(record, &one, &position, USHER_OK);
        snprintf(sql, sizeof sql,
                 "select count(*) from usher.booking where no & 65535 = %d and state = '%s'",
                 (int)(booking->no & 65535), rows[i].name);
        assert_int_equal(1, fixture_number(state, sql));

        fixture_batch_begin(&one, &position);
        booking = fixture_add_hold(&one, 100 + 2 * (int32_t)i);
        booking->state = rows[i].state;
        booking->expires_ms = USHER_ABSENT;
        struct position before = position;
        fixture_commit(record, &one, &position, rows[i].ends ? USHER_REJECT : USHER_OK);
        if (rows[i].ends)
            position = fixture_acquire(record, before.epoch, USHER_OK);
    }
    pg_record_close(record);
}

static void the_guard_refuses_another_epoch_offset_or_seq(void **state)
{
    const int32_t epochs[] = {1, 0, 0};
    const int64_t offsets[] = {0, 1, 0}, seqs[] = {0, 0, 1};
    for (int i = 0; i < 3; i++) {
        struct position position;
        fixture_teardown(state);
        fixture_setup(state);
        struct record_port *record = with_show(&position);
        struct position wrong = position;
        wrong.epoch += epochs[i];
        wrong.next_offset += offsets[i];
        wrong.next_seq += seqs[i];
        fixture_batch_begin(&one, &wrong);
        fixture_add_hold(&one, 10);
        fixture_commit(record, &one, &wrong, USHER_FENCED);
        assert_only_the_show(state);
        pg_record_close(record);
    }
}

static void a_batch_that_does_not_move_is_refused(void **state)
{
    struct position position;
    struct record_port *record = with_show(&position);
    fixture_batch_begin(&one, &position);
    one.batch.next_offset = one.batch.expected_next_offset;
    fixture_commit(record, &one, &position, USHER_HALT);
    assert_only_the_show(state);
    pg_record_close(record);
}

static void a_row_that_is_not_as_expected_leaves_nothing(void **state)
{
    for (int kind = 0; kind < 5; kind++) {
        struct position position;
        fixture_teardown(state);
        fixture_setup(state);
        struct record_port *record = with_show(&position);
        fixture_batch_begin(&one, &position);
        struct booking_row changed = *fixture_add_hold(&one, 10);
        changed.from = BOOKING_CONFIRMED;
        changed.no = row_number(FIXTURE_PARTITION, 77);
        if (kind == 0)
            one.changed[one.batch.bookings_changed_count++] = changed;
        else if (kind == 1)
            one.freed[one.batch.freed_count++] =
                (struct allocation_row){fixture_pool_no(), 5, changed.no};
        else if (kind == 2)
            one.resources[one.batch.resource_count++] = (struct resource_row){
                .no = fixture_show_no(), .id = "show:x", .state = USHER_OPEN, .rev = 0};
        else if (kind == 3)
            one.marks[one.batch.resource_mark_count++] =
                (struct resource_mark){.no = fixture_show_no(), .rev = 0};
        else
            one.pools[one.batch.pool_count++] = (struct pool_row){
                .no = fixture_pool_no(), .resource_no = 5, .name = "x", .night = NIGHT_NONE};
        fixture_commit(record, &one, &position, USHER_HALT);
        assert_only_the_show(state);
        pg_record_close(record);
    }
}

static void a_unit_taken_twice_is_refused_by_the_key(void **state)
{
    struct position position;
    struct record_port *record = with_show(&position);
    fixture_batch_begin(&one, &position);
    fixture_add_hold(&one, 10);
    fixture_add_hold(&one, 11);
    fixture_commit(record, &one, &position, USHER_HALT);
    assert_only_the_show(state);
    pg_record_close(record);
}

static void text_that_is_no_utf8_is_refused_as_data(void **state)
{
    struct position position;
    struct record_port *record = with_show(&position);
    fixture_batch_begin(&one, &position);
    fixture_add_hold(&one, 10)->customer = "\377";
    fixture_commit(record, &one, &position, USHER_REJECT);
    assert_only_the_show(state);
    pg_record_close(record);
}

/* PostgreSQL would drop the connection for it, again and again: so would one request be set aside.
 */
static void what_is_too_large_for_a_message_is_refused_as_data(void **state)
{
    struct position position;
    struct usher_error err = {0};
    pg_record_close(with_show(&position));
    struct record_port *record = fixture_record_of_parameters(2048);
    position = fixture_acquire(record, 0, USHER_OK);
    fixture_batch_begin(&one, &position);
    for (int i = 0; i < FIXTURE_ROWS; i++)
        fixture_add_hold(&one, 10 + 2 * i);
    assert_int_equal(USHER_REJECT, record->commit_begin(record->self, &one.batch, &err));
    assert_non_null(strstr(err.text, "more than PostgreSQL takes at once"));
    assert_only_the_show(state);
    position = fixture_acquire(record, position.epoch, USHER_OK);
    fixture_batch_begin(&one, &position);
    fixture_add_hold(&one, 10);
    fixture_commit(record, &one, &position, USHER_OK);
    pg_record_close(record);
}

static void what_is_in_flight_behind_a_failure_fails_too(void **state)
{
    struct position position;
    struct record_port *record = with_show(&position);
    struct usher_error err = {0};
    fixture_batch_begin(&one, &position);
    fixture_add_hold(&one, 10);
    fixture_add_hold(&one, 10);
    struct position next = position;
    next.next_offset = one.batch.next_offset;
    next.next_seq = one.batch.next_seq;
    fixture_batch_begin(&two, &next);
    fixture_add_hold(&two, 20);
    assert_int_equal(USHER_OK, record->commit_begin(record->self, &one.batch, &err));
    assert_int_equal(USHER_OK, record->commit_begin(record->self, &two.batch, &err));
    assert_int_equal(USHER_HALT, fixture_end(record, &err));
    bool done;
    assert_int_equal(USHER_RETRY, record->commit_end(record->self, 0, &done, &err));

    struct position after = fixture_acquire(record, position.epoch, USHER_OK);
    assert_int_equal(position.epoch + 1, after.epoch);
    assert_int_equal(position.next_seq, after.next_seq);
    assert_int_equal(position.next_offset, after.next_offset);
    assert_only_the_show(state);
    pg_record_close(record);
}

static void an_expiry_that_fails_leaves_no_hole_in_seq(void **state)
{
    struct position position;
    struct record_port *record = with_show(&position);
    struct usher_error err = {0};
    /* No record: the offset stays, and only seq can tell the next batch that this one failed. */
    fixture_batch_begin(&one, &position);
    struct booking_row *hold = fixture_add_hold(&one, 10);
    hold->customer = "\377";
    one.batch.next_offset = one.batch.expected_next_offset;
    struct position next = position;
    next.next_seq = one.batch.next_seq;
    fixture_batch_begin(&two, &next);
    fixture_add_hold(&two, 20);
    assert_int_equal(USHER_OK, record->commit_begin(record->self, &one.batch, &err));
    assert_int_equal(USHER_OK, record->commit_begin(record->self, &two.batch, &err));
    assert_int_equal(USHER_REJECT, fixture_end(record, &err));
    fixture_acquire(record, position.epoch, USHER_OK);
    assert_only_the_show(state);
    pg_record_close(record);
}

/* Two batches in flight, of which the first is refused for its text, in a partition with a show. */
static struct record_port *with_refusal(struct position *position)
{
    struct record_port *record = with_show(position);
    struct usher_error err = {0};
    struct position next = *position;
    fixture_batch_begin(&one, position);
    fixture_add_hold(&one, 10)->customer = "\377";
    next.next_offset = one.batch.next_offset;
    next.next_seq = one.batch.next_seq;
    fixture_batch_begin(&two, &next);
    fixture_add_hold(&two, 20);
    assert_int_equal(USHER_OK, record->commit_begin(record->self, &one.batch, &err));
    assert_int_equal(USHER_OK, record->commit_begin(record->self, &two.batch, &err));
    assert_int_equal(USHER_REJECT, fixture_end(record, &err));
    return record;
}

/* Twice, as where the record that is refused has yet to be found. */
static void behind_a_refusal_it_goes_on_in_the_same_epoch(void **state)
{
    struct position position;
    struct record_port *record = with_refusal(&position);
    struct usher_error err = {0};
    assert_int_equal(USHER_OK, record->rewind(record->self, &err));
    assert_only_the_show(state);
    fixture_commit(record, &one, &position, USHER_REJECT);
    assert_int_equal(USHER_OK, record->rewind(record->self, &err));
    fixture_batch_begin(&one, &position);
    fixture_add_hold(&one, 10);
    fixture_commit(record, &one, &position, USHER_OK);
    fixture_batch_begin(&one, &position);
    fixture_add_hold(&one, 20);
    fixture_commit(record, &one, &position, USHER_OK);
    assert_int_equal(2, fixture_number(state, "select count(*) from usher.booking"));
    assert_int_equal(position.epoch,
                     fixture_number(state, "select epoch from usher.partition_state"));
    pg_record_close(record);
}

static void behind_a_refusal_nothing_else_goes_on(void **state)
{
    struct position position;
    struct record_port *record = with_refusal(&position);
    struct usher_error err = {0};
    bool done;
    assert_int_equal(USHER_RETRY, record->commit_end(record->self, 0, &done, &err));
    assert_int_equal(USHER_RETRY, record->commit_begin(record->self, &one.batch, &err));
    assert_only_the_show(state);
    fixture_acquire(record, position.epoch, USHER_OK);
    assert_int_equal(USHER_RETRY, record->rewind(record->self, &err)); /* nothing was refused */
    pg_record_close(record);
}

static void several_in_flight_commit_in_order(void **state)
{
    struct position position;
    struct record_port *record = with_show(&position);
    struct fixture_batch *batches = calloc(PG_COMMIT_DEPTH, sizeof *batches);
    struct usher_error err = {0};
    for (int i = 0; i < PG_COMMIT_DEPTH; i++) {
        fixture_batch_begin(&batches[i], &position);
        fixture_add_hold(&batches[i], 10 * i);
        position.next_offset = batches[i].batch.next_offset;
        position.next_seq = batches[i].batch.next_seq;
        assert_int_equal(USHER_OK, record->commit_begin(record->self, &batches[i].batch, &err));
    }
    for (int i = 0; i < PG_COMMIT_DEPTH; i++)
        assert_int_equal(USHER_OK, fixture_end(record, &err));
    assert_int_equal(PG_COMMIT_DEPTH, fixture_number(state, "select count(*) from usher.booking"));
    free(batches);
    pg_record_close(record);
}

static void admin_does(void **state, const char *sql)
{
    PGresult *result = PQexec(*state, sql);
    assert_int_equal(PGRES_COMMAND_OK, PQresultStatus(result));
    PQclear(result);
}

/* libpq reads the answer to one batch while it sends the next. */
static void an_answer_that_was_read_beside_sending_wakes_the_caller(void **state)
{
    struct position position;
    struct record_port *record = with_show(&position);
    struct usher_error err = {0};
    bool done = false;
    fixture_batch_begin(&one, &position);
    fixture_add_hold(&one, 10);
    position.next_offset = one.batch.next_offset;
    position.next_seq = one.batch.next_seq;
    assert_int_equal(USHER_OK, record->commit_begin(record->self, &one.batch, &err));
    struct pollfd wait = {.fd = record->descriptor(record->self), .events = POLLIN};
    assert_int_equal(1, poll(&wait, 1, FIXTURE_PATIENCE_MS));
    admin_does(state, "begin");
    admin_does(state, "lock table usher.booking in share mode");
    fixture_batch_begin(&two, &position);
    fixture_add_hold(&two, 20);
    assert_int_equal(USHER_OK, record->commit_begin(record->self, &two.batch, &err));
    assert_int_equal(1, poll(&wait, 1, FIXTURE_LOCK_TIMEOUT_MS / 2));
    assert_int_equal(USHER_OK, record->commit_end(record->self, 0, &done, &err));
    assert_true(done);
    assert_int_equal(0, poll(&wait, 1, 0)); /* nothing is to be done now */
    admin_does(state, "rollback");
    assert_int_equal(USHER_OK, fixture_end(record, &err));
    pg_record_close(record);
}

/* A batch far larger than the socket's buffers: only the descriptor tells when to go on. */
static void a_large_batch_leaves_while_the_caller_polls(void **state)
{
    struct position position;
    struct record_port *record = with_show(&position);
    struct usher_error err = {0};
    char *body = malloc(500001);
    bool done = false;
    memset(body, 'x', 500000);
    body[500000] = '\0';
    fixture_batch_begin(&one, &position);
    for (int32_t i = 0; i < 40; i++) {
        fixture_add_hold(&one, 2 * i);
        one.decisions[i].body = body;
        one.decisions[i].body_size = 500000;
    }
    assert_int_equal(USHER_OK, record->commit_begin(record->self, &one.batch, &err));
    for (int turns = 0; !done && turns < 100000; turns++) {
        struct pollfd wait = {.fd = record->descriptor(record->self), .events = POLLIN};
        assert_int_equal(1, poll(&wait, 1, FIXTURE_PATIENCE_MS));
        if (record->commit_end(record->self, 0, &done, &err) != USHER_OK)
            fail_msg("commit: %s", err.text);
    }
    assert_true(done);
    assert_int_equal(41, fixture_number(state, "select count(*) from usher.decision"));

    /* Read back in pages of about 8 MiB, each row once. */
    int64_t seq = 0;
    uint32_t pages = 0, count, total = 0;
    do {
        struct decision_row *rows;
        usher_arena_reset(&arena);
        assert_int_equal(USHER_OK,
                         record->decisions(record->self, seq, 1000, &arena, &rows, &count, &err));
        for (uint32_t i = 0; i < count; i++)
            assert_int_equal(++seq, rows[i].seq);
        total += count;
        pages++;
        assert_true(count <= 18);
    } while (count > 0);
    assert_int_equal(41, total);
    assert_true(pages >= 4);
    free(body);
    pg_record_close(record);
}

static void dead_letters_keep_their_bytes(void **state)
{
    (void)state;
    struct position position;
    struct record_port *record = with_show(&position);
    struct usher_error err = {0};
    struct dead_letter_row *rows;
    uint32_t count;
    fixture_batch_begin(&one, &position);
    fixture_add_hold(&one, 10);
    one.dead_letters[one.batch.dead_letter_count++] =
        (struct dead_letter_row){.seq = one.decisions[0].seq,
                                 .source_offset = 7,
                                 .value = "a\0\377",
                                 .value_size = 3,
                                 .truncated = true,
                                 .reason = USHER_MALFORMED};
    fixture_commit(record, &one, &position, USHER_OK);
    usher_arena_reset(&arena);
    assert_int_equal(USHER_OK,
                     record->dead_letters(record->self, 0, 10, &arena, &rows, &count, &err));
    assert_int_equal(1, count);
    assert_int_equal(7, rows[0].source_offset);
    assert_null(rows[0].key);
    assert_int_equal(3, rows[0].value_size);
    assert_memory_equal("a\0\377", rows[0].value, 3);
    assert_true(rows[0].truncated);
    assert_int_equal(
        USHER_OK, record->dead_letters(record->self, rows[0].seq, 10, &arena, &rows, &count, &err));
    assert_int_equal(0, count);
    pg_record_close(record);
}

int main(void)
{
#define WITH_DATABASE(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        WITH_DATABASE(a_batch_is_read_back_as_written),
        WITH_DATABASE(what_is_absent_is_read_back_as_absent),
        WITH_DATABASE(columns_are_sent_in_the_order_of_their_type),
        WITH_DATABASE(a_type_with_other_columns_is_refused),
        WITH_DATABASE(changes_are_net_and_deletes_come_first),
        WITH_DATABASE(a_mark_changes_nothing_else),
        WITH_DATABASE(who_had_a_booking_before_is_kept),
        WITH_DATABASE(states_are_stored_by_name),
        WITH_DATABASE(the_guard_refuses_another_epoch_offset_or_seq),
        WITH_DATABASE(a_batch_that_does_not_move_is_refused),
        WITH_DATABASE(a_row_that_is_not_as_expected_leaves_nothing),
        WITH_DATABASE(a_unit_taken_twice_is_refused_by_the_key),
        WITH_DATABASE(text_that_is_no_utf8_is_refused_as_data),
        WITH_DATABASE(what_is_too_large_for_a_message_is_refused_as_data),
        WITH_DATABASE(what_is_in_flight_behind_a_failure_fails_too),
        WITH_DATABASE(an_expiry_that_fails_leaves_no_hole_in_seq),
        WITH_DATABASE(behind_a_refusal_it_goes_on_in_the_same_epoch),
        WITH_DATABASE(behind_a_refusal_nothing_else_goes_on),
        WITH_DATABASE(several_in_flight_commit_in_order),
        WITH_DATABASE(an_answer_that_was_read_beside_sending_wakes_the_caller),
        WITH_DATABASE(a_large_batch_leaves_while_the_caller_polls),
        WITH_DATABASE(dead_letters_keep_their_bytes),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    usher_arena_deinit(&arena);
    return failed;
}
