/*
 * The part of kafka_base that only the Kafka adapters see: the shared reader, and how a handle is
 * got rid of without waiting. Includes rdkafka.h.
 */
#ifndef USHER_WORKER_KAFKA_KAFKA_HANDLES_H
#define USHER_WORKER_KAFKA_KAFKA_HANDLES_H

#include <librdkafka/rdkafka.h>

#include "producer/kafka/kafka_settings.h"
#include "usher/status.h"
#include "worker/kafka/kafka_base.h"

/* A non-blocking eventfd. Aborts where there is none to be had. */
int kafka_wake_new(void);

/* Reads it empty; makes it readable. */
void kafka_wake_clear(int fd);
void kafka_wake_set(int fd);

/* Makes `fd` readable whenever something arrives in the empty queue; -1: no longer. */
void kafka_wake_on(rd_kafka_queue_t *queue, int fd);

/* A partition's log, by the shared reader's handle of its topic. */
struct kafka_place {
    rd_kafka_topic_t *topic;
    int32_t partition;
};

/* The first offset in a log and the one after the last. */
struct kafka_bounds {
    int64_t start, end;
};

/* Borrowed, as all of the base. */
const struct usher_kafka_settings *kafka_base_settings(const struct kafka_base *base);

/* Partitions of both topics, for the functions below and kafka_reading. */
struct kafka_place kafka_base_requests(const struct kafka_base *base, int32_t partition);
struct kafka_place kafka_base_results(const struct kafka_base *base, int32_t partition);

/* The deadline of each question to Kafka. */
int kafka_base_timeout_ms(const struct kafka_base *base);

/*
 * Asks for the offset after the last record of a log. Statuses of kafka_status; RETRY where there
 * is no answer within timeout_ms.
 */
USHER_MUST_CHECK enum usher_status kafka_base_end(struct kafka_base *base, struct kafka_place place,
                                                  int timeout_ms, int64_t *end,
                                                  struct usher_error *err);

/* Asks for both ends of a log, waiting for each up to the base's deadline. Statuses as above. */
USHER_MUST_CHECK enum usher_status kafka_base_bounds(struct kafka_base *base,
                                                     struct kafka_place place,
                                                     struct kafka_bounds *bounds,
                                                     struct usher_error *err);

/* A log being read by the shared reader: one at a time for each partition. */
struct kafka_reading {
    struct kafka_place place;
    rd_kafka_queue_t *queue;
};

/* Starts to read at `offset`; does not wait. End it with kafka_reading_end. */
USHER_MUST_CHECK enum usher_status kafka_reading_begin(struct kafka_base *base,
                                                       struct kafka_place place, int64_t offset,
                                                       struct kafka_reading *reading,
                                                       struct usher_error *err);

/*
 * Waits up to timeout_ms for messages, fills at most `max` and returns how many. They are owned:
 * rd_kafka_message_destroy. Errors and the end of the log come as messages, too.
 */
size_t kafka_reading_next(struct kafka_reading *reading, rd_kafka_message_t **messages, size_t max,
                          int timeout_ms);

void kafka_reading_end(struct kafka_reading *reading);

/*
 * Takes a handle and destroys it on a thread of its own, which may take for ever; then frees
 * `owner` (may be NULL), what the handle's callbacks refer to. Queues and topics of the handle
 * must have been destroyed. NULL is legal.
 */
void kafka_base_discard(struct kafka_base *base, rd_kafka_t *handle, void *owner);

/* Waits until every handle discarded is destroyed. False: not within timeout_ms. */
bool kafka_base_settle(struct kafka_base *base, int timeout_ms);

#endif
