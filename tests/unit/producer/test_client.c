/*
 * The client and the watch over librdkafka's mock cluster, with a thread that answers as a worker
 * would: other clients' answers in between, seqs out of order, unrequested ones. Proves the
 * matching; nothing about durability.
 */
#include <librdkafka/rdkafka.h>
/* after rdkafka.h, which it does not include */
#include <librdkafka/rdkafka_mock.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "producer/kafka/kafka_settings.h"
#include "run_producer.h"
#include "tests/unit/unit.h"
#include "usher/client.h"
#include "usher/message.h"

enum {
    PARTITIONS = 4,
    FETCH = 1 /* the key of that request in Kafka's protocol */
};

struct cluster {
    struct kafka_log log;
    rd_kafka_t *host; /* the mock cluster lives in it; it also plays the worker's producer */
    rd_kafka_mock_cluster_t *mock;
    rd_kafka_topic_t *results;
    struct usher_kafka_settings settings;
    pthread_t worker;
    atomic_bool stop;
    atomic_int mute; /* answers nothing while set */
    int64_t seqs[PARTITIONS];
};

/* ---- a worker that says yes ---- */

static void publish(struct cluster *cluster, int32_t partition, const char *key, const char *text)
{
    while (rd_kafka_produce(cluster->results, partition, RD_KAFKA_MSG_F_FREE, strdup(text),
                            strlen(text), key, strlen(key), NULL) != 0)
        rd_kafka_poll(cluster->host, 1);
}

static void publish_answer(struct cluster *cluster, int32_t partition, const char *id,
                           const char *key, const char *more)
{
    char text[400];
    snprintf(text, sizeof text,
             "{\"request_id\":\"%s\",\"op\":\"hold\",\"resource\":\"%s\",\"outcome\":\"held\"%s,"
             "\"seq\":%lld,\"epoch\":1}",
             id, key, more, (long long)++cluster->seqs[partition]);
    publish(cluster, partition, key, text);
}

/* For each request: an unrequested answer with its id, somebody else's answer, then the answer. */
static void answer(struct cluster *cluster, const rd_kafka_message_t *message)
{
    struct usher_arena arena = {0};
    struct usher_request request;
    struct usher_error err;
    assert_int_equal(usher_request_decode(message->payload, message->len, &arena, &request, &err),
                     USHER_OK);
    if (strncmp(request.request_id, "plain", 5) != 0) {
        publish_answer(cluster, message->partition, request.request_id, request.resource,
                       ",\"unasked\":true,\"cause\":\"expiry\"");
        publish_answer(cluster, message->partition, "other-1", request.resource, "");
        publish_answer(cluster, message->partition, request.request_id, "show:other", "");
    }
    publish_answer(cluster, message->partition, request.request_id, request.resource, "");
    usher_arena_deinit(&arena);
}

static void *work(void *context)
{
    struct cluster *cluster = context;
    static struct kafka_log log;
    struct usher_error err;
    rd_kafka_conf_t *conf = kafka_conf_new(&cluster->settings, KAFKA_READER, &log, &err);
    rd_kafka_t *kafka = kafka_handle_new(RD_KAFKA_CONSUMER, conf, &err);
    rd_kafka_topic_t *topic = rd_kafka_topic_new(kafka, "booking.requests.v1", NULL);
    rd_kafka_queue_t *queue = rd_kafka_queue_new(kafka);
    for (int32_t p = 0; p < PARTITIONS; p++)
        rd_kafka_consume_start_queue(topic, p, 0, queue);
    while (!atomic_load(&cluster->stop)) {
        rd_kafka_message_t *message = rd_kafka_consume_queue(queue, 10);
        if (message != NULL && message->err == 0 && atomic_load(&cluster->mute) == 0)
            answer(cluster, message);
        if (message != NULL)
            rd_kafka_message_destroy(message);
        rd_kafka_poll(cluster->host, 0);
    }
    for (int32_t p = 0; p < PARTITIONS; p++)
        rd_kafka_consume_stop(topic, p);
    rd_kafka_queue_destroy(queue);
    rd_kafka_topic_destroy(topic);
    rd_kafka_destroy(kafka);
    return NULL;
}

static int setup(void **state)
{
    struct cluster *cluster = calloc(1, sizeof *cluster);
    struct usher_error err;
    cluster->settings.brokers = "127.0.0.1:1";
    cluster->log.limit.quiet_until_ms = INT64_MAX;
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    char reason[256];
    rd_kafka_conf_set_opaque(conf, &cluster->log);
    rd_kafka_conf_set(conf, "test.mock.num.brokers", "1", reason, sizeof reason);
    rd_kafka_conf_set(conf, "linger.ms", "0", reason, sizeof reason);
    rd_kafka_conf_set(conf, "log_level", "3", reason, sizeof reason);
    cluster->host = kafka_handle_new(RD_KAFKA_PRODUCER, conf, &err);
    cluster->mock = rd_kafka_handle_mock_cluster(cluster->host);
    cluster->settings.brokers = rd_kafka_mock_cluster_bootstraps(cluster->mock);
    rd_kafka_mock_topic_create(cluster->mock, "booking.requests.v1", PARTITIONS, 1);
    rd_kafka_mock_topic_create(cluster->mock, "booking.results.v1", PARTITIONS, 1);
    cluster->results = rd_kafka_topic_new(cluster->host, "booking.results.v1", NULL);
    *state = cluster;
    return pthread_create(&cluster->worker, NULL, work, cluster);
}

static int teardown(void **state)
{
    struct cluster *cluster = *state;
    atomic_store(&cluster->stop, true);
    pthread_join(cluster->worker, NULL);
    rd_kafka_topic_destroy(cluster->results);
    rd_kafka_destroy(cluster->host);
    free(cluster);
    return 0;
}

/* ---- the client ---- */

struct seen {
    struct cluster *cluster;
    int delivered, failed, answered, timed_out, wrong;
};

static void on_delivery(void *context, const struct usher_delivery *delivery)
{
    struct seen *seen = context;
    if (delivery->status == USHER_OK)
        seen->delivered++;
    else
        seen->failed++;
}

/* The tag is the id that was sent. */
static void on_reply(void *context, const struct usher_reply *reply)
{
    struct seen *seen = context;
    char start[100];
    seen->wrong += reply->request_id_size != strlen(reply->tag) ||
                   memcmp(reply->request_id, reply->tag, reply->request_id_size) != 0;
    if (reply->status == USHER_RETRY) {
        seen->timed_out++;
        return;
    }
    int size = snprintf(start, sizeof start, "{\"request_id\":\"%s\"", (const char *)reply->tag);
    seen->answered++;
    if (reply->size < (size_t)size || memcmp(reply->data, start, (size_t)size) != 0 ||
        memmem(reply->data, reply->size, "unasked", 7) != NULL ||
        memmem(reply->data, reply->size, "show:other", 10) != NULL)
        seen->wrong++;
}

static struct usher_client *open_client(struct seen *seen, int64_t answer_timeout_ms)
{
    struct usher_client_settings settings = {
        .kafka = seen->cluster->settings,
        .answer_timeout_ms = answer_timeout_ms,
        .context = seen,
        .on_delivery = on_delivery,
        .on_reply = on_reply,
    };
    struct usher_client *client;
    struct usher_error err;
    assert_int_equal(usher_client_open(&settings, &client, &err), USHER_OK);
    return client;
}

static void send_hold(struct usher_client *client, char *id, const char *resource, bool wait)
{
    char text[300];
    struct usher_error err;
    int size = snprintf(text, sizeof text,
                        "{\"request_id\":\"%s\",\"op\":\"hold\",\"resource\":\"%s\",\"customer\":"
                        "\"c\",\"items\":[{\"section\":\"s\",\"quantity\":1}]}",
                        id, resource);
    struct usher_message message = {
        .resource = resource,
        .request_id = id,
        .data = text,
        .size = (size_t)size,
        .tag = id,
        .wait = wait,
    };
    assert_int_equal(usher_client_send(client, &message, &err), USHER_OK);
}

static void test_answers_find_their_senders(void **state)
{
    enum {
        COUNT = 400
    };
    static char ids[COUNT][16];
    static const char *const resources[] = {"show:a", "show:b", "hotel:c", "shop:d", "show:e"};
    struct seen seen = {.cluster = *state};
    struct usher_client *client = open_client(&seen, 20000);
    struct usher_error err;
    for (int i = 0; i < COUNT; i++) {
        snprintf(ids[i], sizeof ids[i], "t-%d", i);
        send_hold(client, ids[i], resources[i % 5], i % 4 != 0);
    }
    assert_int_equal(usher_client_flush(client, 20000, &err), USHER_OK);
    assert_int_equal(usher_client_pending(client), 0);
    assert_int_equal(seen.delivered, COUNT);
    assert_int_equal(seen.answered, COUNT * 3 / 4);
    assert_int_equal(seen.failed + seen.timed_out + seen.wrong, 0);
    usher_client_close(client);
}

static void test_same_id_sent_twice_is_answered_twice(void **state)
{
    static char id[] = "twice";
    struct seen seen = {.cluster = *state};
    struct usher_client *client = open_client(&seen, 20000);
    struct usher_error err;
    send_hold(client, id, "show:a", true);
    send_hold(client, id, "show:a", true);
    assert_int_equal(usher_client_flush(client, 20000, &err), USHER_OK);
    assert_int_equal(seen.answered, 2);
    assert_int_equal(seen.wrong, 0);
    usher_client_close(client);
}

static void test_no_answer_in_time(void **state)
{
    static char id[] = "mute";
    struct cluster *cluster = *state;
    struct seen seen = {.cluster = cluster};
    struct usher_client *client = open_client(&seen, 300);
    struct usher_error err;
    atomic_store(&cluster->mute, 1);
    send_hold(client, id, "show:a", true);
    assert_int_equal(usher_client_flush(client, 20000, &err), USHER_OK);
    assert_int_equal(seen.delivered, 1);
    assert_int_equal(seen.timed_out, 1);
    assert_int_equal(seen.wrong, 0);
    usher_client_close(client);
}

/* Just after a topic was made, its partitions may have no leader to ask for their end. */
static void test_a_leader_that_is_being_elected(void **state)
{
    enum {
        LIST_OFFSETS = 2
    };
    static char id[] = "patient";
    struct cluster *cluster = *state;
    struct seen seen = {.cluster = cluster};
    struct usher_client *client = open_client(&seen, 20000);
    struct usher_error err;
    rd_kafka_mock_push_request_errors(
        cluster->mock, LIST_OFFSETS, 3, RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION,
        RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION, RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE);
    send_hold(client, id, "show:a", true);
    assert_int_equal(usher_client_flush(client, 20000, &err), USHER_OK);
    assert_int_equal(seen.answered, 1);
    assert_int_equal(usher_client_partition_of(client, "show:a"),
                     usher_partition_of("show:a", 6, PARTITIONS));
    usher_client_close(client);
}

/* As a worker would answer it, before anybody waits in vain. */
static void assert_rejected(struct usher_client *client, const struct usher_message *message,
                            const char *reason)
{
    struct usher_error err;
    assert_int_equal(usher_client_send(client, message, &err), USHER_REJECT);
    assert_int_equal(err.exit_code, USHER_EXIT_BAD_INPUT);
    assert_non_null(strstr(err.text, "could not send a request: "));
    assert_non_null(strstr(err.text, reason));
}

static void test_bad_messages_are_refused(void **state)
{
    struct seen seen = {.cluster = *state};
    struct usher_client *client = open_client(&seen, 300);
    static char data[USHER_DEFINE_SIZE_MAX + 1];
    static const char probe[] = "{\"request_id\":\"a\",\"op\":\"probe\",\"resource\":\"x\"}";
    static const char latin[] = "{\"customer\":\"caf\xe9\"}";
    static const char id[] = "{\"request_id\":\"a/1\",\"op\":\"probe\",\"resource\":\"x\"}";
    const struct {
        struct usher_message message;
        const char *reason;
    } rows[] = {
        {{.request_id = "a", .data = probe, .size = sizeof probe - 1}, "its resource is not that"},
        {{"y", "a", probe, sizeof probe - 1, NULL, true}, "its resource is not that"},
        {{.resource = "x", .data = probe, .size = sizeof probe - 1}, "its request id is not that"},
        {{"x", "b", probe, sizeof probe - 1, NULL, true}, "its request id is not that"},
        {{"x", "a/1", id, sizeof id - 1, NULL, true}, "\"a/1\""},
        {{"x", "a", data, sizeof data, NULL, true}, "bytes"},
        {{"x", "a", NULL, 0, NULL, true}, "empty value"},
        {{"x", "a", latin, sizeof latin - 1, NULL, true}, "UTF-8"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_rejected(client, &rows[i].message, rows[i].reason);
    assert_int_equal(usher_client_pending(client), 0);
    usher_client_close(client);
}

static void test_missing_topic_and_partition_mismatch(void **state)
{
    struct cluster *cluster = *state;
    struct usher_client_settings settings = {.kafka = cluster->settings};
    struct usher_client *client;
    struct usher_error err;
    settings.kafka.topic_prefix = "uneven";
    rd_kafka_mock_topic_create(cluster->mock, "uneven.requests.v1", 2, 1);
    rd_kafka_mock_topic_create(cluster->mock, "uneven.results.v1", 3, 1);
    assert_int_equal(usher_client_open(&settings, &client, &err), USHER_FATAL);
    assert_int_equal(err.exit_code, USHER_EXIT_CONFIG);
    assert_null(client);
}

/* At once: a librdkafka without brokers would be waited for. */
static void test_no_brokers_are_given(void **state)
{
    static const char *const none[] = {NULL, ""};
    struct usher_client_settings settings = {.answer_timeout_ms = 300};
    struct usher_watch_settings watching = {.from_beginning = true};
    struct usher_client *client;
    struct usher_watch *watch;
    struct usher_error err;
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        settings.kafka.brokers = watching.kafka.brokers = none[i];
        assert_int_equal(usher_client_open(&settings, &client, &err), USHER_FATAL);
        assert_int_equal(err.exit_code, USHER_EXIT_CONFIG);
        assert_string_equal(err.text, "could not reach Kafka: no brokers given");
        assert_null(client);
        assert_int_equal(usher_watch_open(&watching, &watch, &err), USHER_FATAL);
        assert_int_equal(err.exit_code, USHER_EXIT_CONFIG);
        assert_string_equal(err.text, "could not reach Kafka: no brokers given");
        assert_null(watch);
    }
}

/* ---- the watch ---- */

static void publish_seq(struct cluster *cluster, int seq, const char *key)
{
    char text[100];
    int32_t partition = usher_partition_of("show:w", 6, PARTITIONS);
    snprintf(text, sizeof text, "{\"request_id\":\"r%d\",\"outcome\":\"held\",\"seq\":%d,\"x\":1}",
             seq, seq);
    publish(cluster, partition, key, text);
}

static void test_watch_accepts_only_the_next_seq(void **state)
{
    static const int log[] = {1, 2, 5, 6, 3, 4, 4, 5, 6, 7};
    struct cluster *cluster = *state;
    struct usher_watch_settings settings = {
        .kafka = cluster->settings, .resource = "show:w", .from_beginning = true};
    struct usher_watch *watch;
    struct usher_reply reply;
    struct usher_error err;
    char start[40];
    for (size_t i = 0; i < sizeof log / sizeof log[0]; i++)
        publish_seq(cluster, log[i], log[i] == 3 ? "show:other" : "show:w");
    publish(cluster, usher_partition_of("show:w", 6, PARTITIONS), "show:w", "not an answer");
    assert_int_equal(rd_kafka_flush(cluster->host, 10000), RD_KAFKA_RESP_ERR_NO_ERROR);
    assert_int_equal(usher_watch_open(&settings, &watch, &err), USHER_OK);
    assert_false(usher_watch_caught_up(watch));
    for (int seq = 1; seq <= 7; seq++) {
        if (seq == 3) /* another resource's: counted, not shown */
            continue;
        assert_int_equal(usher_watch_next(watch, 10000, &reply, &err), USHER_OK);
        snprintf(start, sizeof start, "{\"request_id\":\"r%d\"", seq);
        assert_memory_equal(reply.data, start, strlen(start));
    }
    assert_int_equal(usher_watch_next(watch, 200, &reply, &err), USHER_RETRY);
    assert_true(usher_watch_caught_up(watch));
    usher_watch_close(watch);
}

static void test_watch_from_the_end(void **state)
{
    struct cluster *cluster = *state;
    struct usher_watch_settings settings = {.kafka = cluster->settings};
    struct usher_watch *watch;
    struct usher_reply reply;
    struct usher_error err;
    publish_seq(cluster, 41, "show:w");
    assert_int_equal(rd_kafka_flush(cluster->host, 10000), RD_KAFKA_RESP_ERR_NO_ERROR);
    assert_int_equal(usher_watch_open(&settings, &watch, &err), USHER_OK);
    assert_true(usher_watch_caught_up(watch));
    publish_seq(cluster, 42, "show:w");
    assert_int_equal(usher_watch_next(watch, 10000, &reply, &err), USHER_OK);
    assert_memory_equal(reply.data, "{\"request_id\":\"r42\"", 19);
    usher_watch_close(watch);
}

static void assert_next_seq(struct usher_watch *watch, int64_t seq)
{
    struct usher_reply reply;
    struct usher_error err;
    assert_int_equal(usher_watch_next(watch, 10000, &reply, &err), USHER_OK);
    assert_int_equal(reply.seq, seq);
}

/* Behind the second of 1, 2, 5, 6, 3, 4, 5, 6: what a fenced worker wrote is passed over. */
static void test_watch_goes_on_behind_a_position(void **state)
{
    static const int log[] = {1, 2, 5, 6, 3, 4, 5, 6};
    struct cluster *cluster = *state;
    struct usher_position at = {.partition = usher_partition_of("show:w", 6, PARTITIONS)};
    struct usher_watch_settings settings = {
        .kafka = cluster->settings, .positions = &at, .position_count = 1};
    struct usher_watch *watch;
    struct usher_reply reply;
    struct usher_error err;
    for (size_t i = 0; i < sizeof log / sizeof log[0]; i++)
        publish_seq(cluster, log[i], "show:w");
    assert_int_equal(rd_kafka_flush(cluster->host, 10000), RD_KAFKA_RESP_ERR_NO_ERROR);
    for (at.offset = 1; at.offset >= 0; at.offset--) { /* 0: where it was is not known */
        at.seq = 2;
        assert_int_equal(usher_watch_open(&settings, &watch, &err), USHER_OK);
        for (int seq = 3; seq <= 6; seq++)
            assert_next_seq(watch, seq);
        assert_int_equal(usher_watch_next(watch, 100, &reply, &err), USHER_RETRY);
        assert_true(usher_watch_caught_up(watch));
        usher_watch_close(watch);
    }
    at.seq = 0; /* none was stored: as without a position */
    assert_int_equal(usher_watch_open(&settings, &watch, &err), USHER_OK);
    publish_seq(cluster, 7, "show:w");
    assert_next_seq(watch, 7);
    usher_watch_close(watch);
}

static void test_positions_that_cannot_be(void **state)
{
    struct cluster *cluster = *state;
    struct usher_position at = {.partition = PARTITIONS, .seq = 1, .offset = 1};
    struct usher_watch_settings settings = {
        .kafka = cluster->settings, .positions = &at, .position_count = 1};
    struct usher_watch *watch;
    struct usher_error err;
    assert_int_equal(usher_watch_open(&settings, &watch, &err), USHER_REJECT);
    assert_non_null(strstr(err.text, "could not watch partition 4: there are 4"));
    at = (struct usher_position){.partition = 1, .seq = 9, .offset = 8};
    assert_int_equal(usher_watch_open(&settings, &watch, &err), USHER_REJECT);
    assert_int_equal(err.exit_code, USHER_EXIT_BAD_INPUT);
    assert_non_null(
        strstr(err.text, "could not continue at offset 9 of partition 1: its log ends at 0"));
}

/* None of them is where its log has its answer, or the next one behind it. */
static void test_positions_of_another_log(void **state)
{
    static const int log[] = {1, 2, 5, 6, 3, 4, 5, 6};
    static const struct usher_position positions[] = {
        {.seq = 2, .offset = 5}, {.seq = 9, .offset = 3}, {.seq = 9, .offset = 0}};
    struct cluster *cluster = *state;
    int32_t partition = usher_partition_of("show:w", 6, PARTITIONS);
    for (size_t i = 0; i < sizeof log / sizeof log[0]; i++)
        publish_seq(cluster, log[i], "show:w");
    publish(cluster, partition, "show:w", "not an answer");
    assert_int_equal(rd_kafka_flush(cluster->host, 10000), RD_KAFKA_RESP_ERR_NO_ERROR);
    for (size_t i = 0; i < sizeof positions / sizeof positions[0]; i++) {
        struct usher_position at = positions[i];
        at.partition = partition;
        struct usher_watch_settings settings = {
            .kafka = cluster->settings, .positions = &at, .position_count = 1};
        struct usher_watch *watch;
        struct usher_reply reply;
        struct usher_error err;
        assert_int_equal(usher_watch_open(&settings, &watch, &err), USHER_OK);
        assert_int_equal(usher_watch_next(watch, 10000, &reply, &err), USHER_FATAL);
        assert_int_equal(err.exit_code, USHER_EXIT_BAD_INPUT);
        assert_non_null(strstr(err.text, i == 0 ? "after seq 2 of" : "after seq 9 of"));
        usher_watch_close(watch);
    }
}

/* The third is nowhere: it is not passed over in silence, however much comes behind it. */
static void test_watch_ends_where_an_answer_is_missing(void **state)
{
    static const int log[] = {1, 2, 4, 5};
    struct cluster *cluster = *state;
    struct usher_watch_settings settings = {
        .kafka = cluster->settings, .resource = "show:w", .from_beginning = true};
    struct usher_watch *watch;
    struct usher_reply reply;
    struct usher_error err;
    for (size_t i = 0; i < sizeof log / sizeof log[0]; i++)
        publish_seq(cluster, log[i], "show:w");
    assert_int_equal(rd_kafka_flush(cluster->host, 10000), RD_KAFKA_RESP_ERR_NO_ERROR);
    assert_int_equal(usher_watch_open(&settings, &watch, &err), USHER_OK);
    assert_next_seq(watch, 1);
    assert_next_seq(watch, 2);
    assert_int_equal(usher_watch_next(watch, 10000, &reply, &err), USHER_FATAL);
    assert_int_equal(err.exit_code, USHER_EXIT_BAD_INPUT);
    assert_non_null(strstr(err.text, "could not continue after seq 2 of"));
    usher_watch_close(watch);
}

/* What is in the log cannot be fetched: the end is never reached. */
static void test_a_watch_until_the_end_gives_up(void **state)
{
    static rd_kafka_resp_err_t errors[1000];
    struct cluster *cluster = *state;
    char words[200], text[2000];
    publish_seq(cluster, 1, "show:w");
    assert_int_equal(rd_kafka_flush(cluster->host, 10000), RD_KAFKA_RESP_ERR_NO_ERROR);
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
        errors[i] = RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE;
    rd_kafka_mock_push_request_errors_array(cluster->mock, FETCH, sizeof errors / sizeof errors[0],
                                            errors);
    snprintf(words, sizeof words, "watch --until-end --wait 300ms --kafka-brokers %s",
             cluster->settings.brokers);
    assert_int_equal(run_producer(words, text, sizeof text), USHER_EXIT_UNAVAILABLE);
    assert_non_null(
        strstr(text, "could not read to the end: 0 answers came, then none for 300 ms"));
}

static void await_readable(int descriptor)
{
    struct pollfd one = {.fd = descriptor, .events = POLLIN};
    assert_int_equal(poll(&one, 1, 20000), 1);
}

static void test_descriptors_wake_a_loop(void **state)
{
    static char id[] = "loop";
    struct seen seen = {.cluster = *state};
    struct usher_client *client = open_client(&seen, 20000);
    struct usher_watch_settings settings = {.kafka = seen.cluster->settings};
    struct usher_watch *watch;
    struct usher_reply reply;
    struct usher_error err;
    assert_int_equal(usher_watch_open(&settings, &watch, &err), USHER_OK);
    for (int turn = 1; turn <= 3; turn++) {
        send_hold(client, id, "show:a", true);
        while (seen.answered < turn) { /* the answer is the last of four that come */
            await_readable(usher_client_descriptor(client));
            assert_int_equal(usher_client_poll(client, 0, &err), USHER_OK);
        }
        for (int answers = 0; answers < 4; answers++) {
            while (usher_watch_next(watch, 0, &reply, &err) != USHER_OK)
                await_readable(usher_watch_descriptor(watch));
            assert_int_equal(reply.seq, 4 * (turn - 1) + answers + 1);
        }
    }
    assert_int_equal(usher_watch_next(watch, 0, &reply, &err), USHER_RETRY);
    assert_string_equal(usher_version(), USHER_VERSION);
    usher_watch_close(watch);
    usher_client_close(client);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(test_answers_find_their_senders, setup, teardown),
    cmocka_unit_test_setup_teardown(test_same_id_sent_twice_is_answered_twice, setup, teardown),
    cmocka_unit_test_setup_teardown(test_no_answer_in_time, setup, teardown),
    cmocka_unit_test_setup_teardown(test_a_leader_that_is_being_elected, setup, teardown),
    cmocka_unit_test_setup_teardown(test_bad_messages_are_refused, setup, teardown),
    cmocka_unit_test_setup_teardown(test_missing_topic_and_partition_mismatch, setup, teardown),
    cmocka_unit_test(test_no_brokers_are_given),
    cmocka_unit_test_setup_teardown(test_watch_accepts_only_the_next_seq, setup, teardown),
    cmocka_unit_test_setup_teardown(test_watch_from_the_end, setup, teardown),
    cmocka_unit_test_setup_teardown(test_watch_goes_on_behind_a_position, setup, teardown),
    cmocka_unit_test_setup_teardown(test_positions_of_another_log, setup, teardown),
    cmocka_unit_test_setup_teardown(test_watch_ends_where_an_answer_is_missing, setup, teardown),
    cmocka_unit_test_setup_teardown(test_a_watch_until_the_end_gives_up, setup, teardown),
    cmocka_unit_test_setup_teardown(test_positions_that_cannot_be, setup, teardown),
    cmocka_unit_test_setup_teardown(test_descriptors_wake_a_loop, setup, teardown),
};
UNIT_TESTS(test_client, tests, run_producer_setup, NULL)
