/*
 * How many units of a pool are held and sold at each of its rates, for the quotas of rates
 * (terms.h). Only pools that such a quota has or had count their units. Each begins before its
 * first unit is sold, so that nobody has to read all bookings. PURE.
 *
 * The database keeps them as JSON: {"pool index":{"rate":units,…},…}. A unit sold at the only price
 * of a pool counts as `standard`.
 */
#ifndef USHER_WORKER_INVENTORY_RATE_USES_H
#define USHER_WORKER_INVENTORY_RATE_USES_H

#include "usher/memory.h"
#include "worker/inventory/booking.h"
#include "worker/inventory/resource.h"

/* Lets the pool count from now on. None of its units is held or sold. */
void rate_uses_begin(struct resource *resource, struct pool *pool);

/* Adds the units of a line, if its pool counts. A negative number takes them away. */
void rate_uses_add(struct resource *resource, const struct line *line, int64_t units);

/* Does so for all units of these lines; `sign`: 1 or -1. */
void rate_uses_add_lines(struct resource *resource, const struct line *lines, uint32_t count,
                         int sign);

/* Returns the units of a pool at that rate; 0 where it does not count. */
uint32_t rate_uses_of(const struct pool *pool, const char *rate);

/* Copies the units at each rate from a pool to its clone. */
void rate_uses_copy(struct resource *clone, struct pool *pool, const struct rate_uses *from);

/* Writes the units at each rate of all pools that count. If no pool counts, `out` stays empty. */
void rate_uses_write(const struct resource *resource, struct usher_buffer *out);

/* Reads what rate_uses_write wrote (NULL: nothing) into the pools. False: it is something else. */
bool rate_uses_read(struct resource *resource, const char *json);

/* Returns whether as many units are at rates as are held and sold, in each pool that counts. */
bool rate_uses_fit(const struct resource *resource);

#endif
