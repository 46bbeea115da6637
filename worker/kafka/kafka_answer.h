/*
 * Turns a decision into a record of the result topic, and a dead letter into one of its topic:
 * value, key and headers. Equal rows give equal bytes, whichever worker publishes them. For the
 * Kafka adapters only: includes rdkafka.h.
 */
#ifndef USHER_WORKER_KAFKA_KAFKA_ANSWER_H
#define USHER_WORKER_KAFKA_KAFKA_ANSWER_H

#include <librdkafka/rdkafka.h>

#include "usher/client.h"
#include "usher/memory.h"
#include "usher/status.h"
#include "worker/model/rows.h"

enum {
    KAFKA_DEAD_LETTER_MAX = 1000000, /* a dead letter's value is truncated to this size */
};

/* Appends the answer. HALT: the row was written by a newer program. */
USHER_MUST_CHECK enum usher_status kafka_answer_value(const struct decision_row *row,
                                                      int32_t partition, struct usher_buffer *out,
                                                      struct usher_error *err);

/*
 * Returns the headers of an answer, always in the same order: traceparent and client if the request
 * had them, those of CloudEvents if it had such. NULL: none. Owned: rd_kafka_headers_destroy, or
 * passed on with a message.
 */
rd_kafka_headers_t *kafka_answer_headers(const struct decision_row *row, int32_t partition,
                                         const struct usher_topic_names *topics);

/* Returns the headers of a dead letter. Never NULL; owned. */
rd_kafka_headers_t *kafka_dead_letter_headers(const struct dead_letter_row *row, int32_t partition,
                                              const struct usher_topic_names *topics);

#endif
