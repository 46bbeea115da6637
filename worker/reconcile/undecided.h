/*
 * Offsets of the log without a decision, though the database goes on behind them: requests, and
 * what explains that there is none. Knows offsets, not what is decided.
 */
#ifndef USHER_WORKER_RECONCILE_UNDECIDED_H
#define USHER_WORKER_RECONCILE_UNDECIDED_H

#include <stdint.h>

#include "producer/terminal/terminal.h"
#include "usher/status.h"
#include "worker/kafka/kafka_base.h"
#include "worker/postgres/pg_reconcile.h"

/* Borrowed during the call. */
struct undecided_settings {
    const struct pg_settings *postgres;
    struct kafka_base *kafka; /* reads committed records */
    int64_t decisions; /* of each partition, from the last on, that the log is compared with */
    struct progress *progress;
    const struct pg_differences *lines;
};

/*
 * Tells, a line each, the requests that Kafka has, that lie before the next offset of their
 * partition, and about which there is no decision: at most 100, and how many more. Neither what was
 * skipped, nor what an earlier topic had, nor what lies before a decision that was pruned counts.
 * Then the offsets without a decision at which the topic has nothing, gap by gap, also at most 100;
 * a note for each partition counts what has neither: ends of transactions and the like.
 * `*count` is how many requests and offsets are told. What Kafka cannot tell is a note. Workers may
 * go on meanwhile.
 *
 * RETRY (69), FATAL (77, 78): the database could not be read.
 */
USHER_MUST_CHECK enum usher_status undecided_find(const struct undecided_settings *settings,
                                                  uint64_t *count, struct usher_error *err);

/*
 * ==== Recognition ====
 *
 * Whether the topic of requests is the one whose requests were decided.
 */

enum topic_is {
    TOPIC_UNCERTAIN, /* Kafka has none that can be compared */
    TOPIC_KNOWN,
    TOPIC_OTHER
};

/*
 * Looks for requests that the partition decided where they were. The last ones may be there though
 * the topic is another one, whose first requests nobody decided: so earlier ones are, too.
 *
 * RETRY: a dependency is away (69). FATAL: access denied (77), schema wrong (78).
 */
USHER_MUST_CHECK enum usher_status undecided_recognize(const struct pg_settings *postgres,
                                                       struct kafka_base *kafka, int32_t partition,
                                                       enum topic_is *is, struct usher_error *err);

#endif
