/*
 * Rows of seats in a pool: their names, and where runs of free seats are. The longest free run of
 * each row is kept current in a tree of maxima, so that the first row with room for a party is
 * found among thousands without looking at their seats. PURE: it does not know which run to prefer.
 */
#ifndef USHER_WORKER_INVENTORY_SEATS_H
#define USHER_WORKER_INVENTORY_SEATS_H

#include <stdbool.h>
#include <stdint.h>

#include "inventory_resource.h"

/* Neighbouring free seats of one row, by unit. */
struct seat_run {
    uint32_t first, length;
};

/* Gives the pool's units their rows: the tree anew, from the state of the units. */
void seats_arrange(struct pool *pool, struct usher_arena *arena);

/* Keeps the tree current after the state of these units changed. */
void seats_refresh(struct pool *pool, const int32_t *units, uint32_t count);

/* The first free run of at least `length` seats: rows front to back, then lowest seat. */
bool seats_first_run(const struct pool *pool, uint32_t length, struct seat_run *run);

/* The longest free run of all rows, the first of equals. Length 0: nothing is free. */
struct seat_run seats_longest_run(const struct pool *pool);

/* Tells one arrangement of rows from another; stored with bookings, so it never changes. Not 0. */
uint32_t seats_layout(const struct seat_row *rows, uint32_t count);

/* The row that a unit is in. */
const struct seat_row *seats_row_of(const struct pool *pool, uint32_t unit);

/* Whether the tree is what the units say. For tests and asserts. */
bool seats_check(const struct pool *pool);

#endif
