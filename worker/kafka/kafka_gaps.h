/*
 * Offsets of the request log at which no request was read. What ends a transaction takes one, and
 * so do the records of one that was aborted; at others there is nothing, because Kafka has removed
 * records. A look tells which is which, with a consumer of its own. It sees everything that is in
 * the log, but that what ends a transaction looks the same whether that was committed or aborted.
 */
#ifndef USHER_WORKER_KAFKA_KAFKA_GAPS_H
#define USHER_WORKER_KAFKA_KAFKA_GAPS_H

#include <stdatomic.h>
#include <stdint.h>

#include "usher/status.h"
#include "worker/kafka/kafka_base.h"
#include "worker/model/ports.h"

/* ==== A look ==== */

/* `from` OFFSET_NONE: the log's start. `to` is excluded. */
struct kafka_gap {
    int64_t from, to;
};

/* Borrowed during the call. */
struct kafka_look {
    int32_t partition;
    const struct kafka_gap *gaps; /* their offsets rise */
    uint32_t count;
    void (*nothing)(void *self, int64_t from, int64_t to); /* is there; in order */
    void *self;
    const atomic_bool *stop; /* set: RETRY soon; NULL: it never is */
};

/* What is in the gaps that were looked at. Counts are of offsets. */
struct kafka_looked {
    int64_t next;    /* everything before it was looked at */
    int64_t ends;    /* of transactions */
    int64_t records; /* of transactions that were aborted */
    int64_t noops;   /* no-op records: see kafka_producer.h */
    int64_t deleted; /* before the log's start: what was there is not known */
    int64_t nothing;
};

/*
 * Looks at the first gap and those that are near it; waits for Kafka, with the reader's deadline
 * for each answer. RETRY: Kafka is away. REJECT: the rest of a gap cannot be read, or the log ends
 * before it. FATAL: access denied. `looked` is set in any case.
 */
USHER_MUST_CHECK enum usher_status kafka_gaps_look(struct kafka_base *base,
                                                   const struct kafka_look *look,
                                                   struct kafka_looked *looked,
                                                   struct usher_error *err);

/*
 * ==== The watch ====
 *
 * Looks at the gaps that the partitions of a process meet, the largest one first and a few times a
 * second at most, on a thread of its own. Where there is nothing, an error in the log says it.
 */

struct kafka_gaps;

/* Borrows `base`. Never NULL. Owned: kafka_gaps_free. */
struct kafka_gaps *kafka_gaps_new(struct kafka_base *base, int32_t partitions);

/* Never waits. From any thread, as the next one. */
void kafka_gaps_add(struct kafka_gaps *gaps, int32_t partition, const struct kafka_gap *gap);

/* What was found in a partition since the last call. */
struct log_gaps kafka_gaps_take(struct kafka_gaps *gaps, int32_t partition);

/* Waits a second at most; what was not looked at is left. NULL is legal. */
void kafka_gaps_free(struct kafka_gaps *gaps);

#endif
