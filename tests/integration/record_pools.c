/*
 * The counters of pools in a real PostgreSQL: they move from where they are expected, and never
 * beyond what there is.
 */
#include "record_fixture.h"
#include "same_rows.h"

static struct fixture_batch one, two;
static struct usher_arena arena;

/* Fails the test where the show's pool is not that one. */
static void assert_pit(struct record_port *record, const struct pool_row *expected)
{
    const char *id = "show:x";
    const struct load_request request = {.resources = &id, .resource_count = 1};
    struct load_result result = fixture_load(record, &request, &arena, NULL);
    assert_int_equal(1, result.resource_count);
    assert_int_equal(1, result.resources[0].pool_count);
    assert_int_equal(0, result.resources[0].unit_count);
    same_row(PG_ROW_POOL, expected, &result.resources[0].pools[0]);
}

static void assert_only_the_show(void **state)
{
    assert_int_equal(0, fixture_number(state, "select count(*) from usher.booking"));
    assert_int_equal(1, fixture_number(state, "select count(*) from usher.decision"));
    assert_int_equal(2, fixture_number(state, "select next_seq from usher.partition_state"));
}

/* The show with a pit for 100 in the place of the stalls, of which 7 are held, 5 sold, 3 blocked.
 */
static struct record_port *with_pit(struct position *position)
{
    struct record_port *record = fixture_patient_record();
    *position = fixture_acquire(record, 0, USHER_OK);
    fixture_batch_begin(&one, position);
    fixture_add_show(&one);
    one.pools[0].kind = USHER_SECTION;
    one.pools[0].capacity = 100;
    one.pools[0].taken = (struct unit_counts){7, 5, 3};
    fixture_commit(record, &one, position, USHER_OK);
    return record;
}

/* A batch with a decision, and a move of the pit. */
static void begin_move(const struct position *position, struct unit_counts was,
                       struct unit_counts taken)
{
    fixture_batch_begin(&two, position);
    fixture_add_hold(&two, 10);
    two.batch.taken_count = 0;
    two.moves[two.batch.pool_move_count++] =
        (struct pool_move){fixture_pool_no(), fixture_show_no(), 0, was, taken};
}

static void counters_are_moved_and_read_back(void **state)
{
    (void)state;
    struct position position;
    struct record_port *record = with_pit(&position);
    struct pool_row expected = one.pools[0];
    assert_pit(record, &expected);
    begin_move(&position, expected.taken, (struct unit_counts){90, 0, 10}); /* to the last */
    fixture_commit(record, &two, &position, USHER_OK);
    expected.taken = (struct unit_counts){90, 0, 10};
    assert_pit(record, &expected);

    /* With its row, capacity goes down to what is taken. */
    fixture_batch_begin(&two, &position);
    fixture_add_hold(&two, 10);
    two.batch.taken_count = 0;
    expected.was = expected.taken;
    expected.taken = (struct unit_counts){1, 2, 3};
    expected.capacity = 6;
    expected.is_new = false;
    two.pools[two.batch.pool_count++] = expected;
    fixture_commit(record, &two, &position, USHER_OK);
    assert_pit(record, &expected);
    pg_record_close(record);
}

/* The partition stands behind the show, too. */
static void assert_pit_is_as_it_was(void **state)
{
    assert_only_the_show(state);
    assert_int_equal(1, fixture_number(state, "select count(*) from usher.pool where capacity = 100"
                                              " and (held, sold, blocked) = (7, 5, 3)"));
}

/* A counter elsewhere than expected, or more than there are: memory and database disagree. */
static void counters_that_do_not_fit_leave_nothing(void **state)
{
    const struct {
        struct unit_counts was, taken;
    } rows[] = {
        {{8, 5, 3}, {9, 5, 3}},  {{7, 4, 3}, {9, 5, 3}},   {{7, 5, 0}, {9, 5, 3}},
        {{7, 5, 3}, {98, 0, 3}}, {{7, 5, 3}, {0, 101, 0}}, {{7, 5, 3}, {0, 0, 101}},
    };
    for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
        struct position position;
        fixture_teardown(state);
        fixture_setup(state);
        struct record_port *record = with_pit(&position);
        begin_move(&position, rows[i / 2].was, rows[i / 2].taken);
        if (i % 2 == 1) { /* the same with its row */
            two.batch.pool_move_count = 0;
            struct pool_row *row = &two.pools[two.batch.pool_count++];
            *row = one.pools[0];
            row->is_new = false;
            row->was = rows[i / 2].was;
            row->taken = rows[i / 2].taken;
        }
        fixture_commit(record, &two, &position, USHER_HALT);
        assert_pit_is_as_it_was(state);
        pg_record_close(record);
    }
}

static struct record_port *with_seats(struct position *position)
{
    struct record_port *record = fixture_patient_record();
    *position = fixture_acquire(record, 0, USHER_OK);
    fixture_batch_begin(&one, position);
    fixture_add_show(&one);
    fixture_commit(record, &one, position, USHER_OK);
    return record;
}

/* Of seats only allocations tell. */
static void a_pool_with_numbers_has_no_counters(void **state)
{
    struct position position;
    struct record_port *record = with_seats(&position);
    begin_move(&position, (struct unit_counts){0}, (struct unit_counts){1, 0, 0});
    fixture_commit(record, &two, &position, USHER_HALT);
    assert_only_the_show(state);
    pg_record_close(record);
}

int main(void)
{
#define WITH_DATABASE(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        WITH_DATABASE(counters_are_moved_and_read_back),
        WITH_DATABASE(counters_that_do_not_fit_leave_nothing),
        WITH_DATABASE(a_pool_with_numbers_has_no_counters),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    usher_arena_deinit(&arena);
    return failed;
}
