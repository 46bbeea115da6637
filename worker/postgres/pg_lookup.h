/*
 * One of the look-ups of which a load is made: what it asks and how its rows are read. Knows no
 * table.
 */
#ifndef USHER_WORKER_POSTGRES_PG_LOOKUP_H
#define USHER_WORKER_POSTGRES_PG_LOOKUP_H

#include "worker/model/loads.h"
#include "worker/postgres/pg_connection.h"
#include "worker/postgres/pg_settings.h"

/* What the parameters of a look-up are made in. Zero-initialise. */
struct pg_lookup_lists {
    int32_t partition;
    int32_t epoch; /* in which the rows are valid; 0: any */
    struct pg_load_limits limits;
    struct pg_array lists[3]; /* of the statement being queued; libpq copies them */
};

/* A load whose answer is being read. */
struct pg_lookup_reading {
    struct pg_connection *connection; /* for what one page did not hold */
    struct pg_lookup_lists *lists;
    const struct load_request *request;
    struct usher_arena *arena;
    struct load_result *result; /* each look-up sets its part, which was zero */
};

/* Statements that are sent together. */
struct pg_lookup {
    const struct pg_statement *statements;
    uint32_t count; /* of them; behind them come those that only `read` asks, page by page */
    uint32_t page_count;
    /* Adds the parameters of a statement, whose lists go into `lists`. False: nothing of this is
     * requested. */
    bool (*fill)(struct pg_lookup_lists *lists, const struct load_request *request,
                 uint32_t statement, struct pg_params *params);
    /* `rows` has a result for each of the `count` statements. */
    enum usher_status (*read)(const struct pg_lookup_reading *reading, PGresult *const *rows,
                              struct usher_error *err);
};

/*
 * A successor's rows would not fit what is in memory: whoever is stopped for longer than a session
 * lasts goes on reading before it knows. So each round trip ends with the epoch, which a successor
 * raises before it changes anything. Prepared with the look-ups.
 */
extern const struct pg_statement pg_lookup_epoch;

/* FENCED: the stored epoch is another one. */
USHER_MUST_CHECK enum usher_status pg_lookup_same_epoch(const struct pg_lookup_lists *lists,
                                                        int32_t stored, int32_t epoch,
                                                        struct usher_error *err);

/*
 * Ends a pipeline as pg_connection_finish, with the guard behind its statements, if there is an
 * epoch: `results` has room for one more. FENCED: the partition is in another epoch; the results
 * are NULL then, too.
 */
USHER_MUST_CHECK enum usher_status pg_lookup_finish(struct pg_connection *connection,
                                                    const struct pg_lookup_lists *lists,
                                                    PGresult **results, uint32_t count,
                                                    struct usher_error *err);

/* As pg_connection_ask, and FENCED: for the pages that follow a load. */
USHER_MUST_CHECK enum usher_status pg_lookup_ask(const struct pg_lookup_reading *reading,
                                                 const char *statement,
                                                 const struct pg_params *params, PGresult **rows,
                                                 struct usher_error *err);

/*
 * How many of the `asked` members of a list a result covers: all, unless rows are missing at its
 * end for their size. It has the columns `found`, how many rows there were, and `ord`.
 */
uint32_t pg_lookup_served(const PGresult *rows, uint32_t asked);

/* Whether rows are missing at the end of a result that has a column `found`, of at most `limit`. */
bool pg_lookup_is_cut(const PGresult *rows, uint32_t limit);

/* Adds request ids as parameters: resources, hashes, and the partition. */
void pg_lookup_fill_keys(struct pg_lookup_lists *lists, const struct load_key *keys, uint32_t count,
                         struct pg_params *params);

/* Adds a list of numbers as a parameter. */
void pg_lookup_fill_numbers(struct pg_array *list, const int64_t *numbers, uint32_t count,
                            struct pg_params *params);

/* A limit that is halved so often, but not below the least. */
int64_t pg_lookup_shrunk(int64_t limit, uint32_t halvings, int64_t least);

/*
 * Returns an array with place for `more` members behind its `count`, which stay; it grows by half
 * at least, so that many pages cost no more than a few copies. `*room` is its size in members; a
 * first page is no larger than it must be.
 */
void *pg_lookup_extend(struct usher_arena *arena, void *array, uint32_t count, uint32_t more,
                       uint32_t *room, size_t size);

void pg_lookup_deinit(struct pg_lookup_lists *lists);

#endif
