/*
 * The names of seats: in rows without names of their own `row-number`, else the ones that the plan
 * gives. PURE.
 */
#ifndef USHER_WORKER_INVENTORY_NAMES_H
#define USHER_WORKER_INVENTORY_NAMES_H

#include "worker/inventory/resource.h"

/* Finds the seat of that name. False: there is none. */
bool names_find_seat(const struct resource *resource, const char *seat, uint32_t *pool,
                     uint32_t *unit);

/* Returns the name of a unit of a pool with rows, in the arena. */
const char *names_seat_name(const struct pool *pool, uint32_t unit, struct usher_arena *arena);

/* The same for people: "Block D, row 1, seat 7" where the row has numbers, else its name. */
const char *names_place(const struct pool *pool, uint32_t unit, struct usher_arena *arena);

/*
 * Returns the name of a seat that two rows have, in `arena`, or NULL. To be asked before settling:
 * it is a bad chart.
 */
const char *names_find_duplicate(const struct resource *resource, struct usher_arena *arena);

/* ---- for the making of resources ---- */

/* Makes the seats of a pool, whose rows are settled, known by their names. */
void names_add(struct resource *resource, struct pool *pool);

/* Frees the tables. */
void names_deinit(struct resource *resource);

#endif
