/*
 * What a decision looks like as a record of the result topic, and a dead letter as one of its own
 * topic: value, key and headers. Equal rows give equal bytes, whoever publishes them, whenever.
 * For the Kafka adapters only: includes rdkafka.h.
 */
#ifndef USHER_WORKER_KAFKA_KAFKA_ANSWER_H
#define USHER_WORKER_KAFKA_KAFKA_ANSWER_H

#include <librdkafka/rdkafka.h>

#include "usher/client.h"
#include "usher/memory.h"
#include "usher/status.h"
#include "worker/model/rows.h"

enum {
    /*
     * A record's key can unpack to megabytes. The part beyond this is left out wherever usher
     * publishes it: with the largest answer it must fit into a message.
     */
    KAFKA_KEY_MAX = 65536,
    KAFKA_DEAD_LETTER_MAX = 1000000, /* bytes of a dead letter's value; the rest is left out */
};

/* Appends the answer. HALT: the row's codec is not known to this program. */
USHER_MUST_CHECK enum usher_status kafka_answer_value(const struct decision_row *row,
                                                      int32_t partition, struct usher_buffer *out,
                                                      struct usher_error *err);

/*
 * The headers of an answer, always in the same order: traceparent and client where the request had
 * them, CloudEvents' where it came with such. NULL: none. Owned: rd_kafka_headers_destroy, or a
 * message takes them.
 */
rd_kafka_headers_t *kafka_answer_headers(const struct decision_row *row, int32_t partition,
                                         const struct usher_topic_names *topics);

/* The headers of a dead letter. Never NULL; owned. */
rd_kafka_headers_t *kafka_dead_letter_headers(const struct dead_letter_row *row, int32_t partition,
                                              const struct usher_topic_names *topics);

#endif
