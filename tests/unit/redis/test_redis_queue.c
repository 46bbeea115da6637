/* The queue between partitions and writer: whose position is read, and when. */
#include "tests/unit/unit.h"
#include "worker/redis/redis_queue.h"

static struct redis_queue queue;

static int open_queue(void **state)
{
    (void)state;
    queue = (struct redis_queue){0};
    redis_queue_init(&queue, 2, 64 << 20);
    redis_queue_set_connected(&queue);
    return 0;
}

static int close_queue(void **state)
{
    (void)state;
    redis_queue_deinit(&queue);
    return 0;
}

/* Reads the one position that is to be read. */
static void assert_unread(int32_t partition, int32_t epoch)
{
    const struct redis_position position = {.epoch = epoch, .seq = 7};
    int32_t found_epoch;
    assert_int_equal(redis_queue_take_unread(&queue, &found_epoch), partition);
    assert_int_equal(found_epoch, epoch);
    redis_queue_set_position(&queue, partition, epoch, &position);
}

static void assert_all_read(void)
{
    int32_t epoch;
    assert_int_equal(redis_queue_take_unread(&queue, &epoch), -1);
}

static void assert_news(int32_t partition, int32_t epoch, bool ready)
{
    struct cache_news news;
    redis_queue_poll(&queue, partition, epoch, &news);
    assert_int_equal(news.ready, ready);
    if (ready)
        assert_int_equal(news.shown_seq, 7);
}

static void test_each_owner_has_the_position_read(void **state)
{
    (void)state;
    assert_all_read();
    assert_news(1, 3, false);
    assert_unread(1, 3);
    assert_news(1, 3, true);
    assert_all_read();
    assert_news(1, 4, false);
    assert_unread(1, 4);
    assert_news(1, 4, true);
}

static void test_a_position_read_for_an_earlier_owner_is_read_again(void **state)
{
    const struct redis_position position = {.epoch = 3, .seq = 6};
    int32_t epoch;
    (void)state;
    assert_news(1, 3, false);
    assert_int_equal(redis_queue_take_unread(&queue, &epoch), 1);
    assert_news(1, 4, false);
    redis_queue_set_position(&queue, 1, epoch, &position);
    assert_news(1, 4, false);
    assert_unread(1, 4);
}

/* Its position may be missing: created again by who left, it would hide that from its owner. */
static void test_a_partition_that_was_left_is_not_read_in_a_later_session(void **state)
{
    (void)state;
    assert_news(0, 1, false);
    assert_unread(0, 1);
    assert_news(1, 1, false);
    assert_unread(1, 1);
    redis_queue_renew_session(&queue, true);
    assert_all_read();
    assert_news(1, 1, false);
    assert_unread(1, 1);
    assert_news(1, 1, true);
    assert_all_read();
}

#define WITH_QUEUE(test) cmocka_unit_test_setup_teardown(test, open_queue, close_queue)
static const struct CMUnitTest tests[] = {
    WITH_QUEUE(test_each_owner_has_the_position_read),
    WITH_QUEUE(test_a_position_read_for_an_earlier_owner_is_read_again),
    WITH_QUEUE(test_a_partition_that_was_left_is_not_read_in_a_later_session),
};
UNIT_TESTS(test_redis_queue, tests, NULL, NULL)
