/*
 * Sealing: the net effect of what a batch decided. Names of bookings below are also the ids of the
 * requests that made them.
 */
#include <stdio.h>
#include <string.h>

#include "sealed_hall.h"
#include "tests/unit/unit.h"

#define MUGS(id, op, quantity) \
    ASK(id, op, ",'customer':'c','items':[{'product':'mug','quantity':" quantity "}]")

/* ---- one batch ---- */

static void an_empty_batch_has_no_effect(void **state)
{
    struct rig *rig = *state;
    const struct batch *batch = sealed(rig);
    assert_int_equal(0, batch->freed_count + batch->taken_count + batch->booking_count);
    assert_int_equal(0, batch->bookings_changed_count + batch->resource_count + batch->pool_count);
    assert_int_equal(0, batch->chart_count + batch->pool_move_count + batch->resource_mark_count);
    sealed_notes(rig, 0, 0);
}

static void a_hold_is_inserted_with_its_units(void **state)
{
    struct rig *rig = *state;
    int64_t no = rig_decide(rig, SEATS("h", "hold", "'A-2','A-3'"))->seq;
    const struct batch *batch = sealed(rig);
    assert_int_equal(1, batch->booking_count);
    assert_int_equal(no, batch->bookings[0].no);
    assert_int_equal(BOOKING_HELD, batch->bookings[0].state);
    assert_int_equal(BOOKING_NONE, batch->bookings[0].from);
    assert_non_null(strstr(batch->bookings[0].lines, "[[0,0,0,[1,2],"));
    assert_int_equal(2, batch->taken_count);
    sealed_row(&batch->taken[0], sealed_pool_no(rig, 0), 1, no);
    sealed_row(&batch->taken[1], sealed_pool_no(rig, 0), 2, no);
    assert_int_equal(0, batch->freed_count + batch->bookings_changed_count + batch->pool_count);
    assert_int_equal(0, batch->pool_move_count);
    sealed_notes(rig, 1 << 1 | 1 << 2, 1 << 0);
    assert_int_equal(0, batch->resource_count); /* its row as a whole did not change */
    sealed_mark(batch, no, false);
}

static void a_unit_taken_and_given_back_leaves_no_trace(void **state)
{
    struct rig *rig = *state;
    (void)rig_decide(rig, SEATS("h", "hold", "'A-2'"));
    int64_t rev = rig_decide(rig, ASK("l", "release", OF("h")))->seq;
    const struct batch *batch = sealed(rig);
    assert_int_equal(0, batch->freed_count + batch->taken_count);
    sealed_notes(rig, 0, 0);
    assert_int_equal(1, batch->booking_count); /* it was, and its answers say so */
    assert_int_equal(BOOKING_RELEASED, batch->bookings[0].state);
    assert_int_equal(0, batch->bookings_changed_count);
    sealed_mark(batch, rev, false);
}

static void a_unit_moves_from_one_to_another(void **state)
{
    struct rig *rig = *state;
    int64_t a = rig_ask(rig, SEATS("a", "hold", "'A-2'"))->seq;
    (void)rig_decide(rig, ASK("l", "release", OF("a")));
    int64_t b = rig_decide(rig, SEATS("b", "book", "'A-2'"))->seq;
    const struct batch *batch = sealed(rig);
    assert_int_equal(1, batch->freed_count);
    sealed_row(&batch->freed[0], sealed_pool_no(rig, 0), 1, a);
    assert_int_equal(1, batch->taken_count);
    sealed_row(&batch->taken[0], sealed_pool_no(rig, 0), 1, b);
    assert_int_equal(1, batch->bookings_changed_count);
    assert_int_equal(BOOKING_HELD, batch->bookings_changed[0].from);
    assert_int_equal(BOOKING_RELEASED, batch->bookings_changed[0].state);
    sealed_notes(rig, 1 << 1, 1 << 0);
}

static void a_confirm_moves_no_unit(void **state)
{
    struct rig *rig = *state;
    (void)rig_ask(rig, SEATS("h", "hold", "'A-2'"));
    (void)rig_decide(rig, ASK("k", "confirm", OF("h") ",'payment':'pi'"));
    const struct batch *batch = sealed(rig);
    assert_int_equal(0, batch->freed_count + batch->taken_count + batch->booking_count);
    assert_int_equal(1, batch->bookings_changed_count);
    assert_int_equal(BOOKING_HELD, batch->bookings_changed[0].from);
    assert_int_equal(BOOKING_CONFIRMED, batch->bookings_changed[0].state);
    assert_int_equal(USHER_ABSENT, batch->bookings_changed[0].expires_ms);
    assert_string_equal("pi", batch->bookings_changed[0].payment);
    sealed_notes(rig, 1 << 1, 1 << 0);
}

static void a_booking_that_went_through_all_is_written_once(void **state)
{
    struct rig *rig = *state;
    (void)rig_decide(rig, SEATS("h", "hold", "'A-2'"));
    (void)rig_decide(rig, ASK("k", "confirm", OF("h")));
    (void)rig_decide(rig, ASK("x", "cancel", OF("h")));
    (void)rig_decide(rig, SEATS("h2", "hold", "'A-2'"));
    (void)rig_decide(rig, ASK("k2", "confirm", OF("h2")));
    const struct batch *batch = sealed(rig);
    assert_int_equal(2, batch->booking_count);
    assert_int_equal(BOOKING_CANCELLED, batch->bookings[0].state);
    assert_int_equal(BOOKING_CONFIRMED, batch->bookings[1].state);
    assert_int_equal(1, batch->taken_count);
    assert_int_equal(batch->bookings[1].no, batch->taken[0].booking);
    sealed_notes(rig, 1 << 1, 1 << 0);
    assert_int_equal(5, batch->decision_count);
}

/* ---- late confirms: the same booking with other units ---- */

static void expire(struct rig *rig)
{
    rig->now_ms += 900000;
    assert_int_equal(1, rig_expire(rig));
}

static const char hold_rooms[] = ASK("h", "hold", ",'customer':'c'," ROOMS("2"));
static const char book_room[] = ASK("o", "book", ",'customer':'c'," ROOMS("1"));

static void an_expiry_and_a_late_confirm_with_the_same_units_is_a_sale(void **state)
{
    struct rig *rig = *state;
    (void)rig_ask(rig, hold_rooms);
    expire(rig);
    (void)rig_decide(rig, ASK("k", "confirm", OF("h")));
    const struct batch *batch = sealed(rig);
    assert_int_equal(0, batch->freed_count + batch->taken_count);
    assert_int_equal(BOOKING_HELD, batch->bookings_changed[0].from);
    assert_int_equal(BOOKING_CONFIRMED, batch->bookings_changed[0].state);
    sealed_notes(rig, 0, 1 << 2);
}

/* Of its two the first is gone: the second stays, and another comes. */
static void a_late_confirm_with_other_units_gives_and_takes(void **state)
{
    struct rig *rig = *state;
    int64_t no = rig_ask(rig, hold_rooms)->seq;
    expire(rig);
    int64_t other = rig_decide(rig, book_room)->seq; /* unit 0 */
    (void)rig_decide(rig, ASK("k", "confirm", OF("h")));
    const struct batch *batch = sealed(rig);
    assert_int_equal(1, batch->freed_count);
    sealed_row(&batch->freed[0], sealed_pool_no(rig, 2), 0, no);
    assert_int_equal(2, batch->taken_count);
    sealed_row(&batch->taken[0], sealed_pool_no(rig, 2), 2, no);
    sealed_row(&batch->taken[1], sealed_pool_no(rig, 2), 0, other);
    assert_int_equal(1, batch->bookings_changed_count);
    assert_string_equal("[[0,2,0,[1,2]]]", batch->bookings_changed[0].lines);
    sealed_notes(rig, 0, 1 << 2);
}

static void a_late_confirm_batches_later_takes_only(void **state)
{
    struct rig *rig = *state;
    (void)rig_ask(rig, hold_rooms);
    expire(rig);
    const struct batch *batch = sealed(rig);
    assert_int_equal(2, batch->freed_count);
    assert_int_equal(0, batch->taken_count);
    (void)rig_decide(rig, book_room);
    (void)rig_decide(rig, ASK("k", "confirm", OF("h")));
    batch = sealed(rig);
    assert_int_equal(0, batch->freed_count);
    assert_int_equal(3, batch->taken_count);
    assert_int_equal(BOOKING_EXPIRED, batch->bookings_changed[0].from);
}

/* ---- several batches in flight ---- */

static void each_batch_has_its_own_step(void **state)
{
    struct rig *rig = *state;
    (void)rig_decide(rig, SEATS("h", "hold", "'A-2'"));
    assert_int_equal(1, sealed(rig)->booking_count);
    (void)rig_decide(rig, ASK("k", "confirm", OF("h")));
    const struct batch *batch = sealed(rig);
    assert_int_equal(BOOKING_HELD, batch->bookings_changed[0].from);
    assert_int_equal(BOOKING_CONFIRMED, batch->bookings_changed[0].state);
    (void)rig_decide(rig, ASK("x", "cancel", OF("h")));
    batch = sealed(rig);
    assert_int_equal(BOOKING_CONFIRMED, batch->bookings_changed[0].from);
    assert_int_equal(1, batch->freed_count);
}

/* Rows must not change when what they were made from does. */
static void rows_in_flight_stay_as_they_were(void **state)
{
    struct rig *rig = *state;
    (void)rig_decide(rig, ASK("d1", "define", ",'name':'a name'"));
    (void)rig_decide(rig, hold_rooms);
    const struct batch *batch = sealed(rig);
    expire(rig);
    (void)rig_decide(rig, book_room);
    (void)rig_decide(rig, ASK("k", "confirm", OF("h") ",'payment':'pi'"));
    (void)rig_decide(rig, ASK("d2", "define",
                              ",'name':'another name','sections':[{'section':"
                              "'stalls','capacity':0}]"));
    (void)sealed(rig);
    assert_string_equal("[[0,2,0,[0,1]]]", batch->bookings[0].lines);
    assert_string_equal("h", batch->bookings[0].request_id);
    assert_string_equal("c", batch->bookings[0].customer);
    assert_null(batch->bookings[0].payment);
    assert_string_equal("r", batch->resources[0].id);
    assert_string_equal("a name", batch->resources[0].name);
}

/* ---- the catalogue ---- */

static void a_define_writes_what_changed(void **state)
{
    struct rig *rig = *state;
    (void)rig_decide(rig, ASK("d2", "define",
                              ",'sections':[{'section':'pit','price':5}],"
                              "'products':[{'product':'mug','capacity':2}]"));
    const struct batch *batch = sealed(rig);
    assert_int_equal(1, batch->resource_count);
    assert_int_equal(2, batch->pool_count);
    assert_string_equal("pit", batch->pools[0].name);
    assert_false(batch->pools[0].is_new);
    assert_int_equal(5, batch->pools[0].price);
    assert_string_equal("mug", batch->pools[1].name);
    assert_true(batch->pools[1].is_new);
    assert_int_equal(row_number(0, 4), batch->pools[1].no);
    assert_int_equal(3, batch->pools[1].index);
    assert_int_equal(0, batch->chart_count); /* the rows are as they were */
}

static void a_new_resource_brings_all_of_it(void **state)
{
    struct rig *rig = *state;
    int64_t seq = rig_decide(rig, "{'request_id':'n','op':'define','resource':'new','rooms':"
                                  "[{'room':'double','from':'2026-12-24','to':'2026-12-26',"
                                  "'capacity':3,'price':9}],'sections':[{'section':'box','rows':"
                                  "[{'row':'L','seats':2}]}]}")
                      ->seq;
    const struct batch *batch = sealed(rig);
    assert_true(batch->resources[0].is_new);
    assert_int_equal(seq, batch->resources[0].no);
    assert_int_equal(seq, batch->resources[0].rev);
    assert_int_equal(3, batch->pool_count);
    assert_int_equal(USHER_SEATS, batch->pools[0].kind);
    assert_int_equal(2, batch->pools[0].capacity);
    assert_int_equal(NIGHT_NONE, batch->pools[0].night);
    assert_int_equal(USHER_ROOM, batch->pools[2].kind);
    int32_t night;
    assert_true(usher_night_parse("2026-12-25", &night));
    assert_int_equal(night, batch->pools[2].night);
    assert_int_equal(1, batch->chart_count);
    assert_string_equal(batch->resources[0].chart, batch->charts[0].name);
    assert_non_null(strstr(batch->charts[0].content, "\"row\":\"L\""));
}

/* Two defines in one batch: one row, as it is in the end, and the chart of the end. */
static void the_last_define_of_a_batch_counts(void **state)
{
    struct rig *rig = *state;
    (void)rig_decide(rig, ASK("d2", "define", ",'products':[{'product':'mug','capacity':2}]"));
    (void)rig_decide(rig, ASK("b", "book",
                              ",'customer':'c','items':[{'product':'mug','quantity'"
                              ":1},{'seats':['A-1']}]"));
    (void)rig_decide(rig, ASK("d3", "define",
                              ",'name':'n','sections':[{'section':'box','rows':"
                              "[{'row':'L','seats':2}]}]"));
    (void)rig_decide(rig, ASK("o", "close", ""));
    const struct batch *batch = sealed(rig);
    assert_int_equal(1, batch->resource_count);
    assert_string_equal("n", batch->resources[0].name);
    assert_int_equal(USHER_CLOSED, batch->resources[0].state);
    assert_int_equal(2, batch->pool_count);
    assert_string_equal("mug", batch->pools[0].name);
    assert_true(batch->pools[0].is_new);
    assert_string_equal("box", batch->pools[1].name);
    assert_int_equal(1, batch->chart_count);
    assert_non_null(strstr(batch->charts[0].content, "\"row\":\"L\""));
    assert_int_equal(1, batch->pools[0].taken.sold);
    assert_int_equal(0, batch->pool_move_count);
    assert_int_equal(1, batch->taken_count);
    sealed_row(&batch->taken[0], sealed_pool_no(rig, 0), 0, batch->bookings[0].no);
}

static void a_define_writes_terms_rates_and_properties(void **state)
{
    struct rig *rig = *state;
    (void)rig_decide(
        rig, ASK("d2", "define",
                 ",'strategy':'first','opens_at':'2020-01-01T00:00:00Z','limits':{'units_min':2},"
                 "'quotas':[{'quota':'q','pools':['pit'],'limit':3}],'products':[{'product':'mug',"
                 "'capacity':2,'overbook':1,'rates':{'red':5,'blue':7},'properties':{'a':1}}]"));
    const struct batch *batch = sealed(rig);
    const struct resource_row *row = &batch->resources[0];
    assert_int_equal(USHER_FIRST, row->strategy);
    assert_int_equal(INT64_C(1577836800000), row->opens_ms);
    assert_non_null(strstr(row->terms, "\"units_min\":2"));
    assert_non_null(strstr(row->terms, "\"quota\":\"q\""));
    assert_null(row->cancelling);
    assert_int_equal(1, batch->pool_count);
    assert_int_equal(3, batch->pools[0].capacity);
    assert_int_equal(1, batch->pools[0].overbook);
    assert_int_equal(5, batch->pools[0].price);
    assert_string_equal("[[\"red\",5],[\"blue\",7]]", batch->pools[0].rates);
    assert_string_equal("{\"a\":1}", batch->pools[0].properties);
}

static void the_takings_are_what_is_sold(void **state)
{
    struct rig *rig = *state;
    (void)rig_decide(rig,
                     ASK("d2", "define", ",'products':[{'product':'mug','capacity':9,'price':5}]"));
    (void)rig_decide(rig, MUGS("b", "book", "3"));
    assert_int_equal(15, sealed(rig)->resources[0].takings);
    rig_commit(rig);
    (void)rig_decide(rig, MUGS("h", "hold", "4"));
    (void)rig_decide(rig,
                     ASK("x", "exchange", OF("h") ",'items':[{'product':'mug','quantity':2}]"));
    const struct resource_mark *mark = sealed(rig)->resource_marks;
    assert_int_equal(15, mark->takings);
    assert_int_equal(10, mark->promised);
    rig_commit(rig);
    (void)rig_decide(rig, ASK("c", "confirm", OF("h")));
    (void)rig_decide(rig,
                     ASK("y", "exchange", OF("b") ",'items':[{'product':'mug','quantity':4}]"));
    mark = sealed(rig)->resource_marks;
    assert_int_equal(30, mark->takings);
    assert_int_equal(0, mark->promised);
    rig_commit(rig);
    (void)rig_decide(rig, ASK("z", "cancel", OF("b")));
    assert_int_equal(10, sealed(rig)->resource_marks[0].takings);
}

/* Rows as "outcome rate client bookings units amount;" in the order in which they came. */
static const char *quarters_of(const struct batch *batch)
{
    static char text[1024];
    size_t size = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < batch->quarter_count; i++) {
        const struct quarter_row *row = &batch->quarters[i];
        assert_int_equal(batch->now_ms - batch->now_ms % QUARTER_MS, row->began_ms);
        size += (size_t)snprintf(text + size, sizeof text - size, "%s %s %s %d %d %d;",
                                 row->outcome, row->rate, row->client, (int)row->bookings,
                                 (int)row->units, (int)row->amount);
    }
    return text;
}

static void what_is_sold_is_kept_by_rate_and_client(void **state)
{
    struct rig *rig = *state;
    (void)rig_decide(rig, ASK("d2", "define",
                              ",'products':[{'product':'mug','capacity':9000,'rates':{'red':5,"
                              "'blue':7}}]"));
    (void)rig_decide(rig, ASK("h", "hold",
                              ",'customer':'c','client':'web','items':[{'product':"
                              "'mug','quantity':4,'rate':'red'}]"));
    assert_string_equal("", quarters_of(sealed(rig))); /* a hold adds nothing */
    rig_commit(rig);
    (void)rig_decide(rig, ASK("c", "confirm", OF("h") ",'client':'web'"));
    (void)rig_decide(rig, ASK("b", "book",
                              ",'customer':'c','client':'web','items':[{'product':"
                              "'mug','quantity':2,'rate':'red'},{'product':'mug',"
                              "'quantity':3,'rate':'blue'}]"));
    (void)rig_decide(rig, ASK("n", "book",
                              ",'customer':'c','items':[{'product':'mug','quantity':"
                              "4000,'rate':'red'},{'product':'mug','quantity':4000,"
                              "'rate':'red'}]"));
    assert_string_equal("sold red web 2 6 30;sold blue web 0 3 21;refused malformed  1 0 0;",
                        quarters_of(sealed(rig)));
    rig_commit(rig);
    (void)rig_decide(rig, ASK("x", "exchange",
                              OF("b") ",'items':[{'product':'mug','quantity':1,"
                                      "'rate':'red'}]"));
    (void)rig_decide(rig, ASK("y", "cancel", OF("h")));
    assert_string_equal("exchanged red web 1 -1 -5;exchanged blue web 0 -3 -21;"
                        "cancelled red web 1 -4 -20;",
                        quarters_of(sealed(rig)));
}

/* What a part has was sold with the whole, and by its client from then on. */
static void a_split_sells_nothing(void **state)
{
    struct rig *rig = *state;
    (void)rig_ask(rig,
                  ASK("d2", "define", ",'products':[{'product':'mug','capacity':9,'price':5}]"));
    (void)rig_ask(rig,
                  ASK("b", "book",
                      ",'customer':'c','payment':'pi','items':[{'product':'mug','quantity':3}]"));
    (void)rig_decide(rig,
                     ASK("t", "transfer",
                         OF("b") ",'to_customer':'d','items':[{'product':'mug','quantity':1}]"));
    const struct batch *batch = sealed(rig);
    assert_string_equal("", quarters_of(batch));
    assert_int_equal(0, batch->pool_move_count);
    assert_int_equal(1, batch->booking_count);
    assert_int_equal(BOOKING_CONFIRMED, batch->bookings[0].state);
    assert_string_equal("pi", batch->bookings[0].payment);
    assert_int_equal(batch->bookings_changed[0].created_ms, batch->bookings[0].created_ms);
    rig_commit(rig);
    /* Taken back in the batch of the split, or sold in it. */
    (void)rig_decide(rig,
                     ASK("u", "transfer",
                         OF("b") ",'to_customer':'d','items':[{'product':'mug','quantity':1}]"));
    (void)rig_decide(rig, ASK("v", "cancel", ",'customer':'d','booking':'u'"));
    (void)rig_decide(rig,
                     ASK("h", "hold", ",'customer':'c','items':[{'product':'mug','quantity':2}]"));
    (void)rig_decide(rig,
                     ASK("w", "transfer",
                         OF("h") ",'to_customer':'c','items':[{'product':'mug','quantity':1}]"));
    (void)rig_decide(rig, ASK("x", "confirm", OF("w")));
    assert_string_equal("cancelled   1 -1 -5;sold   1 1 5;", quarters_of(sealed(rig)));
}

static void a_close_that_cancels_is_remembered(void **state)
{
    struct rig *rig = *state;
    (void)rig_ask(rig, SEATS("h", "hold", "'A-2'"));
    rig->unrequested_limit = 0;
    (void)rig_decide(rig, ASK("o", "close", ",'cancel_bookings':true,'note':'rain'"));
    const struct batch *batch = sealed(rig);
    assert_string_equal("rain", batch->resources[0].cancelling);
    assert_int_equal(0, batch->freed_count);
    rig_commit(rig);
    rig->unrequested_limit = RIG_UNREQUESTED;
    assert_int_equal(1, rig_work(rig));
    batch = sealed(rig);
    assert_int_equal(0, batch->resource_count);
    assert_int_equal(1, batch->resource_mark_count);
    assert_null(batch->resource_marks[0].cancelling);
    assert_int_equal(1, batch->freed_count);
}

static void a_decision_is_found_by_its_seq(void **state)
{
    struct rig *rig = *state;
    const struct decision_row *row = rig_decide(rig, ASK("p", "probe", ""));
    const struct batch *batch = rig_batch(rig);
    assert_ptr_equal(row, batch_decision(batch, row->seq));
    assert_null(batch_decision(batch, row->seq - 1));
    assert_null(batch_decision(batch, row->seq + 1));
    assert_null(batch_decision(batch, INT64_MAX));
}

#define HALL_TEST(test) cmocka_unit_test_setup_teardown(test, open_sealed_hall, close_sealed_hall)
static const struct CMUnitTest tests[] = {
    HALL_TEST(an_empty_batch_has_no_effect),
    HALL_TEST(a_hold_is_inserted_with_its_units),
    HALL_TEST(a_unit_taken_and_given_back_leaves_no_trace),
    HALL_TEST(a_unit_moves_from_one_to_another),
    HALL_TEST(a_confirm_moves_no_unit),
    HALL_TEST(a_booking_that_went_through_all_is_written_once),
    HALL_TEST(an_expiry_and_a_late_confirm_with_the_same_units_is_a_sale),
    HALL_TEST(a_late_confirm_with_other_units_gives_and_takes),
    HALL_TEST(a_late_confirm_batches_later_takes_only),
    HALL_TEST(each_batch_has_its_own_step),
    HALL_TEST(rows_in_flight_stay_as_they_were),
    HALL_TEST(a_define_writes_what_changed),
    HALL_TEST(a_new_resource_brings_all_of_it),
    HALL_TEST(the_last_define_of_a_batch_counts),
    HALL_TEST(a_define_writes_terms_rates_and_properties),
    HALL_TEST(the_takings_are_what_is_sold),
    HALL_TEST(what_is_sold_is_kept_by_rate_and_client),
    HALL_TEST(a_split_sells_nothing),
    HALL_TEST(a_close_that_cancels_is_remembered),
    HALL_TEST(a_decision_is_found_by_its_seq),
};
UNIT_TESTS(test_seal, tests, NULL, NULL)
