/*
 * Topics, for the commands: creates them as the protocol requires, tells what is wrong with
 * existing ones. Knows nothing of options.
 */
#ifndef USHER_WORKER_KAFKA_KAFKA_TOPICS_H
#define USHER_WORKER_KAFKA_KAFKA_TOPICS_H

#include <stdint.h>

#include "producer/kafka/kafka_settings.h"
#include "usher/client.h"
#include "usher/status.h"
#include "worker/kafka/kafka_base.h"
#include "worker/model/findings.h"

/* What the topics should be. */
struct kafka_topic_plan {
    int32_t partitions;   /* create: 1 or more; check: the recorded count, 0: any */
    int32_t replication;  /* create only; -1: the broker's default */
    int64_t retention_ms; /* create only; -1: unlimited */
    int timeout_ms;       /* deadline of each request to Kafka */
};

/*
 * Creates the three topics, leaves existing ones as they are, then checks all as kafka_check does.
 * Returns DONE, or the exit code of the first finding that was wrong: UNAVAILABLE (Kafka is away or
 * a topic missing), DENIED, CONFIG.
 */
enum usher_exit kafka_topics_create(const struct usher_kafka_settings *settings,
                                    const struct kafka_topic_plan *plan,
                                    const struct findings *findings);

/*
 * Checks that brokers answer, that the topics exist, have equal partition counts (and the planned
 * one), and are configured as the protocol requires: cleanup policy, timestamp type, message sizes;
 * and, where it may read that, that the brokers end transactions that are left open.
 * Changes nothing. Findings and result as above; for `topics check` and `check`.
 */
enum usher_exit kafka_check(const struct usher_kafka_settings *settings,
                            const struct kafka_topic_plan *plan, const struct findings *findings);

#endif
