/*
 * The producers of the Kafka adapters: opened for a purpose, they report deliveries through a
 * queue and close without waiting. One of them sends no-op records, which tell that nothing is
 * hidden in the request log. Knows nothing of answers. For the Kafka adapters only: includes
 * rdkafka.h.
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

/*
 * ==== No-op records ====
 *
 * No-op records: usher appends them to a replicated log of requests to learn that nothing is hidden
 * in it.
 *
 * A log's readable end, the high watermark, stands still for as long as a replica that is in sync
 * does not fetch, or fewer than min.insync.replicas are in sync, while the leader may go on
 * appending. How long that lasts no client can tell: a leader that does not reach the controller
 * keeps a dead replica in sync for ever, and what a client sees of the replicas is as old. But a
 * log is read in the order in which it was appended to: whoever has read a record has read all that
 * was in the log before that record was sent. So one is sent, and read.
 */

/* Zero-initialise, then set the first four. */
struct kafka_noop {
    struct kafka_base *base;
    struct log_context context;
    int32_t partition;
    int wake; /* an eventfd that becomes readable when it may have been appended */

    struct kafka_producer producer; /* opened when first needed */
    bool under_way;
    int64_t sent_ms;     /* the last one, */
    int64_t appended_ms; /* and the last that is in the log: before it was; when it was sent, */
    int64_t end;         /* and the offset behind it; 0: none */
    struct log_limit failure_log;
};

/*
 * Sends one, unless one is under way or was sent within half a second. Never waits. It stays under
 * way while brokers refuse it, as they do below min.insync.replicas.
 */
void kafka_noop_send(struct kafka_noop *noop);

/* Learns whether the one under way was appended. Never waits. */
void kafka_noop_serve(struct kafka_noop *noop);

void kafka_noop_close(struct kafka_noop *noop);

#endif
