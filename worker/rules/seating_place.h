/*
 * Places for one piece, in a row or in all rows. PURE.
 */
#ifndef USHER_WORKER_RULES_SEATING_PLACE_H
#define USHER_WORKER_RULES_SEATING_PLACE_H

#include "worker/inventory/seats.h"

/* ---- the places of one row, by index; the row has one. Returns the unit that it begins at. ----
 */

uint32_t seating_lowest(const struct seat_set *set, uint32_t row, const struct seat_want *want);

/* Returns the place nearest to the middle of the row. */
uint32_t seating_nearest(const struct seat_set *set, uint32_t row, const struct seat_want *want);

/* Returns the place at index `number` % places. */
uint32_t seating_numbered(const struct seat_set *set, uint32_t row, const struct seat_want *want,
                          uint64_t number);

/* ---- over all rows ---- */

/* Returns the place with the best ranks. One of the rows has a place. */
uint32_t seating_ranked(const struct seat_set *set, const struct seat_want *want);

/* Writes the units of one piece and returns where the next one goes. */
int32_t *seating_write(int32_t *units, uint32_t first, uint32_t count);

#endif
