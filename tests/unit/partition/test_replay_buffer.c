/*
 * Records wait until their batch is committed: none lost, none twice, in order, whatever is moved.
 */
#include <stdlib.h>

#include "tests/unit/unit.h"
#include "worker/partition/pipeline.h"

static void take(struct replay_buffer *buffer, int64_t *next_offset, uint32_t count)
{
    uint32_t room = replay_buffer_room(buffer);
    struct log_record *at = replay_buffer_make_room(buffer);
    assert_int_equal(room, replay_buffer_room(buffer));
    count = count < room ? count : room;
    for (uint32_t i = 0; i < count; i++)
        at[i] = (struct log_record){.offset = (*next_offset)++};
    replay_buffer_add(buffer, count);
}

static void close_buffer(struct replay_buffer *buffer)
{
    struct log_record *at;
    replay_buffer_drop(buffer, replay_buffer_below(buffer, INT64_MAX, &at));
    replay_buffer_deinit(buffer);
}

static void rewinding_gives_the_same_records_again(void **state)
{
    (void)state;
    struct replay_buffer buffer;
    struct log_record *at;
    int64_t next = 0;
    replay_buffer_init(&buffer, 8);
    take(&buffer, &next, 5);
    replay_buffer_mark_decided(&buffer, 3);
    assert_int_equal(2, replay_buffer_undecided(&buffer, &at));
    assert_int_equal(3, at[0].offset);
    replay_buffer_rewind(&buffer);
    assert_int_equal(5, replay_buffer_undecided(&buffer, &at));
    assert_int_equal(0, at[0].offset);
    close_buffer(&buffer);
}

static void headers_count_as_keys_and_values_do(void **state)
{
    (void)state;
    struct replay_buffer buffer;
    replay_buffer_init(&buffer, 8);
    assert_int_equal(8, replay_buffer_room(&buffer));
    struct log_record *at = replay_buffer_make_room(&buffer);
    at[0] = (struct log_record){.key_size = 10, .value_size = 200, .headers_size = 3000};
    replay_buffer_add(&buffer, 1);
    assert_int_equal(3210 + sizeof *at, buffer.bytes);
    replay_buffer_drop(&buffer, 1);
    assert_int_equal(0, buffer.bytes);
    close_buffer(&buffer);
}

static void what_is_below_an_offset_goes_and_is_not_fed_again(void **state)
{
    (void)state;
    struct replay_buffer buffer;
    struct log_record *at;
    int64_t next = 10;
    replay_buffer_init(&buffer, 8);
    take(&buffer, &next, 5);
    assert_int_equal(0, replay_buffer_below(&buffer, 10, &at));
    assert_int_equal(2, replay_buffer_below(&buffer, 12, &at));
    replay_buffer_drop(&buffer, 2);
    assert_int_equal(3, replay_buffer_undecided(&buffer, &at));
    assert_int_equal(12, at[0].offset);
    close_buffer(&buffer);
}

/* Against the plainest model: two counters. */
static void any_order_of_steps_keeps_every_record(void **state)
{
    (void)state;
    struct replay_buffer buffer;
    struct log_record *at;
    int64_t taken = 0;
    int64_t decided = 0;
    int64_t committed = 0;
    srand(7);
    replay_buffer_init(&buffer, 16);
    for (int i = 0; i < 20000; i++) {
        uint32_t many = (uint32_t)rand() % 9;
        switch (rand() % 4) {
        case 0:
            take(&buffer, &taken, many);
            break;
        case 1:
            many = many < taken - decided ? many : (uint32_t)(taken - decided);
            replay_buffer_mark_decided(&buffer, many);
            decided += many;
            break;
        case 2:
            committed += many < decided - committed ? many : decided - committed;
            replay_buffer_drop(&buffer, replay_buffer_below(&buffer, committed, &at));
            break;
        default:
            replay_buffer_rewind(&buffer);
            decided = committed;
        }
        assert_int_equal(taken - decided, replay_buffer_undecided(&buffer, &at));
        assert_int_equal((size_t)(taken - committed) * sizeof *at, buffer.bytes);
        if (taken > decided)
            assert_int_equal(decided, at[0].offset);
    }
    assert_true(taken > 1000);
    close_buffer(&buffer);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(rewinding_gives_the_same_records_again),
    cmocka_unit_test(headers_count_as_keys_and_values_do),
    cmocka_unit_test(what_is_below_an_offset_goes_and_is_not_fed_again),
    cmocka_unit_test(any_order_of_steps_keeps_every_record),
};
UNIT_TESTS(test_replay_buffer, tests, NULL, NULL)
