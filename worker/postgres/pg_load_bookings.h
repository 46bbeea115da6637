/*
 * The look-ups of bookings, and of the decisions that made them.
 */
#ifndef USHER_WORKER_POSTGRES_PG_LOAD_BOOKINGS_H
#define USHER_WORKER_POSTGRES_PG_LOAD_BOOKINGS_H

#include "worker/postgres/pg_lookup.h"

/* The first decisions of request ids. */
extern const struct pg_lookup pg_load_firsts;

/* Bookings by name, by cart, by the units they own, by the time at which they expire. */
extern const struct pg_lookup pg_load_bookings, pg_load_carts, pg_load_owners, pg_load_due;

/* Reads all bookings of a result into the arena. NULL: HALT, as pg_rows_read_all. */
struct booking_row *pg_load_read_bookings(const PGresult *result, struct usher_arena *arena,
                                          uint32_t *count, struct usher_error *err);

#endif
