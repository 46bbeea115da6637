/*
 * The parts of seating: for seating*.c only. PURE.
 */
#ifndef USHER_WORKER_RULES_SEATING_PARTS_H
#define USHER_WORKER_RULES_SEATING_PARTS_H

#include "worker/inventory/seats.h"
#include "worker/rules/seating.h"

/*
 * The seats that a party would accept, as bits and with a tree over them, which costs more; what is
 * made for it lives in `scratch`.
 */
const uint64_t *seating_bits(const struct pool *pool, const struct party *party,
                             struct usher_arena *scratch);
struct seat_set seating_set(const struct pool *pool, const struct party *party,
                            struct usher_arena *scratch);

/* How many words hold the bits of so many units. */
uint32_t seating_words(uint32_t units);

/* ---- the places of one row, by index; the row has one. Returns the unit that it begins at. ----
 */

uint32_t seating_lowest(const struct seat_set *set, uint32_t row, const struct seat_want *want);

/* Nearest to the middle of the row. */
uint32_t seating_nearest(const struct seat_set *set, uint32_t row, const struct seat_want *want);

/* The one at index `number` % places. */
uint32_t seating_numbered(const struct seat_set *set, uint32_t row, const struct seat_want *want,
                          uint64_t number);

/* ---- over all rows ---- */

/* The place with the best ranks. One of the rows has a place. */
uint32_t seating_ranked(const struct seat_set *set, const struct seat_want *want);

/*
 * Writes the units of a party that no row has room for; there are enough in all. Returns the number
 * of pieces.
 */
uint32_t seating_split(const struct seat_set *set, uint32_t quantity, struct usher_arena *scratch,
                       int32_t *units);

/* Writes the units of one piece and returns where the next one goes. */
int32_t *seating_write(int32_t *units, uint32_t first, uint32_t count);

#endif
