/*
 * The numbered units that are taken of the pools of resources, page by page.
 */
#ifndef USHER_WORKER_POSTGRES_PG_LOAD_UNITS_H
#define USHER_WORKER_POSTGRES_PG_LOAD_UNITS_H

#include "worker/postgres/pg_lookup.h"

/*
 * Asks the prepared `statement` (load_units.sql) for a page of the units of `count` resources,
 * which have all of their pools, and adds them to these, as sold ones. It begins where the rest of
 * the result says. `*complete`: so many of the resources have all units now; if the first has not,
 * the rest says where its next page begins. HALT: there are units of a pool that was not asked for.
 */
USHER_MUST_CHECK enum usher_status pg_load_units(const struct pg_lookup_reading *reading,
                                                 const char *statement,
                                                 struct loaded_resource *resources, uint32_t count,
                                                 uint32_t *complete, struct usher_error *err);

#endif
