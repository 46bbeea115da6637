/*
 * Lines of units: given back, taken again, summed. PURE.
 */
#ifndef USHER_WORKER_RULES_UNIT_LINES_H
#define USHER_WORKER_RULES_UNIT_LINES_H

#include "worker/inventory/booking.h"
#include "worker/inventory/resource.h"

/* Gives the units of lines, which are in that state, back to their pools; or takes them again. */
void unit_lines_give(struct resource *resource, const struct line *lines, uint32_t count,
                     enum booking_state state);
void unit_lines_take(struct resource *resource, const struct line *lines, uint32_t count,
                     enum booking_state state);

/* Sums up the prices of all units. */
int64_t unit_lines_total(const struct line *lines, uint32_t count);

/*
 * Whether the units of a line are still what they were when it was taken: the same seats, or units
 * of a pool that still has no seats.
 */
bool unit_lines_current(const struct pool *pool, const struct line *line);

#endif
