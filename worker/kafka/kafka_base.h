/*
 * What all Kafka adapters of a process share: the settings, the names of the topics, one reader
 * that is a member of no group, the disposal of handles, and descriptors that librdkafka's
 * queues make readable. Opened by the program and passed to the adapters; knows nothing of what
 * they do with it. For the Kafka adapters only: includes rdkafka.h.
 */
#ifndef USHER_WORKER_KAFKA_KAFKA_BASE_H
#define USHER_WORKER_KAFKA_KAFKA_BASE_H

#include <librdkafka/rdkafka.h>
#include <stdbool.h>
#include <stdint.h>

#include "usher/client.h"
#include "usher/status.h"

struct kafka_base;
struct kafka_disposal;
struct kafka_reader;

/* Zero-initialise, then set. The settings are copied. */
struct kafka_base_settings {
    const struct usher_kafka_settings *kafka;
    int request_timeout_ms; /* deadline of each request to Kafka; 0: 10,000 */
    bool committed;         /* the reader reads what the consumer group reads: kafka_reader.h */
};

/*
 * Opens the reader; does not wait for Kafka. `*base` is owned: kafka_base_close, after everything
 * that was opened with it. FATAL with exit code 78: a property or the prefix is wrong.
 */
USHER_MUST_CHECK enum usher_status kafka_base_open(const struct kafka_base_settings *settings,
                                                   struct kafka_base **base,
                                                   struct usher_error *err);

/*
 * Requests the partition count of the request topic. FATAL: 69 no broker answers or a topic is
 * missing, 77 access denied, 78 the result topic has a different count.
 */
USHER_MUST_CHECK enum usher_status kafka_base_partitions(struct kafka_base *base, int32_t *count,
                                                         struct usher_error *err);

/*
 * Requests the offsets after the last request of each partition: ends[0 … count - 1]. Statuses of
 * kafka_reader_end.
 */
USHER_MUST_CHECK enum usher_status kafka_base_ends(struct kafka_base *base, int32_t count,
                                                   int64_t *ends, struct usher_error *err);

/* Borrowed, valid until the base is closed. */
const struct usher_topic_names *kafka_base_topics(const struct kafka_base *base);

const struct usher_kafka_settings *kafka_base_settings(const struct kafka_base *base);

struct kafka_reader *kafka_base_reader(const struct kafka_base *base);

struct kafka_disposal *kafka_base_disposal(const struct kafka_base *base);

/*
 * Waits up to timeout_ms until every handle of the process is destroyed, and frees the base. RETRY:
 * some hang, as librdkafka may after a broker's restart; the memory is left alone then, and the
 * process must end by _exit. NULL is legal.
 */
USHER_MUST_CHECK enum usher_status kafka_base_close(struct kafka_base *base, int timeout_ms,
                                                    struct usher_error *err);

/*
 * ==== Descriptors ====
 *
 * Descriptors that an event loop waits on, made readable by librdkafka's queues.
 */

/* Returns a non-blocking eventfd, owned: close. Aborts where the process has no descriptor left. */
int kafka_wake_new(void);

/* Makes it readable. */
void kafka_wake_set(int fd);

/* Sets `fd` whenever an event arrives in the empty queue; -1: no longer. */
void kafka_wake_on(rd_kafka_queue_t *queue, int fd);

#endif
