/*
 * Compares the topics with what the protocol needs of them, and says the difference in lines for
 * people. Part of kafka_topics; for the Kafka adapters only.
 */
#ifndef USHER_WORKER_KAFKA_KAFKA_TOPIC_CHECK_H
#define USHER_WORKER_KAFKA_KAFKA_TOPIC_CHECK_H

#include "producer/kafka/kafka_settings.h"
#include "worker/kafka/kafka_topics.h"

enum {
    TOPIC_COUNT = 3
};

/* What one topic must be able to carry (protocol, "sizes"). */
struct topic_need {
    const char *name;
    int message_size;
};

/* Where the lines go, and what the program is to end with. */
struct topic_report {
    const struct kafka_topic_plan *plan;
    struct usher_topic_names names;
    struct kafka_log log;
    rd_kafka_t *kafka;
    FILE *out;
    bool one_copy;          /* a topic acknowledges what only one broker has */
    enum usher_exit result; /* DONE until something is wrong: then the first that was */
};

void topic_good(struct topic_report *report, const char *format, ...) USHER_PRINTF(2, 3);
void topic_wrong(struct topic_report *report, enum usher_exit exit_code, const char *format, ...)
    USHER_PRINTF(3, 4);

/* Requests, results, dead letters. The names are valid as long as the report. */
void topic_needs(const struct topic_report *report, struct topic_need needs[TOPIC_COUNT]);

/* Gives the plan's deadline to an admin request. */
void topic_set_timeouts(const struct topic_report *report, rd_kafka_AdminOptions_t *options);

/* Checks all topics. `fresh`: they were just made, so a broker may not have heard of them yet. */
void topic_check(struct topic_report *report, bool fresh);

#endif
