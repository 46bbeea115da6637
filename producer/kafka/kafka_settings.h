/*
 * Makes librdkafka's configurations, one for each purpose. The property tables are the one place
 * that says what the protocol needs of a Kafka client. Includes rdkafka.h: for the files that speak
 * to Kafka only; the options are in kafka_options.h.
 */
#ifndef USHER_PRODUCER_KAFKA_KAFKA_SETTINGS_H
#define USHER_PRODUCER_KAFKA_KAFKA_SETTINGS_H

#include <librdkafka/rdkafka.h>

#include "producer/kafka/kafka_errors.h"
#include "usher/client.h"

enum kafka_purpose {
    KAFKA_REQUEST_PRODUCER = 0, /* idempotent; a message that is not acknowledged in time fails */
    KAFKA_CART_PRODUCER,        /* of confirms; add transactional.id; reports lost connections */
    KAFKA_RESULT_PRODUCER,      /* idempotent, gapless, no local timeout: seqs without a hole */
    KAFKA_DEAD_LETTER_PRODUCER, /* idempotent, not gapless: one bad message stops no other */
    KAFKA_GROUP_CONSUMER,       /* of requests; add group.id; eager assignor, offsets are ours */
    KAFKA_READER, /* by partition, without a group; rd_kafka_assign needs a group.id */
    KAFKA_ADMIN,  /* topics, metadata, configurations */
};

/*
 * Returns a configuration of the settings for that purpose, owned by the caller (rd_kafka_new takes
 * it), with `log` (borrowed, must outlive the handle) as opaque and librdkafka's messages routed to
 * the log, at most one per second, and an error callback that keeps authentication failures in
 * `refusal`.
 * NULL: exit code 78, there are no brokers, or a property is wrong or refused. Other callbacks and
 * kafka_conf_set come after.
 */
rd_kafka_conf_t *kafka_conf_new(const struct usher_kafka_settings *settings,
                                enum kafka_purpose purpose, struct kafka_log *log,
                                struct usher_error *err);

/* Sets one more property, as a program's own (not refused). FATAL with exit code 78. */
USHER_MUST_CHECK enum usher_status kafka_conf_set(rd_kafka_conf_t *conf, const char *name,
                                                  const char *value, struct usher_error *err);

/*
 * Takes `conf`, whatever comes out. Returns the handle, owned (rd_kafka_destroy), or NULL: exit
 * code 78, properties that contradict each other or a file (a certificate) that cannot be read.
 */
rd_kafka_t *kafka_handle_new(rd_kafka_type_t type, rd_kafka_conf_t *conf, struct usher_error *err);

/*
 * Asks for a topic's partition count, waiting up to timeout_ms. FATAL with exit code 69 where it
 * does not exist or no broker answers, 77 if access is denied. Serves the handle's callbacks.
 */
USHER_MUST_CHECK enum usher_status kafka_partition_count(rd_kafka_t *kafka, const char *topic,
                                                         int timeout_ms, int32_t *count,
                                                         struct usher_error *err);

/* A query for an offset of a partition. */
struct kafka_question {
    rd_kafka_t *kafka;
    const char *topic;
    int32_t partition;
    int timeout_ms;
};

/*
 * Resolves RD_KAFKA_OFFSET_BEGINNING or _END in `*offset` to the current offset, or a time in
 * milliseconds since 1970 to the first record from then on (negative: there is none). Status as
 * kafka_fail. (rd_kafka_query_watermark_offsets would ask for both at once, but in librdkafka 2.0
 * it waits forever if a broker goes away meanwhile; this keeps its deadline.)
 */
USHER_MUST_CHECK enum usher_status kafka_ask_offset(const struct kafka_question *question,
                                                    int64_t *offset, struct usher_error *err);

#endif
