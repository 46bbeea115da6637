/*
 * A party seated in several pieces. PURE.
 */
#ifndef USHER_WORKER_RULES_SEATING_SPLIT_H
#define USHER_WORKER_RULES_SEATING_SPLIT_H

#include "worker/inventory/seats.h"

/*
 * Writes the units of a party that no row has room for; there are enough in all. Returns the number
 * of pieces.
 */
uint32_t seating_split(const struct seat_set *set, uint32_t quantity, struct usher_arena *scratch,
                       int32_t *units);

#endif
