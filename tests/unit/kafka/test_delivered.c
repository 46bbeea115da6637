/* The published position: over contiguous seqs, rising offsets, delivered dead letters. */
#include "tests/unit/unit.h"
#include "worker/kafka/kafka_outbox.h"

/* Asserts the position (-9: it has not advanced). */
static void assert_position(struct delivered *delivered, int64_t seq, int64_t offset)
{
    int64_t at = -9, where = -9;
    delivered_position(delivered, &at, &where);
    assert_int_equal(at, seq);
    assert_int_equal(where, offset);
}

static void queue(struct delivered *delivered, int64_t first, int64_t last)
{
    for (int64_t seq = first; seq <= last; seq++)
        delivered_sent(delivered, seq);
}

static void test_moves_over_contiguous_reports(void **state)
{
    struct delivered delivered;
    (void)state;
    delivered_init(&delivered);
    delivered_start(&delivered, 10, 100);
    assert_position(&delivered, 10, 100);
    assert_position(&delivered, -9, -9);
    queue(&delivered, 11, 14);
    assert_true(delivered_report(&delivered, 12, 102));
    assert_position(&delivered, -9, -9);
    assert_true(delivered_report(&delivered, 11, 101));
    assert_position(&delivered, 12, 102);
    assert_true(delivered_report(&delivered, 14, 110));
    assert_position(&delivered, -9, -9);
    assert_true(delivered_report(&delivered, 13, 109));
    assert_position(&delivered, 14, 110);
    assert_int_equal(delivered.unreported, 0);
    delivered_deinit(&delivered);
}

static void test_nothing_published_ever(void **state)
{
    struct delivered delivered;
    (void)state;
    delivered_init(&delivered);
    delivered_start(&delivered, 0, -1);
    assert_position(&delivered, -9, -9);
    queue(&delivered, 1, 1);
    assert_true(delivered_report(&delivered, 1, 0));
    assert_position(&delivered, 1, 0);
    delivered_deinit(&delivered);
}

/* In a log 1, 2, 5, 6, 3, 4 the consumer is at 4: the position must not pass it. */
static void test_falling_offsets_are_an_error(void **state)
{
    struct delivered delivered;
    const int64_t offsets[] = {0, 1, 4, 5, 2, 3};
    (void)state;
    delivered_init(&delivered);
    delivered_start(&delivered, 0, -1);
    queue(&delivered, 1, 6);
    for (int64_t seq = 1; seq <= 4; seq++)
        assert_true(delivered_report(&delivered, seq, offsets[seq - 1]));
    assert_false(delivered_report(&delivered, 5, offsets[4]));
    assert_position(&delivered, 4, 5);
    delivered_deinit(&delivered);
}

/* For a duplicate batch the broker does not report the offset. */
static void test_unknown_offsets_are_passed_but_not_stopped_at(void **state)
{
    struct delivered delivered;
    (void)state;
    delivered_init(&delivered);
    delivered_start(&delivered, 0, -1);
    queue(&delivered, 1, 3);
    assert_true(delivered_report(&delivered, 1, -1));
    assert_true(delivered_report(&delivered, 2, -1));
    assert_position(&delivered, -9, -9);
    assert_true(delivered_report(&delivered, 3, 7));
    assert_position(&delivered, 3, 7);
    delivered_deinit(&delivered);
}

static void test_waits_for_dead_letters(void **state)
{
    struct delivered delivered;
    (void)state;
    delivered_init(&delivered);
    delivered_start(&delivered, 0, -1);
    queue(&delivered, 1, 4);
    delivered_letter_sent(&delivered, 2);
    delivered_letter_sent(&delivered, 4);
    for (int64_t seq = 1; seq <= 4; seq++)
        assert_true(delivered_report(&delivered, seq, seq));
    assert_position(&delivered, 1, 1);
    assert_true(delivered_letter_report(&delivered, 4));
    assert_position(&delivered, -9, -9);
    assert_true(delivered_letter_report(&delivered, 2));
    assert_position(&delivered, 4, 4);
    assert_int_equal(delivered.letters_unreported, 0);
    delivered_deinit(&delivered);
}

/* After a scan the answers are in the log, but the dead letters below may not be. */
static void test_start_waits_for_dead_letters_below_it(void **state)
{
    struct delivered delivered;
    (void)state;
    delivered_init(&delivered);
    delivered_start(&delivered, 10, 100);
    delivered_letter_sent(&delivered, 8);
    delivered_letter_sent(&delivered, 10);
    assert_position(&delivered, -9, -9);
    assert_true(delivered_letter_report(&delivered, 8));
    assert_position(&delivered, -9, -9);
    assert_true(delivered_letter_report(&delivered, 10));
    assert_position(&delivered, 10, 100);
    delivered_deinit(&delivered);
}

static void test_many_in_any_order(void **state)
{
    enum {
        COUNT = 10000
    };
    struct delivered delivered;
    (void)state;
    delivered_init(&delivered);
    delivered_start(&delivered, 5, 5);
    for (int64_t seq = 6; seq < 6 + COUNT; seq++) {
        delivered_sent(&delivered, seq);
        if (seq % 3 == 0)
            delivered_letter_sent(&delivered, seq);
    }
    /* 7,919 is prime to COUNT: every seq comes once. */
    for (int64_t i = 0; i < COUNT; i++)
        assert_true(delivered_report(&delivered, 6 + i * 7919 % COUNT, 6 + i * 7919 % COUNT));
    assert_position(&delivered, 5, 5);
    for (int64_t seq = 6; seq < 6 + COUNT; seq++)
        if (seq % 3 == 0)
            assert_true(delivered_letter_report(&delivered, seq));
    assert_position(&delivered, 5 + COUNT, 5 + COUNT);
    delivered_deinit(&delivered);
}

static void test_starting_over_forgets(void **state)
{
    struct delivered delivered;
    (void)state;
    delivered_init(&delivered);
    delivered_start(&delivered, 0, -1);
    queue(&delivered, 1, 5);
    delivered_letter_sent(&delivered, 3);
    delivered_start(&delivered, 2, 20);
    assert_int_equal(delivered.unreported, 0);
    assert_int_equal(delivered.letters_unreported, 0);
    assert_position(&delivered, 2, 20);
    queue(&delivered, 3, 3);
    assert_true(delivered_report(&delivered, 3, 21));
    assert_position(&delivered, 3, 21);
    delivered_deinit(&delivered);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_moves_over_contiguous_reports),
    cmocka_unit_test(test_nothing_published_ever),
    cmocka_unit_test(test_falling_offsets_are_an_error),
    cmocka_unit_test(test_unknown_offsets_are_passed_but_not_stopped_at),
    cmocka_unit_test(test_waits_for_dead_letters),
    cmocka_unit_test(test_start_waits_for_dead_letters_below_it),
    cmocka_unit_test(test_many_in_any_order),
    cmocka_unit_test(test_starting_over_forgets),
};
UNIT_TESTS(test_delivered, tests, NULL, NULL)
