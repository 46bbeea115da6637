/*
 * A producer of the outbox: opened for a purpose, reports deliveries through a queue, and closes
 * without waiting. Knows nothing of answers. For the Kafka adapters only: includes rdkafka.h.
 */
#ifndef USHER_WORKER_KAFKA_KAFKA_PRODUCER_H
#define USHER_WORKER_KAFKA_KAFKA_PRODUCER_H

#include <librdkafka/rdkafka.h>

#include "producer/kafka/kafka_settings.h"
#include "worker/kafka/kafka_base.h"

/* Zero-initialised: closed. */
struct kafka_producer {
    rd_kafka_t *handle;
    rd_kafka_queue_t *reports; /* of deliveries and errors */
    rd_kafka_topic_t *topic;
    struct kafka_log *log; /* freed with the handle */
};

struct kafka_producer_plan {
    enum kafka_purpose purpose;
    const char *topic;
    const struct log_context *context;
    int wake; /* an eventfd that becomes readable when there are reports */
};

/* A message. `tag` is returned with its delivery report: kafka_tag. */
struct kafka_outgoing {
    int32_t partition; /* RD_KAFKA_PARTITION_UA: by its key */
    const void *key;
    size_t key_size;
    const void *value;
    size_t value_size;
    rd_kafka_headers_t *headers; /* taken, also on failure; may be NULL */
    int64_t tag;
};

/* Does not wait for Kafka. FATAL: a property is wrong. */
USHER_MUST_CHECK enum usher_status kafka_producer_open(struct kafka_producer *producer,
                                                       struct kafka_base *base,
                                                       const struct kafka_producer_plan *plan,
                                                       struct usher_error *err);

/* Drops queued messages and reports. Legal on a closed one. */
void kafka_producer_close(struct kafka_producer *producer, struct kafka_base *base);

/* Queues a message; key and value are copied. RETRY: the producer has failed. */
USHER_MUST_CHECK enum usher_status kafka_producer_send(struct kafka_producer *producer,
                                                       const struct kafka_outgoing *out,
                                                       struct usher_error *err);

/* Returns the tag of a reported message. */
int64_t kafka_tag(const rd_kafka_message_t *message);

#endif
