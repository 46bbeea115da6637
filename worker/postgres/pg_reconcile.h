/*
 * The reads of reconcile and rebuild-cache: rules that the tables must obey, checked by SQL alone,
 * and all resources, one after another. Reads without disturbing the writers, with no more than the
 * worker's role.
 */
#ifndef USHER_WORKER_POSTGRES_PG_RECONCILE_H
#define USHER_WORKER_POSTGRES_PG_RECONCILE_H

#include <stdbool.h>
#include <stdint.h>

#include "usher/memory.h"
#include "usher/status.h"
#include "worker/model/loads.h"
#include "worker/postgres/pg_settings.h"

struct pg_catalog;
struct pg_decided;

/* Receives each difference, and each note of what is legal but worth knowing, as a line of text. */
struct pg_differences {
    void *context;
    void (*line)(void *context, const char *text);
    void (*note)(void *context, const char *text);
};

/*
 * Checks, in one snapshot of each database: every allocation has a booking in a state with units;
 * the lines of such a booking are its allocations, or add up to the counters of their pools, and
 * their price is its total; no pool has more taken than its capacity; decisions and bookings agree,
 * also on what was sold; waiting parties and carts are as they must be, and as many as the row of
 * their partition says; seqs have no gap but for what was lost and accepted, and end below
 * next_seq. Reports at most 100 lines per check;
 * `*count` is how many differences there were. The database scans its tables.
 */
USHER_MUST_CHECK enum usher_status pg_reconcile(const struct pg_settings *settings,
                                                const struct pg_differences *differences,
                                                uint64_t *count, struct usher_error *err);

/*
 * ==== All resources ====
 *
 * All resources of the database, one after another, for reconcile and rebuild-cache. Reads without
 * disturbing the writers, with no more than the worker's role.
 */

struct pg_catalog_entry {
    int32_t partition;
    int64_t no;
    const char *id;
};

/*
 * Connects, if each partition lives in exactly one of the databases: statuses of pg_homes_check.
 * Borrows the settings' strings.
 */
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

/* Reads how many partitions there are. RETRY, FATAL. */
USHER_MUST_CHECK enum usher_status pg_catalog_partitions(struct pg_catalog *catalog,
                                                         int32_t *partition_count,
                                                         struct usher_error *err);

/* Lists the resources that are pruned and that Redis may still show. Ids live in `arena`. */
USHER_MUST_CHECK enum usher_status pg_catalog_pruned(struct pg_catalog *catalog,
                                                     struct usher_arena *arena, const char ***ids,
                                                     uint32_t *count, struct usher_error *err);

/*
 * A resource and the epoch of its partition as they were at one moment, by the database's clock:
 * the one that `updated_ms` of a snapshot is of. Lives in an arena.
 */
struct pg_catalog_snapshot {
    struct loaded_resource resource;
    int32_t epoch;
    int64_t now_ms;
};

/* Reads one resource. REJECT: there is none with that number. */
USHER_MUST_CHECK enum usher_status pg_catalog_load(struct pg_catalog *catalog, int64_t no,
                                                   struct usher_arena *arena,
                                                   struct pg_catalog_snapshot *snapshot,
                                                   struct usher_error *err);

/* What each customer has of a resource, as in struct load_result. */
USHER_MUST_CHECK enum usher_status pg_catalog_tallies(struct pg_catalog *catalog, int64_t no,
                                                      struct usher_arena *arena,
                                                      struct load_result *result,
                                                      struct usher_error *err);

/* NULL is legal. */
void pg_catalog_close(struct pg_catalog *catalog);

/*
 * ==== Decided offsets ====
 *
 * Which offsets of the request log the database has decisions about, in the order of the log: for
 * reconcile, in one snapshot. Knows nothing of Kafka.
 */

/* A partition that was ever taken. */
struct pg_decided_partition {
    int32_t partition;
    int32_t topic_epoch; /* that began with its topic of requests; 0: it has always been this one */
    int64_t next_offset; /* everything before it is decided */
    int64_t next_seq;
    int64_t seq;     /* from this one on all decisions are there; pg_decided_next moves it */
    bool from_start; /* it is the topic's first one */
    uint32_t place;  /* of its database */
};

/* Offsets that were decided, or skipped by an operator. */
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
