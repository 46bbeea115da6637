/* A log that is no longer the one that was read, on a mock cluster: another topic stands for it. */
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "mock_kafka.h"
#include "producer/base/clock.h"
#include "tests/unit/unit.h"
#include "worker/kafka/kafka_base.h"
#include "worker/kafka/kafka_witness.h"
#include "worker/model/rows.h"

enum {
    FULL = 0, /* partitions: their logs have three records … */
    SHORT,    /* … and one */
    PARTITIONS,
    DEADLINE_MS = 60000,
};

struct rig {
    struct mock_kafka mock;
    struct kafka_reader *reader;
    struct kafka_witness witness;
};

static int open_cluster(void **state)
{
    static struct rig rig;
    const char *const values[] = {"zero", "one", "two"};
    mock_kafka_open(&rig.mock, 1, PARTITIONS);
    for (int i = 0; i < 3; i++) {
        mock_kafka_append(&rig.mock, "mock.requests.v1", FULL, values[i]);
        mock_kafka_append(&rig.mock, "mock.results.v1", FULL, "another");
    }
    mock_kafka_append(&rig.mock, "mock.results.v1", SHORT, "zero");
    rig.reader = kafka_base_reader(rig.mock.base);
    *state = &rig;
    return 0;
}

static int close_cluster(void **state)
{
    struct rig *rig = *state;
    mock_kafka_close(&rig->mock);
    return 0;
}

static int open_witness(void **state)
{
    struct rig *rig = *state;
    struct kafka_place place = kafka_reader_requests(rig->reader, FULL);
    kafka_witness_init(&rig->witness, rig->reader, place, kafka_wake_new());
    return 0;
}

static int close_witness(void **state)
{
    struct rig *rig = *state;
    kafka_witness_stop(&rig->witness);
    close(rig->witness.wake);
    return 0;
}

/* The record at an offset of the log that is there now; owned. */
static rd_kafka_message_t *read_at(struct rig *rig, int64_t offset)
{
    rd_kafka_message_t *message;
    struct kafka_reading reading;
    assert_int_equal(kafka_reader_start(rig->reader, rig->witness.place, offset, &reading, NULL),
                     USHER_OK);
    assert_int_equal(kafka_reader_next(&reading, &message, 1, DEADLINE_MS), 1);
    assert_int_equal(message->err, RD_KAFKA_RESP_ERR_NO_ERROR);
    kafka_reader_stop(&reading);
    return message;
}

static void take(struct rig *rig, int64_t offset)
{
    rd_kafka_message_t *message = read_at(rig, offset);
    kafka_witness_took(&rig->witness, message);
    rd_kafka_message_destroy(message);
}

/* What it says in the end; `*waited`: it had something to find out. */
static enum usher_status check(struct rig *rig, bool *waited, struct usher_error *err)
{
    struct kafka_witness *witness = &rig->witness;
    rd_kafka_queue_t *queue = rd_kafka_queue_new(rig->mock.handle); /* nothing is in it */
    enum usher_status status = kafka_witness_check(witness, queue, err);
    int64_t deadline = clock_ms() + DEADLINE_MS;
    *waited = status == USHER_RETRY;
    while (status == USHER_RETRY && clock_ms() < deadline) {
        mock_kafka_await(witness->wake, 200);
        status = kafka_witness_check(witness, queue, err);
    }
    rd_kafka_queue_destroy(queue);
    return status;
}

/* As if the last time were long ago. */
static enum usher_status check_later(struct rig *rig, struct usher_error *err)
{
    bool waited;
    rig->witness.seen_ms -= 3000;
    enum usher_status status = check(rig, &waited, err);
    assert_true(waited);
    return status;
}

static void test_the_same_log(void **state)
{
    bool waited;
    struct rig *rig = *state;
    struct usher_error err = {0};
    assert_int_equal(check(rig, &waited, &err), USHER_OK);
    assert_false(waited); /* nothing was ever taken */
    take(rig, 0);
    assert_int_equal(check_later(rig, &err), USHER_OK);
    assert_int_equal(check(rig, &waited, &err), USHER_OK);
    assert_false(waited); /* a moment ago */
    rig->witness.seen_ms -= 3000;
    assert_int_equal(check(rig, &waited, &err), USHER_OK);
    assert_false(waited); /* long ago, but nothing came since */
    rig->witness.seen_ms -= 20000;
    assert_int_equal(check(rig, &waited, &err), USHER_OK);
    assert_true(waited); /* too long ago */
    take(rig, 2);
    assert_int_equal(check_later(rig, &err), USHER_OK);
    assert_int_equal(rig->witness.seen.offset, 2);
    assert_string_equal(err.text, "");
}

static void recreated(struct rig *rig, int32_t partition, const char *said)
{
    struct usher_error err = {0};
    rig->witness.place = kafka_reader_results(rig->reader, partition);
    assert_int_equal(check_later(rig, &err), USHER_HALT);
    assert_int_equal(err.exit_code, USHER_EXIT_CONFIG);
    assert_non_null(strstr(err.text, said));
    assert_non_null(strstr(err.text, "the topic was recreated"));
}

static void test_another_log(void **state)
{
    take(*state, 1);
    recreated(*state, FULL, "the request at offset 1 is not the one that was consumed");
}

static void test_another_log_that_is_shorter(void **state)
{
    take(*state, 1);
    recreated(*state, SHORT, "the request at offset 1 is not the one that was consumed");
}

/* Where it was taken from before anybody looked, for a moment. */
static void test_another_log_is_noticed_late(void **state)
{
    struct rig *rig = *state;
    struct usher_error err = {0};
    take(rig, 0);
    assert_int_equal(check_later(rig, &err), USHER_OK);
    rig->witness.place = kafka_reader_results(rig->reader, FULL);
    take(rig, 2);
    recreated(rig, FULL, "offset 0");
}

/* Found by the takeover; its partition has decided nothing since. */
static void test_a_record_of_the_owner_before(void **state)
{
    struct rig *rig = *state;
    kafka_witness_saw(&rig->witness, 1, 4711);
    take(rig, 2);
    recreated(rig, FULL, "offset 1");
}

/* A busy partition does not wait, and what is taken meanwhile is not known to be of this log. */
static void test_a_second_ago_it_was_the_same(void **state)
{
    bool waited;
    struct rig *rig = *state;
    struct usher_error err = {0};
    take(rig, 0);
    rd_kafka_message_t *message = read_at(rig, 1);
    rig->witness.seen_ms = clock_ms() - 1000;
    rd_kafka_queue_t *queue = rd_kafka_queue_new(rig->mock.handle);
    enum usher_status status = kafka_witness_check(&rig->witness, queue, &err);
    rd_kafka_queue_destroy(queue);
    if (clock_ms() - rig->witness.seen_ms < 2000) /* the machine was not that slow */
        assert_int_equal(status, USHER_OK);
    assert_true(rig->witness.is_reading);
    kafka_witness_took(&rig->witness, message);
    rd_kafka_message_destroy(message);
    rig->witness.seen_ms -= 3000;
    assert_int_equal(check(rig, &waited, &err), USHER_OK);
    assert_int_equal(rig->witness.seen.offset, 0);
    assert_int_equal(rig->witness.next.offset, 1);
}

/* What was read before the process stopped tells nothing about what is in the queue after. */
static void test_a_reading_before_a_pause(void **state)
{
    bool waited;
    struct rig *rig = *state;
    struct usher_error err = {0};
    rd_kafka_queue_t *queue = rd_kafka_queue_new(rig->mock.handle);
    take(rig, 0);
    rig->witness.seen_ms = clock_ms() - 1000;
    assert_int_not_equal(kafka_witness_check(&rig->witness, queue, &err), USHER_HALT);
    struct pollfd ready = {.fd = rig->witness.wake, .events = POLLIN};
    assert_int_equal(poll(&ready, 1, DEADLINE_MS), 1);
    rig->witness.asked_ms -= 10000;
    rig->witness.seen_ms -= 10000;
    rig->witness.place = kafka_reader_results(rig->reader, FULL);
    rd_kafka_queue_destroy(queue);
    assert_int_equal(check(rig, &waited, &err), USHER_HALT);
    assert_true(waited);
}

static void test_while_kafka_is_away(void **state)
{
    bool waited;
    struct rig *rig = *state;
    struct usher_error err = {0};
    take(rig, 0);
    rd_kafka_mock_broker_set_down(rig->mock.cluster, 1);
    rig->witness.seen_ms -= 3000;
    rd_kafka_queue_t *queue = rd_kafka_queue_new(rig->mock.handle);
    for (int64_t until = clock_ms() + 300; clock_ms() < until; usleep(10000))
        assert_int_equal(kafka_witness_check(&rig->witness, queue, &err), USHER_RETRY);
    rd_kafka_queue_destroy(queue);
    rd_kafka_mock_broker_set_up(rig->mock.cluster, 1);
    assert_int_equal(check(rig, &waited, &err), USHER_OK);
}

#define ON_WITNESS(test) cmocka_unit_test_setup_teardown(test, open_witness, close_witness)

static const struct CMUnitTest tests[] = {
    ON_WITNESS(test_the_same_log),
    ON_WITNESS(test_another_log),
    ON_WITNESS(test_another_log_that_is_shorter),
    ON_WITNESS(test_another_log_is_noticed_late),
    ON_WITNESS(test_a_record_of_the_owner_before),
    ON_WITNESS(test_a_second_ago_it_was_the_same),
    ON_WITNESS(test_a_reading_before_a_pause),
    ON_WITNESS(test_while_kafka_is_away),
};
UNIT_TESTS(test_kafka_witness, tests, open_cluster, close_cluster)
