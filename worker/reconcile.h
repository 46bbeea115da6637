/*
 * The command `reconcile`: proves that PostgreSQL is consistent in itself, and that Redis shows
 * what PostgreSQL has. Reads only. Knows nothing of Kafka or of running workers, but that they may
 * go on meanwhile: what changed while it was compared is compared again.
 */
#ifndef USHER_WORKER_RECONCILE_H
#define USHER_WORKER_RECONCILE_H

#include <stdio.h>

#include "pg_settings.h"
#include "usher/status.h"

/* Zero-initialise, then set. Text is borrowed during the call. */
struct reconcile_settings {
    const struct pg_settings *postgres;
    const char *redis;        /* as struct redis_cache_settings; NULL: PostgreSQL only */
    const char *redis_prefix; /* NULL: "usher" */
    FILE *out;                /* a line for each difference, then the verdict */
};

/*
 * Proves, for every resource: free + held + sold + blocked = capacity in each pool, no unit twice
 * and none without an owner (the checks of pg_catalog.h), and Redis equal in hash, seats, pools
 * and chart. A resource that differs is read again for up to 2 s, since the cache follows a little
 * later than the commit. OK: no differences. REJECT: there are some, err->exit_code 4. FATAL:
 * 69, 77 or 78, nothing is proven.
 */
USHER_MUST_CHECK enum usher_status reconcile_run(const struct reconcile_settings *settings,
                                                 struct usher_error *err);

#endif
