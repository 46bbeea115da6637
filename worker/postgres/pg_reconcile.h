/*
 * The checks of reconcile that need only SQL: whether the tables agree with each other.
 */
#ifndef USHER_WORKER_POSTGRES_PG_RECONCILE_H
#define USHER_WORKER_POSTGRES_PG_RECONCILE_H

#include <stdint.h>

#include "usher/status.h"
#include "worker/postgres/pg_settings.h"

/* Receives each difference, and each note of what is legal but worth knowing, as a line of text. */
struct pg_differences {
    void *context;
    void (*line)(void *context, const char *text);
    void (*note)(void *context, const char *text);
};

/*
 * Checks, in one snapshot: every allocation has a booking in a state with units; the lines of such
 * a booking are its allocations, or add up to the counters of their pools, and their price is its
 * total; no pool has more taken than its capacity; decisions and bookings agree, also on what was
 * sold; waiting parties and carts are as they must be; seqs have no gap but
 * for what was lost and accepted, and end below next_seq.
 * Reports at most 100 lines per check;
 * `*count` is how many differences there were. The database scans its tables.
 */
USHER_MUST_CHECK enum usher_status pg_reconcile(const struct pg_settings *settings,
                                                const struct pg_differences *differences,
                                                uint64_t *count, struct usher_error *err);

#endif
