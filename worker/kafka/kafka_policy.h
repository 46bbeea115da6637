/*
 * Whether the topic of requests is set to keep each of them until it is decided: looked at when a
 * partition is taken, and again and again. Knows settings, no records. For the Kafka adapters only:
 * includes rdkafka.h.
 */
#ifndef USHER_WORKER_KAFKA_KAFKA_POLICY_H
#define USHER_WORKER_KAFKA_KAFKA_POLICY_H

#include <librdkafka/rdkafka.h>
#include <stdbool.h>
#include <stdint.h>

#include "producer/base/log.h"
#include "usher/status.h"
#include "worker/kafka/kafka_base.h"

struct kafka_policy {
    struct kafka_base *base;
    struct log_context context;
    rd_kafka_queue_t *answers;
    int64_t asked_ms;
    bool is_asking, is_known;
    bool denied; /* said once */
    enum usher_status status;
    struct usher_error error;
};

/* Asks for the settings for the first time; does not wait. Borrows `base`. */
void kafka_policy_open(struct kafka_policy *policy, struct kafka_base *base,
                       const struct log_context *context);

void kafka_policy_close(struct kafka_policy *policy);

/*
 * OK; HALT: Kafka is to compact the topic, by which it would delete requests that nobody has
 * decided. Where that is not known yet it waits for up to timeout_ms; if there is no answer then,
 * it is OK, as it is where the worker may not read the settings. Asks again every ten seconds.
 */
USHER_MUST_CHECK enum usher_status kafka_policy_check(struct kafka_policy *policy, int timeout_ms,
                                                      struct usher_error *err);

#endif
