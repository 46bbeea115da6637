/*
 * The command `rebuild-cache`: deletes what Redis has under the prefix and rewrites it from
 * PostgreSQL. For a database that was restored to an earlier state, whose revisions are lower than
 * those in Redis. Workers may continue meanwhile.
 */
#ifndef USHER_WORKER_RECONCILE_REBUILD_H
#define USHER_WORKER_RECONCILE_REBUILD_H

#include <stdio.h>

#include "usher/status.h"
#include "worker/postgres/pg_settings.h"
#include "worker/redis/redis_settings.h"

/* Zero-initialise, then set. Text is borrowed during the call. */
struct rebuild_settings {
    const struct pg_settings *postgres;
    const struct redis_settings *redis; /* its uri is needed */
    FILE *out;                          /* the closing line: what was written */
};

/* Progress goes to the log. OK, or FATAL: 69, 77, 78. May be repeated at any time. */
USHER_MUST_CHECK enum usher_status rebuild_run(const struct rebuild_settings *settings,
                                               struct usher_error *err);

#endif
