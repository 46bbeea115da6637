/*
 * The units of a resource change their state here, and nowhere else. PURE: whose they are is not
 * known.
 */
#ifndef USHER_WORKER_INVENTORY_RESOURCE_UNITS_H
#define USHER_WORKER_INVENTORY_RESOURCE_UNITS_H

#include "worker/inventory/booking.h"
#include "worker/inventory/resource.h"

/* In what follows, `units` is ignored for a counted pool, and may be NULL. */

/* Takes units: free → HELD, CONFIRMED or BLOCKED; all must be free (or retired, see units_take). */
void resource_take(struct resource *resource, uint32_t pool, const int32_t *units, uint32_t count,
                   enum booking_state state);

/* Sells units: HELD → CONFIRMED. */
void resource_sell(struct resource *resource, uint32_t pool, const int32_t *units, uint32_t count);

/* Gives units back that are in that state: HELD, CONFIRMED or BLOCKED → free. */
void resource_give(struct resource *resource, uint32_t pool, const int32_t *units, uint32_t count,
                   enum booking_state state);

/*
 * Counts the units of lines out of those that are in that state, if it is one that owns units, and
 * in again. False, and nothing changes: they were not counted in, a unit is in another state, or
 * the lines are of pools that there are not.
 */
bool resource_count_out(struct resource *resource, const struct line *lines, uint32_t count,
                        enum booking_state state);
void resource_count_in(struct resource *resource, const struct line *lines, uint32_t count,
                       enum booking_state state);

/*
 * Asserts what must always hold: every unit is in one state, counts and totals add up to the
 * capacities, the runs of seats are as the bits say, every name finds its pool. For tests.
 */
void resource_check(const struct resource *resource);

#endif
