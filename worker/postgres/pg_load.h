/* All reads of a partition: missing rows, and decisions still to be published. */
#ifndef USHER_WORKER_POSTGRES_PG_LOAD_H
#define USHER_WORKER_POSTGRES_PG_LOAD_H

#include "worker/model/loads.h"
#include "worker/postgres/pg_connection.h"
#include "worker/postgres/pg_lookup.h"

/* Zero-initialise. */
struct pg_load {
    struct pg_connection *connection; /* borrowed */
    struct pg_load_limits limits;     /* zero: the defaults */
    struct pg_lookup_lists lists;
};

/* Prepares the statements on a connection just opened. */
USHER_MUST_CHECK enum usher_status pg_load_open(struct pg_load *load,
                                                struct pg_connection *connection, int32_t partition,
                                                struct usher_error *err);

/* Frees its memory. */
void pg_load_deinit(struct pg_load *load);

/* Reads from now on for another partition. */
void pg_load_set_partition(struct pg_load *load, int32_t partition);

/* Rows read from now on must be of that epoch of the partition; 0: of any epoch. */
void pg_load_set_epoch(struct pg_load *load, int32_t epoch);

/* As `load` and `load_more` of the record port. HALT: the pools of a resource have a gap. */
USHER_MUST_CHECK enum usher_status pg_load_run(struct pg_load *load,
                                               const struct load_request *request,
                                               struct usher_arena *arena,
                                               struct load_result *result, struct usher_error *err);

USHER_MUST_CHECK enum usher_status
pg_load_more(struct pg_load *load, const struct load_request *request, struct usher_arena *arena,
             struct load_result *result, struct usher_error *err);

/* Both, until no page is left: for commands that have nothing else to do meanwhile. */
USHER_MUST_CHECK enum usher_status
pg_load_whole(struct pg_load *load, const struct load_request *request, struct usher_arena *arena,
              struct load_result *result, struct usher_error *err);

/* Lists that are read page by page, in the order of seq, the last one by number. */
enum pg_load_pages {
    PG_LOAD_DECISIONS,
    PG_LOAD_DEAD_LETTERS,
    PG_LOAD_CHANGED,
    PG_LOAD_RESOURCES,
    PG_LOAD_PAGES
};

/*
 * As `decisions`, `dead_letters`, `changed` and `resources` of the record port, to be read by
 * pg_rows. The caller owns `*rows`: PQclear.
 */
USHER_MUST_CHECK enum usher_status pg_load_page(struct pg_load *load, enum pg_load_pages which,
                                                int64_t after, uint32_t limit, PGresult **rows,
                                                struct usher_error *err);

/* The stored epoch of the partition (0: none) and the database's clock. */
USHER_MUST_CHECK enum usher_status pg_load_epoch(struct pg_load *load, int32_t *epoch,
                                                 int64_t *now_ms, struct usher_error *err);

#endif
