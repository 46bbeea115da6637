/* The group and its sources on a mock cluster: assignment, records, fatal errors. */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "mock_kafka.h"
#include "producer/base/clock.h"
#include "tests/unit/unit.h"
#include "worker/base/fingerprint.h"
#include "worker/kafka/kafka_base.h"
#include "worker/kafka/kafka_group.h"
#include "worker/kafka/kafka_reader.h"

/* A mock group takes three seconds to form, so most tests share one, each on a partition of its
 * own. */
enum {
    TAKES = 0,
    STARTS,
    DRAINS,
    KAFKA_AWAY,
    BOUNDS,
    OUTSIDE,
    SOUGHT,
    ACKNOWLEDGED,
    RECORDED,                  /* the partitions that keys are hashed to … */
    PARTITIONS = RECORDED + 1, /* … and one that was added later */
    DEADLINE_MS = 60000,
    REQUEST_MS = 9000, /* before the time-out of a request, however busy the machine */
};

static const char requests[] = "mock.requests.v1";

struct rig {
    struct mock_kafka mock;
    struct kafka_group *group;
    struct group_port port;
    struct assigned_partition assigned[PARTITIONS];
    uint32_t assigned_count;
    int assignments, revocations;
    int64_t outside; /* where OUTSIDE starts */
};

static int64_t start_offset(void *self, int32_t partition)
{
    if (partition == STARTS)
        return 3;
    return partition == OUTSIDE ? ((struct rig *)self)->outside : OFFSET_NONE;
}

static void on_assigned(void *self, const struct assigned_partition *partitions, uint32_t count)
{
    struct rig *rig = self;
    assert_true(count <= PARTITIONS);
    for (uint32_t i = 0; i < count; i++)
        rig->assigned[i] = partitions[i];
    rig->assigned_count = count;
    rig->assignments++;
}

static void on_revoked(void *self, bool lost)
{
    struct rig *rig = self;
    (void)lost;
    rig->assigned_count = 0;
    rig->revocations++;
}

static int open_brokers(void **state, int brokers)
{
    static struct rig rig;
    rig = (struct rig){.outside = 900};
    mock_kafka_open(&rig.mock, brokers, PARTITIONS);
    *state = &rig;
    return 0;
}

static int open_rig(void **state)
{
    return open_brokers(state, 1);
}

static int open_replicated(void **state)
{
    return open_brokers(state, 3);
}

static int close_rig(void **state)
{
    struct rig *rig = *state;
    if (rig->group)
        assert_int_equal(rig->port.leave(rig->port.self, DEADLINE_MS, NULL), USHER_OK);
    kafka_group_close(rig->group);
    mock_kafka_close(&rig->mock);
    return 0;
}

static void join(struct rig *rig)
{
    const struct kafka_group_settings settings = {
        .group_id = "mock-group",
        .partition_count = RECORDED,
    };
    const struct group_handler handler = {rig, start_offset, on_assigned, on_revoked};
    assert_int_equal(kafka_group_open(rig->mock.base, &settings, &handler, &rig->group, NULL),
                     USHER_OK);
    rig->port = kafka_group_port(rig->group);
}

/* A group that has all partitions. */
static int gather(struct rig *rig)
{
    struct usher_error err = {0};
    join(rig);
    int64_t deadline = clock_ms() + DEADLINE_MS;
    while (rig->assignments == 0 && clock_ms() < deadline)
        if (rig->port.poll(rig->port.self, 100, &err) == USHER_FATAL)
            return -1;
    return rig->assignments == 1 ? 0 : -1;
}

/* Five records in each partition. */
static int open_group(void **state)
{
    const char *const values[] = {"zero", "one", "two", "three", "four"};
    open_rig(state);
    struct rig *rig = *state;
    for (int32_t i = 0; i < PARTITIONS * 5; i++)
        mock_kafka_append(&rig->mock, requests, i / 5, values[i % 5]);
    return gather(rig);
}

static const struct log_port *log_of(const struct rig *rig, int32_t partition)
{
    for (uint32_t i = 0; i < rig->assigned_count; i++)
        if (rig->assigned[i].partition == partition)
            return &rig->assigned[i].log;
    fail_msg("partition %d is not assigned", (int)partition);
    return NULL;
}

/* Waits on the descriptor until `count` records are taken. */
static void take(const struct log_port *log, struct log_record *records, uint32_t count)
{
    int64_t deadline = clock_ms() + DEADLINE_MS;
    uint32_t taken = 0;
    while (taken < count && clock_ms() < deadline) {
        mock_kafka_await(log->descriptor(log->self), 1000);
        taken += log->take(log->self, records + taken, count - taken);
    }
    assert_int_equal(taken, count);
}

static void test_records_are_taken_in_order(void **state)
{
    struct log_record records[5];
    const struct log_port *log = log_of(*state, TAKES);
    take(log, records, 5);
    for (int i = 0; i < 5; i++)
        assert_int_equal(records[i].offset, i);
    assert_int_equal(records[3].value_size, 5);
    assert_memory_equal(records[3].value, "three", 5);
    assert_int_equal(records[3].key_size, strlen(MOCK_KEY));
    assert_memory_equal(records[3].key, MOCK_KEY, strlen(MOCK_KEY));
    assert_null(records[3].traceparent);
    assert_false(records[3].cloud_events);
    /* The mock's topics have CreateTime, set by the client: it must not advance a clock. */
    assert_int_equal(records[3].appended_ms, 0);
    assert_int_equal(log->health(log->self, NULL), USHER_OK);
    log->release(log->self, records, 5);
}

static void test_starts_where_told(void **state)
{
    struct log_record records[2];
    const struct log_port *log = log_of(*state, STARTS);
    take(log, records, 2);
    assert_int_equal(records[0].offset, 3);
    log->release(log->self, records, 2);
}

/* As a worker does for a partition that is to try again: what it had taken is taken again. */
static void test_joining_again_starts_over(void **state)
{
    struct log_record records[5];
    struct rig *rig = *state;
    take(log_of(rig, TAKES), records, 2);
    log_of(rig, TAKES)->release(log_of(rig, TAKES)->self, records, 2);
    assert_int_equal(rig->port.rejoin(rig->port.self, NULL), USHER_OK);
    int64_t deadline = clock_ms() + DEADLINE_MS;
    while (rig->assignments < 2 && clock_ms() < deadline)
        assert_int_not_equal(rig->port.poll(rig->port.self, 100, NULL), USHER_FATAL);
    assert_int_equal(rig->assignments, 2);
    assert_int_equal(rig->revocations, 1);
    take(log_of(rig, TAKES), records, 5);
    assert_int_equal(records[0].offset, 0);
    log_of(rig, TAKES)->release(log_of(rig, TAKES)->self, records, 5);
}

/* The offset of the group that others are told; RD_KAFKA_OFFSET_INVALID: none. */
static int64_t committed(rd_kafka_t *other, int32_t partition)
{
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_t *at = rd_kafka_topic_partition_list_add(list, requests, partition);
    assert_int_equal(rd_kafka_committed(other, list, DEADLINE_MS), RD_KAFKA_RESP_ERR_NO_ERROR);
    int64_t offset = at->offset;
    rd_kafka_topic_partition_list_destroy(list);
    return offset;
}

/* A second one too soon after a first is held back: it must not wait for the next request. */
static void test_what_is_acknowledged_last_is_told_too(void **state)
{
    struct rig *rig = *state;
    struct log_record record;
    const struct log_port *log = log_of(rig, ACKNOWLEDGED);
    take(log, &record, 1);
    log->release(log->self, &record, 1);
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    rd_kafka_conf_set(conf, "bootstrap.servers",
                      rd_kafka_mock_cluster_bootstraps(rig->mock.cluster), NULL, 0);
    rd_kafka_conf_set(conf, "group.id", "mock-group", NULL, 0);
    rd_kafka_t *other = rd_kafka_new(RD_KAFKA_CONSUMER, conf, NULL, 0);
    assert_non_null(other);
    log->acknowledge(log->self, 2);
    log->acknowledge(log->self, 5);
    int64_t deadline = clock_ms() + DEADLINE_MS;
    while (committed(other, ACKNOWLEDGED) != 5 && clock_ms() < deadline) {
        log->release(log->self, &record, log->take(log->self, &record, 1));
        usleep(10000);
    }
    assert_int_equal(committed(other, ACKNOWLEDGED), 5);
    rd_kafka_destroy(other);
}

static void test_partitions_beyond_the_recorded_count_are_left_out(void **state)
{
    const struct rig *rig = *state;
    assert_int_equal(rig->assigned_count, RECORDED);
    for (uint32_t i = 0; i < rig->assigned_count; i++)
        assert_true(rig->assigned[i].partition < RECORDED);
}

static int64_t lag(const struct log_port *log, int64_t next_offset)
{
    int64_t open_transaction_ms;
    return log->lag(log->self, next_offset, &open_transaction_ms);
}

static bool is_drained_soon(const struct log_port *log, int64_t next_offset)
{
    int64_t deadline = clock_ms() + DEADLINE_MS;
    bool drained = log->drained(log->self, next_offset);
    while (!drained && clock_ms() < deadline) {
        usleep(10000);
        drained = log->drained(log->self, next_offset);
    }
    return drained;
}

static void test_drained_at_the_end_only(void **state)
{
    struct log_record records[5];
    const struct log_port *log = log_of(*state, DRAINS);
    take(log, records, 4);
    assert_false(log->drained(log->self, 4));
    assert_int_equal(lag(log, 4), 1);
    take(log, records + 4, 1);
    assert_true(is_drained_soon(log, 5));
    assert_int_equal(log->hidden_ms(log->self, 0), 0); /* a single replica hides nothing */
    assert_int_equal(lag(log, 5), 0);
    log->release(log->self, records, 5);
}

/* While the end of the log is unknown, no hold may expire by the clock. */
static void test_not_drained_while_kafka_is_away(void **state)
{
    struct rig *rig = *state;
    struct log_record records[5];
    const struct log_port *log = log_of(rig, KAFKA_AWAY);
    take(log, records, 5);
    log->release(log->self, records, 5);
    usleep(600 * 1000);
    assert_true(is_drained_soon(log, 5));
    rd_kafka_mock_broker_set_down(rig->mock.cluster, 1);
    usleep(600 * 1000);
    int64_t began = clock_ms();
    assert_false(log->drained(log->self, 5));
    assert_false(log->drained(log->self, 5));
    assert_in_range(clock_ms() - began, 0, REQUEST_MS);
    rd_kafka_mock_broker_set_up(rig->mock.cluster, 1);
    assert_true(is_drained_soon(log, 5));
}

static void test_bounds_and_fingerprint(void **state)
{
    int64_t start, end, fingerprint;
    struct usher_error err = {0};
    const struct log_port *log = log_of(*state, BOUNDS);
    size_t key_size = strlen(MOCK_KEY);
    assert_int_equal(log->bounds(log->self, &start, &end, &err), USHER_OK);
    assert_int_equal(start, 0);
    assert_int_equal(end, 5);
    assert_int_equal(log->read_fingerprint(log->self, 2, &fingerprint, &err), USHER_OK);
    assert_true(fingerprint == record_fingerprint(MOCK_KEY, key_size, "two", 3));
    assert_int_equal(log->read_fingerprint(log->self, 5, &fingerprint, &err), USHER_REJECT);
    assert_int_equal(log->read_fingerprint(log->self, 900, &fingerprint, &err), USHER_REJECT);
    assert_int_equal(log->read_fingerprint(log->self, 4, &fingerprint, &err), USHER_OK);
    assert_true(fingerprint == record_fingerprint(MOCK_KEY, key_size, "four", 4));
}

static void test_a_start_outside_the_log_halts(void **state)
{
    struct log_record record;
    struct usher_error err = {0};
    const struct log_port *log = log_of(*state, OUTSIDE);
    int64_t deadline = clock_ms() + DEADLINE_MS;
    while (log->health(log->self, &err) == USHER_OK && clock_ms() < deadline) {
        assert_int_equal(log->take(log->self, &record, 1), 0);
        usleep(10000);
    }
    assert_int_equal(log->health(log->self, &err), USHER_HALT);
    assert_int_equal(err.exit_code, USHER_EXIT_CONFIG);
    assert_non_null(strstr(err.text, "offset 900 is not in the request log"));
    assert_false(log->drained(log->self, 900));
}

static void assert_taken(const struct log_port *log, int64_t from, uint32_t count)
{
    struct log_record records[5] = {0};
    take(log, records, count);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(records[i].offset, from + i);
    log->release(log->self, records, count);
    assert_int_equal(log->position(log->self), from + count);
}

static void await_drained(const struct log_port *log)
{
    struct log_record record;
    int64_t deadline = clock_ms() + DEADLINE_MS;
    while (log->read_up_to(log->self, 0) < 5 && clock_ms() < deadline)
        assert_int_equal(log->take(log->self, &record, 1), 0);
    assert_int_equal(log->read_up_to(log->self, 0), 5);
}

/* Each record once, whether those behind it were prefetched, or even taken. */
static void test_is_read_on_where_it_is_sought(void **state)
{
    const struct log_port *log = log_of(*state, SOUGHT);
    assert_int_equal(log->position(log->self), OFFSET_NONE);
    assert_taken(log, 0, 2);
    assert_int_equal(log->seek(log->self, 1, NULL), USHER_OK);
    assert_int_equal(log->position(log->self), 1);
    assert_taken(log, 1, 4);
    await_drained(log);
    assert_int_equal(log->seek(log->self, 3, NULL), USHER_OK);
    assert_int_equal(log->read_up_to(log->self, 3), 3); /* there may be records before the end */
    assert_false(log->drained(log->self, 3));
    assert_taken(log, 3, 2);
    await_drained(log);
    assert_int_equal(log->seek(log->self, OFFSET_NONE, NULL), USHER_OK);
    assert_taken(log, 0, 5);
    await_drained(log);
}

static void test_finds_the_first_record(void **state)
{
    static const struct {
        int64_t from, until, first;
    } rows[] = {{0, 3, 0}, {2, 3, 2}, {OFFSET_NONE, 3, 0}, {OFFSET_NONE, 0, 0}, {5, 9, 9}};
    const struct log_port *log = log_of(*state, BOUNDS);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t first;
        assert_int_equal(log->first_record(log->self, rows[i].from, rows[i].until, &first, NULL),
                         USHER_OK);
        assert_int_equal(first, rows[i].first);
    }
}

/* The log was shorter than the database once had it: librdkafka gives it up, and seeks no more. */
static void test_a_start_outside_the_log_that_is_wrong_is_given_another(void **state)
{
    struct rig *rig = *state;
    const struct log_port *log = log_of(rig, OUTSIDE);
    int64_t deadline = clock_ms() + DEADLINE_MS;
    while (log->seek(log->self, 900, NULL) == USHER_OK && clock_ms() < deadline)
        usleep(100000); /* until the broker has said that it is not there */
    assert_int_equal(log->seek(log->self, 2, NULL), USHER_RETRY);
    rig->outside = 1;
    while (rig->assignments < 2 && clock_ms() < deadline)
        assert_int_not_equal(rig->port.poll(rig->port.self, 100, NULL), USHER_FATAL);
    log = log_of(rig, OUTSIDE);
    assert_taken(log, 1, 4); /* the error of before is still there, and passed */
    assert_int_equal(log->health(log->self, NULL), USHER_OK);
}

static void *wake_soon(void *argument)
{
    struct rig *rig = argument;
    usleep(200 * 1000);
    rig->port.wake(rig->port.self);
    return NULL;
}

static void test_wake_ends_a_poll(void **state)
{
    struct rig *rig = *state;
    struct usher_error err = {0};
    pthread_t thread = 0;
    while (rig->port.poll(rig->port.self, 100, &err) ==
           USHER_RETRY) /* reports that Kafka is away */
        continue;
    int64_t began = clock_ms();
    assert_int_equal(pthread_create(&thread, NULL, wake_soon, rig), 0);
    assert_int_equal(rig->port.poll(rig->port.self, DEADLINE_MS, NULL), USHER_OK);
    pthread_join(thread, NULL);
    assert_in_range(clock_ms() - began, 100, DEADLINE_MS / 2);
}

/* Until the poll has said so ten times in a row. */
static bool says(struct rig *rig, enum usher_status status)
{
    struct usher_error err = {0};
    int64_t deadline = clock_ms() + 20000;
    for (int in_a_row = 0; in_a_row < 10; in_a_row++) {
        if (clock_ms() > deadline)
            return false;
        if (rig->port.poll(rig->port.self, 50, &err) != status)
            in_a_row = -1;
    }
    return true;
}

/* librdkafka reports that all brokers are down once, and the next failed connection after 30 s. */
static void test_kafka_is_away_until_it_answers(void **state)
{
    struct rig *rig = *state;
    rd_kafka_mock_broker_set_down(rig->mock.cluster, 1);
    assert_true(says(rig, USHER_RETRY));
    rd_kafka_mock_broker_set_up(rig->mock.cluster, 1);
    assert_true(says(rig, USHER_OK));
}

static void test_leaving_revokes_once(void **state)
{
    struct rig *rig = *state;
    int before = rig->revocations;
    assert_int_equal(rig->port.leave(rig->port.self, DEADLINE_MS, NULL), USHER_OK);
    assert_int_equal(rig->revocations, before + 1);
    assert_int_equal(rig->port.leave(rig->port.self, DEADLINE_MS, NULL), USHER_OK);
    assert_int_equal(rig->revocations, before + 1);
}

static enum usher_status poll_until_told(struct rig *rig, struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    int64_t deadline = clock_ms() + DEADLINE_MS;
    while (status != USHER_FATAL && clock_ms() < deadline)
        status = rig->port.poll(rig->port.self, 100, err);
    return status;
}

static void test_a_refused_session_timeout_is_fatal(void **state)
{
    struct rig *rig = *state;
    struct usher_error err = {0};
    rd_kafka_mock_push_request_errors(rig->mock.cluster, MOCK_JOIN_GROUP, 1,
                                      RD_KAFKA_RESP_ERR_INVALID_SESSION_TIMEOUT);
    join(rig);
    assert_int_equal(poll_until_told(rig, &err), USHER_FATAL);
    assert_int_equal(err.exit_code, USHER_EXIT_CONFIG);
}

static void test_access_denied_is_fatal(void **state)
{
    struct rig *rig = *state;
    struct usher_error err = {0};
    rd_kafka_mock_push_request_errors(rig->mock.cluster, MOCK_JOIN_GROUP, 1,
                                      RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED);
    join(rig);
    assert_int_equal(poll_until_told(rig, &err), USHER_FATAL);
    assert_int_equal(err.exit_code, USHER_EXIT_DENIED);
}

static void test_partition_counts_at_the_start(void **state)
{
    struct rig *rig = *state;
    int32_t count = 0;
    assert_int_equal(kafka_base_partitions(rig->mock.base, &count, NULL), USHER_OK);
    assert_int_equal(count, PARTITIONS);
}

/* Asks until it is known that what was appended `since_ms` ago or before was taken; returns nothing
 * but that: no record may come. */
static void await_shown(const struct log_port *log, int64_t since_ms)
{
    struct log_record record;
    int64_t hidden_ms = -1, deadline = clock_ms() + DEADLINE_MS;
    while (hidden_ms < 0 && clock_ms() < deadline) {
        hidden_ms = log->hidden_ms(log->self, clock_ms() - since_ms);
        assert_int_equal(log->take(log->self, &record, 1), 0);
        usleep(10000);
    }
    assert_in_range(hidden_ms, 0, clock_ms() - since_ms);
}

/* A record of its own shows whether all before it was read; it is nobody else's record. */
static void test_what_replicas_hide_is_found_out(void **state)
{
    struct rig *rig = *state;
    struct log_record record;
    mock_kafka_append(&rig->mock, requests, 0, "one");
    assert_int_equal(gather(rig), 0);
    const struct log_port *log = log_of(rig, 0);
    take(log, &record, 1);
    log->release(log->self, &record, 1);
    assert_true(is_drained_soon(log, 1));
    int64_t began_ms = clock_ms();
    assert_int_equal(log->hidden_ms(log->self, INT32_MAX), -1); /* it never was known */
    await_shown(log, began_ms);
    assert_int_equal(log->read_up_to(log->self, 1), 2);
    assert_int_equal(lag(log, 1), 0);

    /* As long as brokers refuse it, it is not known; then it is again. */
    rd_kafka_mock_push_request_errors(rig->mock.cluster, MOCK_PRODUCE, 2,
                                      RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS,
                                      RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED);
    await_shown(log, clock_ms());
    assert_int_equal(log->read_up_to(log->self, 1), 3);
    mock_kafka_append(&rig->mock, requests, 0, "two");
    take(log, &record, 1);
    assert_int_equal(record.offset, 3);
    log->release(log->self, &record, 1);
    int64_t first;
    assert_int_equal(log->first_record(log->self, 1, 3, &first, NULL), USHER_OK);
    assert_int_equal(first, 3);
}

/* What replicas hide from readers, nobody hides where there is but one. */
static void test_how_many_replicas_a_log_has(void **state)
{
    (void)state;
    for (int brokers = 1; brokers <= 3; brokers += 2) {
        struct mock_kafka mock;
        int32_t replicas = 0;
        mock_kafka_open(&mock, brokers, 1);
        struct kafka_reader *reader = kafka_base_reader(mock.base);
        struct kafka_place place = kafka_reader_requests(reader, 0);
        assert_int_equal(kafka_reader_replicas(reader, place, DEADLINE_MS, &replicas, NULL),
                         USHER_OK);
        assert_int_equal(replicas, brokers);
        place = kafka_reader_requests(reader, 1);
        assert_int_equal(kafka_reader_replicas(reader, place, DEADLINE_MS, &replicas, NULL),
                         USHER_RETRY);
        mock_kafka_close(&mock);
    }
}

#define ON_RIG(test) cmocka_unit_test_setup_teardown(test, open_rig, close_rig)

/* On one rig, in this order. */
static const struct CMUnitTest assigned[] = {
    cmocka_unit_test(test_partitions_beyond_the_recorded_count_are_left_out),
    cmocka_unit_test(test_records_are_taken_in_order),
    cmocka_unit_test(test_starts_where_told),
    cmocka_unit_test(test_what_is_acknowledged_last_is_told_too),
    cmocka_unit_test(test_drained_at_the_end_only),
    cmocka_unit_test(test_bounds_and_fingerprint),
    cmocka_unit_test(test_is_read_on_where_it_is_sought),
    cmocka_unit_test(test_finds_the_first_record),
    cmocka_unit_test(test_a_start_outside_the_log_halts),
    cmocka_unit_test(test_not_drained_while_kafka_is_away),
    cmocka_unit_test(test_wake_ends_a_poll),
    cmocka_unit_test(test_kafka_is_away_until_it_answers),
    cmocka_unit_test(test_leaving_revokes_once),
};
UNIT_TESTS(test_kafka_assigned, assigned, open_group, close_rig)

static const struct CMUnitTest alone[] = {
    ON_RIG(test_a_refused_session_timeout_is_fatal),
    ON_RIG(test_access_denied_is_fatal),
    ON_RIG(test_partition_counts_at_the_start),
    cmocka_unit_test(test_how_many_replicas_a_log_has),
    cmocka_unit_test_setup_teardown(test_what_replicas_hide_is_found_out, open_replicated,
                                    close_rig),
    cmocka_unit_test_setup_teardown(test_joining_again_starts_over, open_group, close_rig),
    cmocka_unit_test_setup_teardown(test_a_start_outside_the_log_that_is_wrong_is_given_another,
                                    open_group, close_rig),
};
UNIT_TESTS(test_kafka_group, alone, NULL, NULL)
