/*
 * One of the look-ups of which a load is made: what it asks and how its rows are read. Knows no
 * table.
 */
#ifndef USHER_WORKER_POSTGRES_PG_LOOKUP_H
#define USHER_WORKER_POSTGRES_PG_LOOKUP_H

#include "worker/model/loads.h"
#include "worker/postgres/pg_connection.h"

/* What the parameters of a look-up are made in. Zero-initialise. */
struct pg_lookup_lists {
    int32_t partition;
    struct pg_array lists[3]; /* of the statement being queued; libpq copies them */
};

/* Statements that are sent together, with the same parameters. */
struct pg_lookup {
    const struct pg_statement *statements;
    uint32_t count;
    /* Adds the parameters; their lists go into `lists`. False: nothing of this is requested. */
    bool (*fill)(struct pg_lookup_lists *lists, const struct load_request *request,
                 struct pg_params *params);
    /* `rows` has a result for each statement. Sets its part of the result, which was zero. */
    enum usher_status (*read)(PGresult *const *rows, struct usher_arena *arena,
                              struct load_result *result, struct usher_error *err);
};

/* Adds request ids as parameters: resources, hashes, and the partition. */
void pg_lookup_fill_keys(struct pg_lookup_lists *lists, const struct load_key *keys, uint32_t count,
                         struct pg_params *params);

/* Adds a list of numbers as a parameter. */
void pg_lookup_fill_numbers(struct pg_array *list, const int64_t *numbers, uint32_t count,
                            struct pg_params *params);

void pg_lookup_deinit(struct pg_lookup_lists *lists);

#endif
