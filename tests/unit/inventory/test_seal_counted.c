/*
 * Sealing what is counted: lines have quantities, and each pool moves once a batch, by the net
 * change, from what the batch before left.
 */
#include <string.h>

#include "sealed_hall.h"
#include "tests/unit/unit.h"

#define HOLD(id, items) ASK(id, "hold", ",'customer':'c'," items)
#define BOOK(id, items) ASK(id, "book", ",'customer':'c'," items)

static struct unit_counts counts(uint32_t held, uint32_t sold, uint32_t blocked)
{
    return (struct unit_counts){held, sold, blocked};
}

static void assert_counts(struct unit_counts expected, struct unit_counts found)
{
    assert_int_equal(expected.held, found.held);
    assert_int_equal(expected.sold, found.sold);
    assert_int_equal(expected.blocked, found.blocked);
}

/* No allocation is written or deleted. */
static void assert_no_numbers(const struct batch *batch)
{
    assert_int_equal(0, batch->freed_count + batch->taken_count);
}

/* ---- moves ---- */

static void a_hold_of_thousands_is_one_line_and_one_move(void **state)
{
    struct rig *rig = *state;
    (void)rig_ask(rig, ASK("d2", "define", ",'sections':[{'section':'pit','capacity':9000}]"));
    (void)rig_decide(rig, HOLD("h", PIT("4000")));
    const struct batch *batch = sealed(rig);
    assert_string_equal("[[0,1,0,4000]]", batch->bookings[0].lines);
    assert_no_numbers(batch);
    sealed_move(rig, batch, counts(0, 0, 0), counts(4000, 0, 0));
    sealed_mark(batch, batch->decisions[0].seq, false);
    sealed_notes(rig, 0, 1 << 1);
}

static void bookings_of_a_batch_move_the_pool_once(void **state)
{
    struct rig *rig = *state;
    (void)rig_decide(rig, HOLD("a", PIT("2")));
    (void)rig_decide(rig, BOOK("b", PIT("3")));
    (void)rig_decide(rig, ASK("x", "block", "," PIT("1")));
    sealed_move(rig, sealed(rig), counts(0, 0, 0), counts(2, 3, 1));
    /* from there on, though nothing is committed yet */
    (void)rig_decide(rig, ASK("l", "release", OF("a")));
    (void)rig_decide(rig, HOLD("c", PIT("1")));
    (void)rig_decide(rig, ASK("k", "confirm", OF("c")));
    const struct batch *batch = sealed(rig);
    assert_no_numbers(batch);
    sealed_move(rig, batch, counts(2, 3, 1), counts(0, 4, 1));
    (void)rig_decide(rig, ASK("u", "unblock", ",'booking':'x'"));
    sealed_move(rig, sealed(rig), counts(0, 4, 1), counts(0, 4, 0));
}

static void what_is_taken_and_given_back_leaves_no_move(void **state)
{
    struct rig *rig = *state;
    (void)rig_decide(rig, HOLD("a", PIT("2")));
    (void)rig_decide(rig, ASK("l", "release", OF("a")));
    const struct batch *batch = sealed(rig);
    assert_int_equal(0, batch->pool_move_count);
    assert_int_equal(1, batch->booking_count);
    assert_string_equal("[[0,1,0,2]]", batch->bookings[0].lines);
    /* Others take as many as one gives back. */
    (void)rig_ask(rig, HOLD("b", PIT("4")));
    (void)rig_decide(rig, ASK("l2", "release", OF("b")));
    (void)rig_decide(rig, HOLD("c", PIT("4")));
    batch = sealed(rig);
    assert_int_equal(0, batch->pool_move_count);
    assert_int_equal(2, batch->booking_count + batch->bookings_changed_count);
}

static void a_confirm_moves_from_held_to_sold(void **state)
{
    struct rig *rig = *state;
    (void)rig_ask(rig, HOLD("h", PIT("5")));
    (void)rig_decide(rig, ASK("k", "confirm", OF("h")));
    const struct batch *batch = sealed(rig);
    assert_no_numbers(batch);
    sealed_move(rig, batch, counts(5, 0, 0), counts(0, 5, 0));
    assert_string_equal("[[0,1,0,5]]", batch->bookings_changed[0].lines);
}

/* In one booking each line is written in the way of its pool. */
static void a_booking_may_have_seats_rooms_and_what_is_counted(void **state)
{
    struct rig *rig = *state;
    int64_t no = rig_decide(rig, ASK("h", "hold",
                                     ",'customer':'c','items':[{'section':'pit','quantity':3},"
                                     "{'seats':['A-2']},{'room':'double','from':'2026-12-24','to':"
                                     "'2026-12-25','quantity':2},{'section':'pit','quantity':1}]"))
                     ->seq;
    const struct batch *batch = sealed(rig);
    const char *lines = batch->bookings[0].lines;
    assert_memory_equal("[[0,1,0,3],[1,0,0,[1],", lines, strlen("[[0,1,0,3],[1,0,0,[1],"));
    assert_non_null(strstr(lines, "],[2,2,0,[0,1]],[3,1,0,1]]"));
    assert_int_equal(3, batch->taken_count);
    sealed_row(&batch->taken[0], sealed_pool_no(rig, 0), 1, no);
    sealed_row(&batch->taken[1], sealed_pool_no(rig, 2), 0, no);
    sealed_row(&batch->taken[2], sealed_pool_no(rig, 2), 1, no);
    sealed_move(rig, batch, counts(0, 0, 0), counts(4, 0, 0));
    rig_commit(rig);
    rig_restart(rig);
    (void)rig_decide(rig, ASK("l", "release", OF("h")));
    batch = sealed(rig);
    assert_int_equal(3, batch->freed_count);
    sealed_move(rig, batch, counts(4, 0, 0), counts(0, 0, 0));
}

/* The same or fewer: nobody asks which were expired. */
static void a_late_confirm_counts_again(void **state)
{
    struct rig *rig = *state;
    (void)rig_ask(rig, HOLD("h", PIT("4")));
    rig->now_ms += 900000;
    assert_int_equal(1, rig_expire(rig));
    (void)rig_decide(rig, BOOK("o", PIT("5")));
    (void)rig_decide(rig, ASK("k", "confirm", OF("h")));
    const struct batch *batch = sealed(rig);
    assert_no_numbers(batch);
    sealed_move(rig, batch, counts(4, 0, 0), counts(0, 9, 0));
    assert_string_equal("[[0,1,0,4]]", batch->bookings_changed[0].lines);
}

/* ---- the catalogue ---- */

static void a_row_that_is_written_brings_its_counters(void **state)
{
    struct rig *rig = *state;
    (void)rig_ask(rig, HOLD("h", PIT("2")));
    (void)rig_decide(rig, BOOK("b", PIT("3")));
    (void)rig_decide(rig, ASK("d2", "define", ",'sections':[{'section':'pit','price':5}]"));
    (void)rig_decide(rig, BOOK("c", PIT("1")));
    const struct batch *batch = sealed(rig);
    assert_int_equal(0, batch->pool_move_count);
    assert_int_equal(1, batch->pool_count);
    assert_counts(counts(2, 0, 0), batch->pools[0].was);
    assert_counts(counts(2, 4, 0), batch->pools[0].taken);
    (void)rig_decide(rig, ASK("x", "cancel", OF("c")));
    sealed_move(rig, sealed(rig), counts(2, 4, 0), counts(2, 3, 0));
}

/* One resource is defined, the other is not: each pool is written in its own way. */
static void rows_and_moves_may_be_of_one_batch(void **state)
{
    struct rig *rig = *state;
    (void)rig_decide(rig, "{'request_id':'n','op':'define','resource':'s','state':'open','products'"
                          ":[{'product':'mug','capacity':7}]}");
    (void)rig_decide(rig, "{'request_id':'m','op':'book','resource':'s','customer':'c','items':"
                          "[{'product':'mug','quantity':7}]}");
    (void)rig_decide(rig, HOLD("h", PIT("2")));
    const struct batch *batch = sealed(rig);
    sealed_move(rig, batch, counts(0, 0, 0), counts(2, 0, 0));
    assert_int_equal(1, batch->pool_count);
    assert_true(batch->pools[0].is_new);
    assert_counts(counts(0, 0, 0), batch->pools[0].was);
    assert_counts(counts(0, 7, 0), batch->pools[0].taken);
}

static void capacity_goes_down_to_what_is_taken_and_not_below(void **state)
{
    struct rig *rig = *state;
    (void)rig_ask(rig, HOLD("h", PIT("2")));
    (void)rig_ask(rig, BOOK("b", PIT("3")));
    (void)rig_ask(rig, ASK("x", "block", "," PIT("1")));
    assert_true(rig_says(rig, ASK("1", "define", ",'sections':[{'section':'pit','capacity':5}]"),
                         "'reason':'in_use'"));
    assert_true(rig_says(rig, ASK("2", "define", ",'sections':[{'section':'pit','capacity':6}]"),
                         "'outcome':'defined'"));
    assert_true(rig_says(rig, HOLD("n", PIT("1")), "'reason':'not_enough'"));
    assert_true(rig_says(rig, ASK("l", "release", OF("h")), "'free':17"));
    assert_true(rig_says(rig, HOLD("n2", PIT("2")), "'outcome':'held'"));
}

/* It becomes one with rows when nothing of it is taken any more, and back. */
static void what_was_counted_may_get_rows_and_lose_them(void **state)
{
    struct rig *rig = *state;
    (void)rig_ask(rig, BOOK("b", PIT("3")));
    assert_true(rig_says(
        rig, ASK("d1", "define", ",'sections':[{'section':'pit','rows':[{'row':'P','seats':4}]}]"),
        "'detail':'3 units of \\'pit\\' are held, sold or blocked'"));
    (void)rig_decide(rig, ASK("x", "cancel", OF("b")));
    (void)rig_decide(
        rig, ASK("d2", "define", ",'sections':[{'section':'pit','rows':[{'row':'P','seats':4}]}]"));
    (void)rig_decide(rig, SEATS("s", "book", "'P-2'"));
    const struct batch *batch = sealed(rig);
    assert_int_equal(0, batch->pool_move_count + batch->freed_count);
    assert_int_equal(1, batch->taken_count);
    assert_int_equal(1, batch->pool_count);
    assert_int_equal(USHER_SEATS, batch->pools[0].kind);
    assert_counts(counts(0, 3, 0), batch->pools[0].was);
    assert_counts(counts(0, 0, 0), batch->pools[0].taken);
    (void)rig_decide(rig, ASK("x2", "cancel", OF("s")));
    (void)rig_decide(rig, ASK("d3", "define", ",'sections':[{'section':'pit','capacity':8}]"));
    (void)rig_decide(rig, HOLD("h", PIT("8")));
    batch = sealed(rig);
    assert_int_equal(1, batch->freed_count);
    assert_int_equal(0, batch->pool_move_count + batch->taken_count);
    assert_int_equal(USHER_SECTION, batch->pools[0].kind);
    assert_counts(counts(0, 0, 0), batch->pools[0].was);
    assert_counts(counts(8, 0, 0), batch->pools[0].taken);
}

#define HALL_TEST(test) cmocka_unit_test_setup_teardown(test, open_sealed_hall, close_sealed_hall)
static const struct CMUnitTest tests[] = {
    HALL_TEST(a_hold_of_thousands_is_one_line_and_one_move),
    HALL_TEST(bookings_of_a_batch_move_the_pool_once),
    HALL_TEST(what_is_taken_and_given_back_leaves_no_move),
    HALL_TEST(a_confirm_moves_from_held_to_sold),
    HALL_TEST(a_booking_may_have_seats_rooms_and_what_is_counted),
    HALL_TEST(a_late_confirm_counts_again),
    HALL_TEST(a_row_that_is_written_brings_its_counters),
    HALL_TEST(rows_and_moves_may_be_of_one_batch),
    HALL_TEST(capacity_goes_down_to_what_is_taken_and_not_below),
    HALL_TEST(what_was_counted_may_get_rows_and_lose_them),
};
UNIT_TESTS(test_seal_counted, tests, NULL, NULL)
