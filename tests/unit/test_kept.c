/*
 * Records kept until their batch is committed: none lost, none twice, in order, whatever is moved.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "worker/partition/replay_buffer.h"

static void take(struct kept *kept, int64_t *next_offset, uint32_t count)
{
    struct log_record *at;
    uint32_t room = kept_room(kept, &at);
    count = count < room ? count : room;
    for (uint32_t i = 0; i < count; i++)
        at[i] = (struct log_record){.offset = (*next_offset)++};
    kept_add(kept, count);
}

static void rewinding_gives_the_same_records_again(void **state)
{
    (void)state;
    struct kept kept;
    struct log_record *at;
    int64_t next = 0;
    kept_init(&kept, 8);
    take(&kept, &next, 5);
    kept_decided(&kept, 3);
    assert_int_equal(2, kept_undecided(&kept, &at));
    assert_int_equal(3, at[0].offset);
    kept_rewind(&kept);
    assert_int_equal(5, kept_undecided(&kept, &at));
    assert_int_equal(0, at[0].offset);
    kept_deinit(&kept);
}

static void what_is_below_an_offset_goes_and_is_not_fed_again(void **state)
{
    (void)state;
    struct kept kept;
    struct log_record *at;
    int64_t next = 10;
    kept_init(&kept, 8);
    take(&kept, &next, 5);
    assert_int_equal(0, kept_below(&kept, 10, &at));
    assert_int_equal(2, kept_below(&kept, 12, &at));
    kept_drop(&kept, 2);
    assert_int_equal(3, kept_undecided(&kept, &at));
    assert_int_equal(12, at[0].offset);
    kept_deinit(&kept);
}

/* A confirm that was in time when it was first decided must be so when it is fed again. */
static void the_logs_time_goes_back_with_the_records(void **state)
{
    (void)state;
    struct kept kept;
    struct log_record *at;
    kept_init(&kept, 8);
    kept_came_before(&kept, 5);
    kept_came_before(&kept, 3);
    assert_int_equal(5, kept.log_ms);
    assert_true(kept_room(&kept, &at) >= 3);
    at[0] = (struct log_record){.offset = 0, .appended_ms = 20};
    at[1] = (struct log_record){.offset = 1, .appended_ms = 10};
    at[2] = (struct log_record){.offset = 2, .appended_ms = 30};
    kept_add(&kept, 3);
    kept_decided(&kept, 3);
    kept_rewind(&kept);
    assert_int_equal(5, kept.log_ms);
    kept_drop(&kept, 2);
    assert_int_equal(20, kept.log_ms);
    kept_deinit(&kept);
}

/* Against the plainest model: two counters. */
static void any_order_of_steps_keeps_every_record(void **state)
{
    (void)state;
    struct kept kept;
    struct log_record *at;
    int64_t taken = 0;
    int64_t decided = 0;
    int64_t committed = 0;
    srand(7);
    kept_init(&kept, 16);
    for (int i = 0; i < 20000; i++) {
        uint32_t many = (uint32_t)rand() % 9;
        switch (rand() % 4) {
        case 0:
            take(&kept, &taken, many);
            break;
        case 1:
            many = many < taken - decided ? many : (uint32_t)(taken - decided);
            kept_decided(&kept, many);
            decided += many;
            break;
        case 2:
            committed += many < decided - committed ? many : decided - committed;
            kept_drop(&kept, kept_below(&kept, committed, &at));
            break;
        default:
            kept_rewind(&kept);
            decided = committed;
        }
        assert_int_equal(taken - decided, kept_undecided(&kept, &at));
        assert_int_equal((size_t)(taken - committed) * sizeof *at, kept.bytes);
        if (taken > decided)
            assert_int_equal(decided, at[0].offset);
    }
    assert_true(taken > 1000);
    kept_deinit(&kept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rewinding_gives_the_same_records_again),
        cmocka_unit_test(what_is_below_an_offset_goes_and_is_not_fed_again),
        cmocka_unit_test(the_logs_time_goes_back_with_the_records),
        cmocka_unit_test(any_order_of_steps_keeps_every_record),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
