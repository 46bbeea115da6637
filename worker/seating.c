/*
 * First fit in chart order; else the longest piece, and again. PURE.
 */
#include "seating.h"

#include <assert.h>

#include "inventory_seats.h"

bool seating_take(struct resource *resource, uint32_t pool, const struct party *party,
                  int32_t *units)
{
    const struct pool *from = &resource->pools[pool];
    assert(from->units.free >= party->quantity);
    for (uint32_t rest = party->quantity; rest > 0;) {
        struct seat_run run;
        if (!seats_first_run(from, rest, &run)) {
            if (party->together) {
                assert(rest == party->quantity);
                return false;
            }
            run = seats_longest_run(from);
        }
        uint32_t count = run.length < rest ? run.length : rest;
        for (uint32_t i = 0; i < count; i++)
            units[i] = (int32_t)(run.first + i);
        resource_take(resource, pool, units, count, party->state);
        units += count;
        rest -= count;
    }
    return true;
}
