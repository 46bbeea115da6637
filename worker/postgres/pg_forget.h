/*
 * Replaces a customer by a pseudonym in what is over, as the owner of the schema: bookings, former
 * owners, kept answers, dead letters. Money and counts stay.
 */
#ifndef USHER_WORKER_POSTGRES_PG_FORGET_H
#define USHER_WORKER_POSTGRES_PG_FORGET_H

#include <stdint.h>

#include "usher/memory.h"
#include "usher/status.h"
#include "worker/postgres/pg_settings.h"

/* A booking that is not over, and keeps its customer. */
struct pg_remembered {
    const char *resource, *booking, *state;
};

struct pg_forgotten {
    const char *pseudonym;
    struct pg_remembered *remembered;
    uint32_t remembered_count;
    int64_t bookings, answers, others, dead_letters;
    uint32_t collisions; /* with others that changed the same rows, after which it tried again */
};

/*
 * Forgets a customer; text lives in `arena`. The owners of its partitions are fenced. RETRY: the
 * database is away, or others changed the same rows each time (69): what was done is done, and the
 * rest by the next call. FATAL (77, 78).
 */
USHER_MUST_CHECK enum usher_status pg_forget_customer(const struct pg_settings *settings,
                                                      const char *customer,
                                                      struct usher_arena *arena,
                                                      struct pg_forgotten *forgotten,
                                                      struct usher_error *err);

#endif
