/*
 * The look-ups of resources with all that is needed to decide about them, of charts, and of what
 * customers have.
 */
#ifndef USHER_WORKER_POSTGRES_PG_LOAD_RESOURCES_H
#define USHER_WORKER_POSTGRES_PG_LOAD_RESOURCES_H

#include "worker/postgres/pg_lookup.h"

extern const struct pg_lookup pg_load_resources, pg_load_charts, pg_load_tallies;

/* Which resources have work that outlasts a batch: their numbers. */
extern const struct pg_lookup pg_load_unfinished;

#endif
