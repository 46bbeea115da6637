/*
 * A Kafka cluster inside the test: librdkafka's mock, with the three topics and a kafka_base on it.
 * It stores nothing and fences no producer: it serves for the adapters' errors, not for durability.
 */
#ifndef USHER_TESTS_MOCK_KAFKA_H
#define USHER_TESTS_MOCK_KAFKA_H

#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>

#include "worker/kafka/kafka_base.h"

enum {
    MOCK_PRODUCE = 0, /* numbers of requests, for rd_kafka_mock_push_request_errors */
    MOCK_LIST_OFFSETS = 2,
    MOCK_JOIN_GROUP = 11,
};

struct mock_kafka {
    rd_kafka_t *handle;
    rd_kafka_mock_cluster_t *cluster;
    struct kafka_base *base;
};

/*
 * Opens a cluster of so many brokers, each of which has all of the log; the topics have the prefix
 * "mock" and that many partitions.
 */
void mock_kafka_open(struct mock_kafka *mock, int brokers, int partitions);
void mock_kafka_close(struct mock_kafka *mock);

/* The key of every record appended. */
#define MOCK_KEY "show:x"

/* Appends a record and waits until it is delivered. */
void mock_kafka_append(struct mock_kafka *mock, const char *topic, int32_t partition,
                       const char *value);

/* Waits until a descriptor of an adapter is readable, at most so long, and reads it empty. */
void mock_kafka_await(int fd, int timeout_ms);

#endif
