/*
 * The look-up of what customers have of resources.
 */
#ifndef USHER_WORKER_POSTGRES_PG_LOAD_TALLIES_H
#define USHER_WORKER_POSTGRES_PG_LOAD_TALLIES_H

#include "worker/postgres/pg_lookup.h"

extern const struct pg_lookup pg_load_tallies;

/* Reads another page of the first resource whose customers are counted, where result->rest says
 * that there is one. */
USHER_MUST_CHECK enum usher_status pg_load_tallies_page(const struct pg_lookup_reading *reading,
                                                        struct usher_error *err);

#endif
