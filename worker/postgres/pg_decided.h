/*
 * Which offsets of the request log the database has decisions about, in the order of the log: for
 * reconcile, in one snapshot. Knows nothing of Kafka.
 */
#ifndef USHER_WORKER_POSTGRES_PG_DECIDED_H
#define USHER_WORKER_POSTGRES_PG_DECIDED_H

#include <stdbool.h>
#include <stdint.h>

#include "usher/memory.h"
#include "usher/status.h"
#include "worker/postgres/pg_settings.h"

struct pg_decided;

/* A partition that was ever taken. */
struct pg_decided_partition {
    int32_t partition;
    int32_t topic_epoch; /* that began with its topic of requests; 0: it has always been this one */
    int64_t next_offset; /* everything before it is decided */
    int64_t next_seq;
    int64_t seq;     /* from this one on all decisions are there; pg_decided_next moves it */
    bool from_start; /* it is the topic's first one */
};

/* Offsets that were decided, or passed over by hand. */
struct pg_decided_range {
    int64_t from, to; /* excluded */
};

/* Connects, and begins the snapshot. Borrows the settings' strings. RETRY (69), FATAL (77, 78). */
USHER_MUST_CHECK enum usher_status pg_decided_open(const struct pg_settings *settings,
                                                   struct pg_decided **decided,
                                                   struct usher_error *err);

/* The partitions, with at most the last `limit` decisions of each. They live in the arena. */
USHER_MUST_CHECK enum usher_status pg_decided_partitions(struct pg_decided *decided, int64_t limit,
                                                         struct usher_arena *arena,
                                                         struct pg_decided_partition **partitions,
                                                         uint32_t *count, struct usher_error *err);

/* The next ranges of a partition, in the arena; 0: there are no more. Offsets rise. */
USHER_MUST_CHECK enum usher_status pg_decided_next(struct pg_decided *decided,
                                                   struct pg_decided_partition *partition,
                                                   struct usher_arena *arena,
                                                   struct pg_decided_range **ranges,
                                                   uint32_t *count, struct usher_error *err);

/* NULL is legal. */
void pg_decided_close(struct pg_decided *decided);

#endif
