/*
 * Completing a resource after its catalogue changed. PURE.
 */
#ifndef USHER_WORKER_INVENTORY_SETTLE_H
#define USHER_WORKER_INVENTORY_SETTLE_H

#include "worker/inventory/resource.h"

/*
 * Completes the clone: units of the capacities it has now, in the states they were in; totals; seat
 * names; the chart and its name; the terms, which must resolve (terms_resolve). Units of removed
 * rows must be free; all other pools must have room for their taken units.
 */
void catalogue_settle(struct resource *resource);

/*
 * Its parts: the units, of nights at least `numbers` (of each pool; NULL: 0) of them,
 * and seat names; counts and runs of seats from the units as they are …
 */
void settle_units(struct resource *resource, const uint32_t *numbers);
void settle_sums(struct resource *resource);

/* … and a copy of the chart, under the name in resource->row. */
void settle_set_chart(struct resource *resource, const char *content, size_t size);

#endif
