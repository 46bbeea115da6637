/*
 * The terms of sale of a resource: limits and quotas, resolved to the pools they name. PURE: it
 * counts, it does not refuse.
 */
#ifndef USHER_WORKER_INVENTORY_TERMS_H
#define USHER_WORKER_INVENTORY_TERMS_H

#include <stdbool.h>
#include <stdint.h>

#include "worker/inventory/resource.h"

/*
 * Resolves row.terms of a resource, whose pools and names are there, into resource->terms. False:
 * it cannot be read, or names a pool that never existed.
 */
bool terms_resolve(struct resource *resource);

/*
 * Returns whether limits (NULL: none) are about single customers, so that their units must be
 * counted.
 */
bool terms_limit_customers(const struct usher_limits *limits);

/* Returns whether the units of a pool count in a group. */
bool terms_group_has(const struct pool_group *group, const struct resource *resource,
                     uint32_t pool);

/* Returns how many units of a pool may still be taken: free ones, as many as its quotas allow. */
uint32_t terms_available(const struct resource *resource, const struct pool *pool);

/* Returns how many units of all pools together can be sold under the quotas, as sellable.h says. */
int64_t terms_available_in_all(struct resource *resource);

#endif
