/*
 * Acquires a partition in one database: takes the next epoch, and terminates a predecessor that
 * keeps the lock.
 */
#ifndef USHER_WORKER_POSTGRES_PG_ACQUIRE_H
#define USHER_WORKER_POSTGRES_PG_ACQUIRE_H

#include <stdint.h>

#include "usher/status.h"
#include "worker/model/rows.h"
#include "worker/postgres/pg_connection.h"

struct pg_claim {
    int32_t partition;
    int32_t partition_count;
    int32_t expected_epoch; /* 0: whatever it is */
    const char *owner;      /* unique per owner */
};

/*
 * As `acquire` of the record port, on a connection just opened, whose backend is recorded. Waits
 * for the predecessor's transaction up to the lock timeout, then terminates its backend and tries
 * again until the connection's query timeout.
 */
USHER_MUST_CHECK enum usher_status pg_acquire(struct pg_connection *connection,
                                              const struct pg_claim *claim,
                                              struct position *position, struct usher_error *err);

#endif
