/* A Kafka cluster inside the test: see mock_kafka.h. */
#include "mock_kafka.h"

#include <assert.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

static void create_topics(struct mock_kafka *mock, int brokers, int partitions)
{
    const char *const topics[] = {"mock.requests.v1", "mock.results.v1", "mock.requests.dlq.v1"};
    for (size_t i = 0; i < sizeof topics / sizeof *topics; i++) {
        rd_kafka_resp_err_t code =
            rd_kafka_mock_topic_create(mock->cluster, topics[i], partitions, brokers);
        assert(code == RD_KAFKA_RESP_ERR_NO_ERROR);
    }
}

void mock_kafka_open(struct mock_kafka *mock, int brokers, int partitions)
{
    char text[256];
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    rd_kafka_conf_set_log_cb(conf, NULL); /* it warns that it has no brokers */
    mock->handle = rd_kafka_new(RD_KAFKA_PRODUCER, conf, text, sizeof text);
    assert(mock->handle);
    mock->cluster = rd_kafka_mock_cluster_new(mock->handle, brokers);
    assert(mock->cluster);
    create_topics(mock, brokers, partitions);
    const struct usher_kafka_settings kafka = {
        .brokers = rd_kafka_mock_cluster_bootstraps(mock->cluster), .topic_prefix = "mock"};
    const struct kafka_base_settings settings = {.kafka = &kafka, .request_timeout_ms = 2000};
    struct usher_error err;
    enum usher_status status = kafka_base_open(&settings, &mock->base, &err);
    assert(status == USHER_OK);
}

void mock_kafka_close(struct mock_kafka *mock)
{
    enum usher_status status = kafka_base_close(mock->base, 10000, NULL);
    assert(status == USHER_OK);
    rd_kafka_mock_cluster_destroy(mock->cluster);
    rd_kafka_destroy(mock->handle);
}

void mock_kafka_append(struct mock_kafka *mock, const char *topic, int32_t partition,
                       const char *value)
{
    char text[256];
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    rd_kafka_conf_res_t set =
        rd_kafka_conf_set(conf, "bootstrap.servers",
                          rd_kafka_mock_cluster_bootstraps(mock->cluster), text, sizeof text);
    assert(set == RD_KAFKA_CONF_OK);
    rd_kafka_t *producer = rd_kafka_new(RD_KAFKA_PRODUCER, conf, text, sizeof text);
    char key[] = MOCK_KEY;
    char copy[512]; /* librdkafka lacks const on what it only copies */
    assert(strlen(value) < sizeof copy);
    memcpy(copy, value, strlen(value));
    rd_kafka_vu_t parts[] = {
        {.vtype = RD_KAFKA_VTYPE_TOPIC, .u.cstr = topic},
        {.vtype = RD_KAFKA_VTYPE_PARTITION, .u.i32 = partition},
        {.vtype = RD_KAFKA_VTYPE_MSGFLAGS, .u.i = RD_KAFKA_MSG_F_COPY},
        {.vtype = RD_KAFKA_VTYPE_KEY, .u.mem = {key, strlen(key)}},
        {.vtype = RD_KAFKA_VTYPE_VALUE, .u.mem = {copy, strlen(value)}},
    };
    rd_kafka_error_t *error = rd_kafka_produceva(producer, parts, sizeof parts / sizeof *parts);
    assert(!error);
    rd_kafka_resp_err_t code = rd_kafka_flush(producer, 10000);
    assert(code == RD_KAFKA_RESP_ERR_NO_ERROR);
    rd_kafka_destroy(producer);
}

void mock_kafka_await(int fd, int timeout_ms)
{
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    uint64_t count;
    if (poll(&ready, 1, timeout_ms) > 0) {
        ssize_t size = read(fd, &count, sizeof count);
        assert(size == (ssize_t)sizeof count);
    }
}
