/*
 * The command `rebuild-cache`: deletes the keys under the prefix in Redis and rewrites them from
 * PostgreSQL. For a database that was restored to an earlier state, whose revisions are lower than
 * those in Redis. Workers may continue meanwhile. Extra keys in Redis are found here, for
 * reconcile, too.
 */
#ifndef USHER_WORKER_RECONCILE_REBUILD_H
#define USHER_WORKER_RECONCILE_REBUILD_H

#include <stdio.h>

#include "usher/memory.h"
#include "usher/status.h"
#include "worker/postgres/pg_reconcile.h"
#include "worker/postgres/pg_settings.h"
#include "worker/redis/redis_settings.h"
#include "worker/redis/redis_store.h"

/* Zero-initialise, then set. Text is borrowed during the call. */
struct rebuild_settings {
    const struct pg_settings *postgres;
    const struct redis_settings *redis; /* its uri is needed */
    FILE *out;                          /* the closing line: what was written */
};

/*
 * Progress goes to the log. OK, or FATAL: 69, 77, 78, and nothing was deleted where a partition
 * lives in none of the databases, or in several. May be repeated at any time.
 */
USHER_MUST_CHECK enum usher_status rebuild_run(const struct rebuild_settings *settings,
                                               struct usher_error *err);

/*
 * ==== Extra keys ====
 *
 * Resources that Redis has keys of, or lists, and that PostgreSQL does not know, and keys of no
 * single resource that have the wrong type. Does not report them.
 */

/* A key of Redis, its type, and the type that it must have. */
struct mistyped_key {
    const char *key, *type, *right;
};

/* Zero-initialise. */
struct extra_keys {
    const char **ids; /* sorted, each once */
    uint32_t count, capacity;
    struct mistyped_key *mistyped;
    uint32_t mistyped_count, mistyped_capacity;
    const char **layouts; /* all that Redis has */
    uint32_t layout_count, layout_capacity;
    struct usher_arena arena; /* owns the text */
};

/*
 * Collects all ids that Redis has, the keys of the wrong type, and the names of all layouts. To be
 * called before PostgreSQL is asked for its own: it has each of them first. RETRY.
 */
USHER_MUST_CHECK enum usher_status
extra_keys_find(struct extra_keys *extra_keys, struct redis_store *store, struct usher_error *err);

/*
 * Removes those that PostgreSQL has, or has pruned and not yet from Redis: what is left is extra.
 * RETRY, FATAL.
 */
USHER_MUST_CHECK enum usher_status extra_keys_remove_known(struct extra_keys *extra_keys,
                                                           struct pg_catalog *catalog,
                                                           struct usher_error *err);

void extra_keys_deinit(struct extra_keys *extra_keys);

#endif
