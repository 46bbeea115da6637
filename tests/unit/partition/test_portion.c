/*
 * How many records a load asks for: down to one while loads fail, by what fits where they are
 * large, and up again.
 */
#include "tests/unit/unit.h"
#include "worker/partition/partition_state.h"

static void a_failing_load_shrinks_to_one_record(void **state)
{
    (void)state;
    struct portion portion;
    portion_init(&portion, 1000);
    assert_int_equal(1000, portion.records);
    portion_failed(&portion, 600, 700); /* what it was asked for, not what it might have been */
    assert_int_equal(300, portion.records);
    assert_int_equal(1, portion.halvings);
    for (int i = 0; i < 40; i++)
        portion_failed(&portion, portion.records, 700);
    assert_int_equal(1, portion.records);
    assert_in_range(portion.halvings, 10, 31);
}

static void it_grows_only_behind_what_failed(void **state)
{
    (void)state;
    struct portion portion;
    portion_init(&portion, 1000);
    portion_failed(&portion, 1000, 700);
    portion_failed(&portion, 500, 700);
    portion_loaded(&portion, 100, 250, 250);
    assert_int_equal(250, portion.records);
    assert_int_equal(2, portion.halvings);
    portion_loaded(&portion, 700, 250, 250);
    assert_int_equal(500, portion.records);
    assert_int_equal(1, portion.halvings);
    portion_loaded(&portion, 950, 500, 500);
    portion_loaded(&portion, 1450, 500, 500);
    assert_int_equal(1000, portion.records);
    assert_int_equal(0, portion.halvings);
}

static void it_follows_what_fits_into_a_load(void **state)
{
    (void)state;
    struct portion portion;
    portion_init(&portion, 1000);
    portion_loaded(&portion, 0, 1000, 4);
    assert_int_equal(4, portion.records);
    for (int64_t offset = 4; offset < 36; offset += 4) { /* those behind it are like it */
        portion_loaded(&portion, offset, 4, 4);
        assert_int_equal(4, portion.records);
    }
    portion_loaded(&portion, 36, 4, 4);
    assert_int_equal(8, portion.records);
    portion_loaded(&portion, 40, 8, 0);
    assert_int_equal(1, portion.records);
    for (int64_t offset = 40; offset < 80; offset++)
        portion_loaded(&portion, offset, portion.records, portion.records);
    assert_int_equal(1000, portion.records);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_failing_load_shrinks_to_one_record),
    cmocka_unit_test(it_grows_only_behind_what_failed),
    cmocka_unit_test(it_follows_what_fits_into_a_load),
};
UNIT_TESTS(test_portion, tests, NULL, NULL)
