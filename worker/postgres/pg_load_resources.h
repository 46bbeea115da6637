/*
 * The look-ups of which a load is made: resources with all that is needed to decide about them,
 * their units, bookings, charts, and unfinished work.
 */
#ifndef USHER_WORKER_POSTGRES_PG_LOAD_RESOURCES_H
#define USHER_WORKER_POSTGRES_PG_LOAD_RESOURCES_H

#include "worker/postgres/pg_lookup.h"

extern const struct pg_lookup pg_load_resources;

/* Reads another page of the first resource, where result->cursor says that there is one. */
USHER_MUST_CHECK enum usher_status pg_load_resource_page(const struct pg_lookup_reading *reading,
                                                         struct usher_error *err);

/*
 * ==== Bookings ====
 *
 * The look-ups of bookings, and of the decisions that made them.
 */

/* The first decisions of request ids. */
extern const struct pg_lookup pg_load_firsts;

/* Bookings by name, by cart, by the units they own, by the time at which they expire. */
extern const struct pg_lookup pg_load_bookings, pg_load_carts, pg_load_owners, pg_load_due;

/*
 * ==== Charts and unfinished work ====
 *
 * The look-ups of charts and of unfinished work.
 */

extern const struct pg_lookup pg_load_charts;

/* Which resources have work that outlasts a batch: their numbers. */
extern const struct pg_lookup pg_load_unfinished;

#endif
