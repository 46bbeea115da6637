/*
 * The look-ups of charts and of unfinished work.
 */
#ifndef USHER_WORKER_POSTGRES_PG_LOAD_LISTS_H
#define USHER_WORKER_POSTGRES_PG_LOAD_LISTS_H

#include "worker/postgres/pg_lookup.h"

extern const struct pg_lookup pg_load_charts;

/* Which resources have work that outlasts a batch: their numbers. */
extern const struct pg_lookup pg_load_unfinished;

#endif
