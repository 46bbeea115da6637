/*
 * One resource at a time: what Redis has of it is compared with the database and, where it differs,
 * written anew. For the healer's thread, which knows when; this knows how.
 */
#ifndef USHER_WORKER_RECONCILE_RECONCILE_MEND_H
#define USHER_WORKER_RECONCILE_RECONCILE_MEND_H

#include <stdbool.h>
#include <stdint.h>

#include "worker/postgres/pg_catalog.h"
#include "worker/reconcile/reconcile_heal.h"
#include "worker/redis/redis_store.h"

/* Set `settings`, zero the rest. */
struct mend {
    const struct reconcile_heal_settings *settings;
    struct pg_catalog *catalog; /* NULL: not connected */
    struct redis_store *store;  /* NULL: not connected */
    struct usher_arena arena;   /* of the resource at hand */
};

/* Connects to what is not connected. RETRY, FATAL. */
USHER_MUST_CHECK enum usher_status mend_connect(struct mend *mend, struct usher_error *err);

/* Closes both, after an error or at the end. */
void mend_disconnect(struct mend *mend);

/*
 * Compares and mends one resource; `*differences` grows if it had to be. `patient`: if Redis is
 * merely behind, the cache gets some time first. One that is gone needs nothing. RETRY: disconnect.
 */
USHER_MUST_CHECK enum usher_status mend_one(struct mend *mend, int64_t no, bool patient,
                                            int64_t *differences, struct usher_error *err);

#endif
