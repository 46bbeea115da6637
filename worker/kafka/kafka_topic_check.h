/*
 * Compares the topics with what the protocol requires of them, and tells the differences. Knows
 * nothing of commands. For the Kafka adapters only: includes rdkafka.h.
 */
#ifndef USHER_WORKER_KAFKA_KAFKA_TOPIC_CHECK_H
#define USHER_WORKER_KAFKA_KAFKA_TOPIC_CHECK_H

#include <librdkafka/rdkafka.h>

#include <stdbool.h>
#include <stdint.h>

#include "producer/kafka/kafka_settings.h"
#include "usher/client.h"
#include "worker/model/findings.h"

enum {
    TOPIC_COUNT = 3
};

/* A topic, and the size of the messages that it must accept (protocol, "sizes"). */
struct topic_need {
    const char *name;
    int message_size;
};

/* A setting that every topic must have. */
struct topic_setting {
    const char *name, *value;
};

extern const struct topic_setting topic_settings[];
extern const size_t topic_setting_count;

/* Where the findings go, and the exit code that follows from them. */
struct topic_report {
    struct topic_need needs[TOPIC_COUNT]; /* requests, results, dead letters */
    struct usher_topic_names names;
    int timeout_ms; /* deadline of each request to Kafka */
    struct kafka_log log;
    rd_kafka_t *kafka;
    const struct findings *findings;
    bool single_copy;       /* a topic acknowledges what only one broker has */
    enum usher_exit result; /* DONE until something is wrong, then the exit code of the first */
};

void topic_good(struct topic_report *report, const char *format, ...) USHER_PRINTF(2, 3);
void topic_wrong(struct topic_report *report, enum usher_exit exit_code, const char *format, ...)
    USHER_PRINTF(3, 4);

/* Returns the options of an admin request with the report's deadline; owned by the caller. */
rd_kafka_AdminOptions_t *topic_admin_options(const struct topic_report *report,
                                             rd_kafka_admin_op_t operation);

/* Whether an admin request was answered; if not, reports that it could not `what`. */
USHER_MUST_CHECK bool topic_answered(struct topic_report *report, rd_kafka_event_t *event,
                                     const char *what);

/*
 * Checks all topics. `partitions` is the expected count, 0: any. `created`: they were just created,
 * so a broker may not know them yet.
 */
void topic_check(struct topic_report *report, int32_t partitions, bool created);

#endif
