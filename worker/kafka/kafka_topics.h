/*
 * Topics, for the commands: creates them as the protocol requires, tells what is wrong with
 * existing ones, reads the request log between two offsets for a person, and sends records to it
 * again. Knows nothing of options.
 */
#ifndef USHER_WORKER_KAFKA_KAFKA_TOPICS_H
#define USHER_WORKER_KAFKA_KAFKA_TOPICS_H

#include <stdbool.h>
#include <stddef.h>
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

/*
 * ==== Browsing ====
 *
 * Reads the requests between two offsets of a partition's log for a person, as far as Kafka still
 * has them, and how far it was answered. Records of open and of aborted transactions are read, too,
 * unless the base was opened to read committed ones. Nothing is decided, and no
 * offset is committed.
 */

/* Borrows from Kafka during the call. */
struct browsed_record {
    int64_t offset;
    const void *key, *value; /* NULL: none */
    size_t key_size, value_size;
};

/* From `from` (OFFSET_NONE: the log's start) up to `to`, excluded. */
struct browse {
    int32_t partition;
    int64_t from, to;
    void (*visit)(void *self, const struct browsed_record *record);
    void *self;
};

struct browsed {
    int64_t start, end;     /* of the log */
    int64_t records;        /* how many were visited */
    int64_t unreadable_at;  /* nothing from here on could be read; OFFSET_NONE: all could */
    struct usher_error why; /* of that */
};

/*
 * Visits the records. What Kafka cannot read, as a batch with a wrong checksum, ends it, and is OK
 * all the same: see unreadable_at. RETRY: Kafka is away (69). FATAL: access denied (77), or `to`
 * lies behind the log's end (65).
 */
USHER_MUST_CHECK enum usher_status kafka_browse(struct kafka_base *base,
                                                const struct browse *browse,
                                                struct browsed *browsed, struct usher_error *err);

/*
 * The highest seq of all answers in a partition's result log; 0: there is none. Reads all of it.
 * RETRY: Kafka is away (69). FATAL: access denied (77).
 */
USHER_MUST_CHECK enum usher_status kafka_browse_answered(struct kafka_base *base, int32_t partition,
                                                         int64_t *highest_seq,
                                                         struct usher_error *err);

/*
 * ==== Resending ====
 *
 * Sends records to the topic of requests again, as they once came. Knows nothing of what is in
 * them.
 */

/* Key and value are borrowed; `error` is what became of it: empty where Kafka has it. */
struct kafka_resent {
    const void *key, *value;
    size_t key_size, value_size;
    bool done; /* has its result; set beforehand: is not to be sent */
    struct usher_error error;
};

/*
 * Sends each to the partition of its key, and waits until each has its result: one that Kafka
 * refuses stops no other. RETRY: some have none within timeout_ms (69), which is their error, too;
 * they may have been sent: sent again, they are repeats. FATAL: a property is wrong, nothing was
 * sent.
 */
USHER_MUST_CHECK enum usher_status kafka_resend(struct kafka_base *base,
                                                struct kafka_resent *records, uint32_t count,
                                                int timeout_ms, struct usher_error *err);

#endif
