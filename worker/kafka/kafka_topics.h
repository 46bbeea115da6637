/*
 * The topics: makes them as the protocol needs them, and says in lines for people what is wrong
 * with those that are there. For `topics create|check` and `check`; knows nothing of options.
 */
#ifndef USHER_WORKER_KAFKA_KAFKA_TOPICS_H
#define USHER_WORKER_KAFKA_KAFKA_TOPICS_H

#include <stdint.h>
#include <stdio.h>

#include "usher/client.h"
#include "usher/status.h"

/* What the topics should be. */
struct kafka_topic_plan {
    int32_t partitions;   /* of create: 1 or more; of check: the recorded count, 0: any */
    int32_t replication;  /* of create; -1: the broker's default */
    int64_t retention_ms; /* of create; -1: for ever */
    int timeout_ms;       /* for each question to Kafka */
};

/*
 * Makes the three topics; those that are there are left as they are. Then checks all, as
 * kafka_check does. Prints a line for each thing to `out`: "ok ...", "note ...", or
 * "wrong ...: what to do". Returns DONE, or of the first thing that was wrong: UNAVAILABLE (Kafka
 * is away or a topic missing), DENIED, CONFIG.
 */
enum usher_exit kafka_topics_create(const struct usher_kafka_settings *settings,
                                    const struct kafka_topic_plan *plan, FILE *out);

/*
 * Checks that brokers answer, that the topics exist, have equal partition counts (and the planned
 * one), and are configured as the protocol needs: cleanup policy, timestamp type, message sizes.
 * Changes nothing. Lines and result as above; for `topics check` and `check`.
 */
enum usher_exit kafka_check(const struct usher_kafka_settings *settings,
                            const struct kafka_topic_plan *plan, FILE *out);

#endif
