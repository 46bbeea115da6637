/* The outbox on a mock cluster: the published position, and how errors are handled. */
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "mock_kafka.h"
#include "producer/base/clock.h"
#include "producer/codec/answer_fields.h"
#include "tests/unit/unit.h"
#include "worker/kafka/kafka_base.h"
#include "worker/kafka/kafka_outbox.h"

enum {
    LATE_MS = 25000,   /* before the time-out of deliveries by default, however busy the machine */
    REQUEST_MS = 9000, /* before that of a request */
};

struct rig {
    struct mock_kafka mock;
    struct kafka_outbox *outbox;
    struct outbox_port port;
    struct position position; /* as the allocator keeps it */
    int64_t handed;           /* last seq published */
};

static char large_body[USHER_ANSWER_SIZE_SAFE];

static int open_rig(void **state)
{
    static struct rig rig;
    rig = (struct rig){.position = {.published_offset = OFFSET_NONE}};
    mock_kafka_open(&rig.mock, 1, 1);
    const struct kafka_outbox_settings settings = {.queue_limit = 50, .delivery_timeout_ms = 2000};
    rig.outbox = kafka_outbox_new(rig.mock.base, &settings);
    rig.port = kafka_outbox_port(rig.outbox);
    *state = &rig;
    return 0;
}

static int close_rig(void **state)
{
    struct rig *rig = *state;
    kafka_outbox_close(rig->outbox);
    mock_kafka_close(&rig->mock);
    return 0;
}

static enum usher_status scan(struct rig *rig, struct usher_error *err)
{
    int64_t last_offset, highest;
    return rig->port.scan(rig->port.self, &rig->position, &rig->handed, &last_offset, &highest,
                          err);
}

/* Takes over: scans, opens a new producer. */
static void take_over(struct rig *rig, int64_t expected_last)
{
    struct usher_error err;
    int64_t last_offset, highest;
    assert_int_equal(
        rig->port.scan(rig->port.self, &rig->position, &rig->handed, &last_offset, &highest, &err),
        USHER_OK);
    assert_int_equal(rig->handed, expected_last);
    assert_int_equal(rig->port.open(rig->port.self, &err), USHER_OK);
}

static enum usher_status publish(struct rig *rig, const char *body, size_t size)
{
    const struct decision_row row = {.seq = rig->handed + 1,
                                     .epoch = 1,
                                     .codec = USHER_CODEC_VERSION,
                                     .source_offset = rig->handed,
                                     .key = "show:x",
                                     .key_size = 6,
                                     .request_id = "web-1",
                                     .resource = "show:x",
                                     .op = USHER_OP_HOLD,
                                     .outcome = USHER_HELD,
                                     .body = body,
                                     .body_size = size};
    struct usher_error err;
    enum usher_status status = rig->port.publish(rig->port.self, &row, &err);
    if (status == USHER_OK)
        rig->handed++;
    return status;
}

static void publish_some(struct rig *rig, int count)
{
    static const char body[] = "\"outcome\":\"held\"";
    for (int i = 0; i < count; i++)
        assert_int_equal(publish(rig, body, sizeof body - 1), USHER_OK);
}

static void letter(struct rig *rig, int64_t seq, size_t size)
{
    struct usher_error err;
    const struct dead_letter_row row = {.seq = seq,
                                        .source_offset = seq,
                                        .value = large_body,
                                        .value_size = size,
                                        .reason = USHER_MALFORMED};
    assert_int_equal(rig->port.dead_letter(rig->port.self, &row, &err), USHER_OK);
}

/* Serves reports until nothing is pending, or something failed. */
static enum usher_status serve(struct rig *rig, struct usher_error *err)
{
    int reports = rig->port.descriptor(rig->port.self);
    enum usher_status status;
    do {
        status = rig->port.poll(rig->port.self, &rig->position.published_seq,
                                &rig->position.published_offset, err);
        if (status == USHER_OK && rig->port.pending(rig->port.self) > 0)
            mock_kafka_await(reports, 100);
    } while (status == USHER_OK && rig->port.pending(rig->port.self) > 0);
    return status;
}

static void poll_once(struct rig *rig)
{
    struct usher_error err;
    assert_int_equal(rig->port.poll(rig->port.self, &rig->position.published_seq,
                                    &rig->position.published_offset, &err),
                     USHER_OK);
}

static void assert_served(struct rig *rig)
{
    struct usher_error err;
    assert_int_equal(serve(rig, &err), USHER_OK);
    poll_once(rig);
}

static void test_published_position(void **state)
{
    struct rig *rig = *state;
    take_over(rig, 0);
    publish_some(rig, 40);
    assert_served(rig);
    assert_int_equal(rig->position.published_seq, 40);
    assert_int_equal(rig->position.published_offset, 39);
    take_over(rig, 40);
    publish_some(rig, 1);
    assert_served(rig);
    assert_int_equal(rig->position.published_offset, 40);
}

static void test_what_a_broker_asks_to_retry_is_retried(void **state)
{
    struct rig *rig = *state;
    take_over(rig, 0);
    rd_kafka_mock_push_request_errors(
        rig->mock.cluster, MOCK_PRODUCE, 3, RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION,
        RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT, RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS);
    publish_some(rig, 10);
    assert_served(rig);
    assert_int_equal(rig->position.published_seq, 10);
    assert_int_equal(rig->position.published_offset, 9);
}

/* A rejected answer leaves a gap: nothing more may be sent until the log has been scanned again. */
static void test_a_refused_answer_needs_a_new_producer(void **state)
{
    struct rig *rig = *state;
    struct usher_error err;
    take_over(rig, 0);
    publish_some(rig, 5);
    assert_served(rig);
    rd_kafka_mock_push_request_errors(rig->mock.cluster, MOCK_PRODUCE, 1,
                                      RD_KAFKA_RESP_ERR_OUT_OF_ORDER_SEQUENCE_NUMBER);
    publish_some(rig, 1);
    assert_int_equal(serve(rig, &err), USHER_RETRY);
    assert_non_null(strstr(err.text, "seq 6"));
    assert_int_equal(publish(rig, "", 0), USHER_RETRY);
    assert_int_equal(serve(rig, &err), USHER_RETRY);
    assert_int_equal(rig->position.published_seq, 5);
    take_over(rig, 5);
    publish_some(rig, 5);
    assert_served(rig);
    assert_int_equal(rig->position.published_seq, 10);
}

/*
 * A broker accepts the first batch that it sees of a producer at any sequence number: of several
 * that wait for one another, the second would be in the log, where the first was refused.
 */
static void test_nothing_waits_behind_the_first_request_of_a_producer(void **state)
{
    struct rig *rig = *state;
    struct usher_error err;
    int64_t last, last_offset, highest;
    take_over(rig, 0);
    rd_kafka_mock_push_request_errors(rig->mock.cluster, MOCK_PRODUCE, 1,
                                      RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE);
    rd_kafka_mock_broker_set_rtt(rig->mock.cluster, 1, 100);
    memset(large_body, ' ', sizeof large_body);
    for (int i = 0; i < 6; i++) /* more than fit into one request */
        assert_int_equal(publish(rig, large_body, sizeof large_body), USHER_OK);
    assert_int_equal(serve(rig, &err), USHER_RETRY);
    assert_non_null(strstr(err.text, "seq 1"));
    (void)poll(NULL, 0, 500);
    assert_int_equal(
        rig->port.scan(rig->port.self, &rig->position, &last, &last_offset, &highest, &err),
        USHER_OK);
    assert_int_equal(highest, 0);
    take_over(rig, 0);
    publish_some(rig, 6);
    assert_served(rig);
    assert_int_equal(rig->position.published_offset, 5);
}

/* Hundreds gather behind a slow request: all are delivered, in order. */
static void test_what_gathers_behind_a_request_comes_after_it(void **state)
{
    struct rig *rig = *state;
    take_over(rig, 0);
    rd_kafka_mock_broker_set_rtt(rig->mock.cluster, 1, 100);
    for (int i = 1; i <= 30; i++) {
        publish_some(rig, i);
        poll_once(rig);
        (void)poll(NULL, 0, 5);
    }
    assert_true(rig->port.pending(rig->port.self) > 30);
    assert_served(rig);
    assert_int_equal(rig->position.published_seq, 465);
    assert_int_equal(rig->position.published_offset, 464);
    take_over(rig, 465); /* the scan finds them in order */
}

/* What waited is dropped with the producer: the next one starts at the end of the log. */
static void test_what_gathered_goes_with_its_producer(void **state)
{
    struct rig *rig = *state;
    struct usher_error err;
    take_over(rig, 0);
    rd_kafka_mock_broker_set_rtt(rig->mock.cluster, 1, 300);
    publish_some(rig, 1);
    poll_once(rig);
    publish_some(rig, 5);
    assert_int_equal(rig->port.pending(rig->port.self), 6);
    rd_kafka_mock_broker_set_rtt(rig->mock.cluster, 1, 0);
    assert_int_equal(scan(rig, &err), USHER_OK);
    assert_int_equal(rig->port.pending(rig->port.self), 0);
    assert_in_range(rig->handed, 0, 1);
    assert_int_equal(rig->port.open(rig->port.self, &err), USHER_OK);
    publish_some(rig, 6 - (int)rig->handed);
    assert_served(rig);
    assert_int_equal(rig->position.published_seq, 6);
}

static void test_no_answer_from_kafka_in_time(void **state)
{
    struct rig *rig = *state;
    struct usher_error err;
    take_over(rig, 0);
    publish_some(rig, 1);
    assert_served(rig);
    rd_kafka_mock_broker_set_down(rig->mock.cluster, 1);
    publish_some(rig, 50);
    assert_false(rig->port.has_room(rig->port.self));
    int64_t began = clock_ms();
    assert_int_equal(serve(rig, &err), USHER_RETRY);
    assert_in_range(clock_ms() - began, 1900, LATE_MS);
    assert_non_null(strstr(err.text, "in time"));
    /* The abandoned producer may have succeeded after all. */
    rd_kafka_mock_broker_set_up(rig->mock.cluster, 1);
    assert_int_equal(scan(rig, &err), USHER_OK);
    assert_in_range(rig->handed, 1, 51);
    assert_int_equal(rig->port.open(rig->port.self, &err), USHER_OK);
    assert_true(rig->port.has_room(rig->port.self));
    publish_some(rig, 51 - (int)rig->handed);
    assert_served(rig);
    assert_int_equal(rig->position.published_seq, 51);
}

static void test_the_largest_answer_and_the_longest_key(void **state)
{
    struct rig *rig = *state;
    struct usher_error err;
    take_over(rig, 0);
    memset(large_body, ' ', sizeof large_body);
    assert_int_equal(publish(rig, large_body, sizeof large_body), USHER_OK);
    char *key = calloc(1, 3000000);
    const struct decision_row row = {.seq = 2,
                                     .codec = USHER_CODEC_VERSION,
                                     .source_offset = OFFSET_NONE,
                                     .key = key,
                                     .key_size = 3000000,
                                     .outcome = USHER_INVALID,
                                     .body = large_body,
                                     .body_size = sizeof large_body};
    assert_int_equal(rig->port.publish(rig->port.self, &row, &err), USHER_OK);
    free(key);
    assert_served(rig);
    assert_int_equal(rig->position.published_seq, 2);
}

static void test_position_waits_for_dead_letters(void **state)
{
    struct rig *rig = *state;
    struct usher_error err;
    take_over(rig, 0);
    rd_kafka_mock_broker_set_rtt(rig->mock.cluster, 1, 200);
    publish_some(rig, 2);
    letter(rig, 2, 100);
    while (rig->position.published_seq == 0)
        assert_int_equal(rig->port.poll(rig->port.self, &rig->position.published_seq,
                                        &rig->position.published_offset, &err),
                         USHER_OK);
    assert_true(rig->position.published_seq == 1 || rig->port.pending(rig->port.self) == 0);
    assert_served(rig);
    assert_int_equal(rig->position.published_seq, 2);
}

/* It remains in the database: what the broker rejects must not block the answers. */
static void test_a_dead_letter_that_is_too_large_is_given_up(void **state)
{
    struct rig *rig = *state;
    take_over(rig, 0);
    publish_some(rig, 1);
    assert_served(rig);
    rd_kafka_mock_push_request_errors(rig->mock.cluster, MOCK_PRODUCE, 1,
                                      RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE);
    letter(rig, 2, 100);
    assert_served(rig);
    publish_some(rig, 1);
    letter(rig, 3, 100);
    publish_some(rig, 1);
    assert_served(rig);
    assert_int_equal(rig->position.published_seq, 3);
}

static void test_a_dead_letter_that_failed_otherwise_is_sent_again(void **state)
{
    struct rig *rig = *state;
    struct usher_error err;
    take_over(rig, 0);
    publish_some(rig, 1);
    assert_served(rig);
    rd_kafka_mock_push_request_errors(rig->mock.cluster, MOCK_PRODUCE, 1,
                                      RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED);
    letter(rig, 2, 100);
    assert_int_equal(serve(rig, &err), USHER_RETRY);
    take_over(rig, 1);
    letter(rig, 2, 100);
    publish_some(rig, 1);
    assert_served(rig);
    assert_int_equal(rig->position.published_seq, 2);
}

/* … and they do not hide that it accepts nothing. */
static void test_no_dead_letter_taken_in_time(void **state)
{
    struct rig *rig = *state;
    struct usher_error err;
    enum usher_status status = USHER_OK;
    take_over(rig, 0);
    assert_int_equal(
        rd_kafka_mock_partition_set_leader(rig->mock.cluster, "mock.requests.dlq.v1", 0, -1),
        RD_KAFKA_RESP_ERR_NO_ERROR);
    int64_t began = clock_ms();
    letter(rig, 1, 100);
    while (status == USHER_OK && clock_ms() - began < LATE_MS) {
        publish_some(rig, 1);
        (void)poll(NULL, 0, 20);
        status = rig->port.poll(rig->port.self, &rig->position.published_seq,
                                &rig->position.published_offset, &err);
    }
    assert_int_equal(status, USHER_RETRY);
    assert_in_range(clock_ms() - began, 1900, LATE_MS);
    assert_non_null(strstr(err.text, "dead letters in time"));
    assert_int_equal(rig->position.published_seq, 0); /* it waits for the letter */
}

/* They are accepted nevertheless: the caller checks for room before the next batch. */
static void test_many_dead_letters_leave_no_room(void **state)
{
    struct rig *rig = *state;
    struct usher_error err;
    take_over(rig, 0);
    rd_kafka_mock_broker_set_rtt(rig->mock.cluster, 1, 100);
    for (int64_t seq = 1; seq <= 60; seq++)
        letter(rig, seq, 50000);
    assert_int_equal(rig->port.pending(rig->port.self), 60);
    assert_false(rig->port.has_room(rig->port.self));
    while (rig->port.pending(rig->port.self) > 0) {
        assert_int_equal(rig->port.poll(rig->port.self, NULL, NULL, &err), USHER_OK);
        (void)poll(NULL, 0, 5);
    }
    assert_true(rig->port.has_room(rig->port.self));
    assert_int_equal(rig->position.published_seq, 0);
    publish_some(rig, 60);
    assert_served(rig);
    assert_int_equal(rig->position.published_seq, 60);
}

static void test_a_log_that_is_not_ours_halts(void **state)
{
    struct rig *rig = *state;
    struct usher_error err;
    take_over(rig, 0);
    publish_some(rig, 3);
    assert_served(rig);
    rig->position.published_seq = 4;
    assert_int_equal(scan(rig, &err), USHER_HALT);
    assert_non_null(strstr(err.text, "where something else is"));
    rig->position.published_offset = 3;
    assert_int_equal(scan(rig, &err), USHER_HALT);
    assert_non_null(strstr(err.text, "ends before"));
    assert_int_equal(err.exit_code, USHER_EXIT_CONFIG);
}

static void test_a_scan_while_kafka_is_away(void **state)
{
    struct rig *rig = *state;
    struct usher_error err;
    rd_kafka_mock_broker_set_down(rig->mock.cluster, 1);
    int64_t began = clock_ms();
    assert_int_equal(scan(rig, &err), USHER_RETRY);
    assert_in_range(clock_ms() - began, 0, REQUEST_MS);
    rd_kafka_mock_broker_set_up(rig->mock.cluster, 1);
    take_over(rig, 0);
}

static void append(struct rig *rig, const char *value)
{
    mock_kafka_append(&rig->mock, "mock.results.v1", 0, value);
}

/* The maximum is 6, the set 1 … 6 has no gap; a consumer that accepts only the next has 4. */
static void test_a_log_with_holes(void **state)
{
    struct rig *rig = *state;
    struct usher_error err;
    int64_t last, last_offset, highest;
    append(rig, "{\"request_id\":\"a\",\"seq\":1,\"epoch\":1}");
    append(rig, "{\"request_id\":\"a\",\"seq\":2,\"epoch\":1}");
    append(rig, "{\"request_id\":\"a\",\"seq\":5,\"epoch\":1}");
    append(rig, "{\"request_id\":\"a\",\"seq\":6,\"epoch\":1}");
    append(rig, "{\"request_id\":\"a\",\"seq\":3,\"epoch\":1}");
    append(rig, "nobody's");
    append(rig, "{\"request_id\":\"a\",\"seq\":4,\"epoch\":1}");
    append(rig, "{\"request_id\":\"a\",\"seq\":2,\"epoch\":1}");
    assert_int_equal(
        rig->port.scan(rig->port.self, &rig->position, &last, &last_offset, &highest, &err),
        USHER_OK);
    assert_int_equal(last, 4);
    assert_int_equal(last_offset, 6);
    assert_int_equal(highest, 6);
}

#define ON_RIG(test) cmocka_unit_test_setup_teardown(test, open_rig, close_rig)

static const struct CMUnitTest tests[] = {
    ON_RIG(test_published_position),
    ON_RIG(test_what_a_broker_asks_to_retry_is_retried),
    ON_RIG(test_a_refused_answer_needs_a_new_producer),
    ON_RIG(test_nothing_waits_behind_the_first_request_of_a_producer),
    ON_RIG(test_what_gathers_behind_a_request_comes_after_it),
    ON_RIG(test_what_gathered_goes_with_its_producer),
    ON_RIG(test_no_answer_from_kafka_in_time),
    ON_RIG(test_the_largest_answer_and_the_longest_key),
    ON_RIG(test_position_waits_for_dead_letters),
    ON_RIG(test_a_dead_letter_that_is_too_large_is_given_up),
    ON_RIG(test_a_dead_letter_that_failed_otherwise_is_sent_again),
    ON_RIG(test_no_dead_letter_taken_in_time),
    ON_RIG(test_many_dead_letters_leave_no_room),
    ON_RIG(test_a_log_that_is_not_ours_halts),
    ON_RIG(test_a_scan_while_kafka_is_away),
    ON_RIG(test_a_log_with_holes),
};
UNIT_TESTS(test_kafka_outbox, tests, NULL, NULL)
