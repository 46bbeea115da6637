/*
 * Which seats a party gets that leaves the choice to usher. PURE: it knows rows and runs of free
 * seats, not who asks, nor when a choice is refused.
 *
 * The first run of free seats that has room for the whole party, in chart order, gives its first
 * seats. Where there is none the longest run is taken whole, and the rest of the party is seated by
 * the same rule: as few pieces as that way allows.
 */
#ifndef USHER_WORKER_SEATING_H
#define USHER_WORKER_SEATING_H

#include <stdbool.h>
#include <stdint.h>

#include "inventory_resource.h"

struct party {
    uint32_t quantity;
    bool together;            /* refuse rather than split */
    enum booking_state state; /* HELD or CONFIRMED: what the seats become */
};

/*
 * Takes seats of a pool with rows, at least `quantity` of which are free, and writes their units in
 * the order chosen. False: `together`, and no row has room; nothing is taken then.
 */
bool seating_take(struct resource *resource, uint32_t pool, const struct party *party,
                  int32_t *units);

#endif
