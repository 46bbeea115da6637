/*
 * All resources of the database, one after another, for reconcile and rebuild-cache. Reads without
 * disturbing the writers, with no more than the worker's role.
 */
#ifndef USHER_WORKER_POSTGRES_PG_CATALOG_H
#define USHER_WORKER_POSTGRES_PG_CATALOG_H

#include "usher/status.h"
#include "worker/model/loads.h"
#include "worker/postgres/pg_settings.h"

struct pg_catalog;

struct pg_catalog_entry {
    int32_t partition;
    int64_t no;
    const char *id;
};

/* Connects. Borrows the settings' strings. RETRY (69), FATAL (77, 78). */
USHER_MUST_CHECK enum usher_status pg_catalog_open(const struct pg_settings *settings,
                                                   struct pg_catalog **catalog,
                                                   struct usher_error *err);

enum {
    PG_CATALOG_PAGE = 100 /* resources listed at once */
};

/* Resources in the order of their numbers. */
struct pg_catalog_page {
    struct pg_catalog_entry entries[PG_CATALOG_PAGE];
    uint32_t count; /* fewer than fit: those were the last */
};

/* Lists the resources with a number above `after_no` (0: from the first on). Ids live in `arena`.
 */
USHER_MUST_CHECK enum usher_status pg_catalog_next(struct pg_catalog *catalog, int64_t after_no,
                                                   struct usher_arena *arena,
                                                   struct pg_catalog_page *page,
                                                   struct usher_error *err);

/* Lists the resources that are pruned and that Redis may still show. Ids live in `arena`. */
USHER_MUST_CHECK enum usher_status pg_catalog_pruned(struct pg_catalog *catalog,
                                                     struct usher_arena *arena, const char ***ids,
                                                     uint32_t *count, struct usher_error *err);

/*
 * A resource and the epoch of its partition as they were at one moment, by the database's clock:
 * the one that `updated_ms` of a picture is of. Lives in an arena.
 */
struct pg_catalog_picture {
    struct loaded_resource resource;
    int32_t epoch;
    int64_t now_ms;
};

/* Reads one resource. REJECT: there is none with that number. */
USHER_MUST_CHECK enum usher_status pg_catalog_load(struct pg_catalog *catalog, int64_t no,
                                                   struct usher_arena *arena,
                                                   struct pg_catalog_picture *picture,
                                                   struct usher_error *err);

/* What each customer has of a resource, as in struct load_result. */
USHER_MUST_CHECK enum usher_status pg_catalog_tallies(struct pg_catalog *catalog, int64_t no,
                                                      struct usher_arena *arena,
                                                      struct load_result *result,
                                                      struct usher_error *err);

/* NULL is legal. */
void pg_catalog_close(struct pg_catalog *catalog);

#endif
