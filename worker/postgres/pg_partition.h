/*
 * What an operator does to a partition, as the owner of the schema. Knows nothing of who owns the
 * partition: it is fenced.
 */
#ifndef USHER_WORKER_POSTGRES_PG_PARTITION_H
#define USHER_WORKER_POSTGRES_PG_PARTITION_H

#include <stdbool.h>
#include <stdint.h>

#include "usher/status.h"
#include "worker/postgres/pg_settings.h"

/* Milliseconds since 1970. */
struct pg_clock_reset {
    int64_t was_ms;    /* the time of the last decision; 0: there is none */
    int64_t became_ms; /* equal: it was not ahead of the server's clock, and nothing was changed */
    int64_t ends_late; /* holds, parties and blocks that keep ends from the wrong clock */
    int64_t last_end_ms;
};

/*
 * Sets the time of a partition back to the server's clock if it is ahead of it; then the next epoch
 * begins. RETRY: the database is away, or somebody keeps the partition's lock (69). FATAL: access
 * denied (77), schema wrong (78).
 */
USHER_MUST_CHECK enum usher_status pg_partition_reset_clock(const struct pg_settings *settings,
                                                            int32_t partition,
                                                            struct pg_clock_reset *reset,
                                                            struct usher_error *err);

#endif
