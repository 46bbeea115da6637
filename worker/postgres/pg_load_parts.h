/*
 * The look-ups of which a load is made: what each asks and how its rows are read. For the files of
 * pg_load only.
 */
#ifndef USHER_WORKER_POSTGRES_PG_LOAD_PARTS_H
#define USHER_WORKER_POSTGRES_PG_LOAD_PARTS_H

#include "worker/postgres/pg_load.h"

/* Statements that are sent together, with the same parameters. */
struct pg_load_part {
    const struct pg_statement *statements;
    uint32_t count;
    bool (*is_wanted)(const struct load_request *request);
    /* Adds the parameters; lists go into load->lists. */
    void (*fill)(struct pg_load *load, const struct load_request *request,
                 struct pg_params *params);
    /* `rows` has a result for each statement. Sets its part of the result, else zero. */
    enum usher_status (*read)(PGresult *const *rows, struct usher_arena *arena,
                              struct load_result *result, struct usher_error *err);
};

enum {
    PG_LOAD_RESULTS_MAX = 16 /* statements of all parts */
};

/* Resources with their pools, taken units and waiting lists; what customers have of them. */
extern const struct pg_load_part pg_load_resources, pg_load_tallies;

/* Bookings by name, by cart, by the units they have, by the time at which they end. */
extern const struct pg_load_part pg_load_bookings, pg_load_carts, pg_load_owners, pg_load_due;

/*
 * The first decisions of wanted request ids, as d, to follow a list of columns: $1 resources,
 * $2 hashes, $3 the partition.
 */
#define PG_LOAD_FIRSTS                                                                        \
    " from unnest($1::text[], $2::uuid[]) as k (k_resource, k_hash)"                          \
    " cross join lateral ("                                                                   \
    "  select no from usher.resource where partition = $3 and id = k_resource offset 0) as r" \
    " cross join lateral ("                                                                   \
    "  select * from usher.decision"                                                          \
    "  where resource_no = r.no and id_hash = k_hash and first offset 0) as d"

/* Adds its three parameters. */
void pg_load_fill_keys(struct pg_load *load, const struct load_key *keys, uint32_t count,
                       struct pg_params *params);

#endif
