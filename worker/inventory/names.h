/*
 * The names of seats: in rows without names of their own `row-number`, else the ones that the plan
 * gives. For the making of resources; to look them up see resource.h. PURE.
 */
#ifndef USHER_WORKER_INVENTORY_NAMES_H
#define USHER_WORKER_INVENTORY_NAMES_H

#include "worker/inventory/resource.h"

/* Makes the seats of a pool, whose rows are settled, known by their names. */
void names_add(struct resource *resource, struct pool *pool);

/* Frees the tables. */
void names_deinit(struct resource *resource);

#endif
