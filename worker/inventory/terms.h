/*
 * What a resource is sold under: limits, quotas and rates, resolved to the pools they name. PURE:
 * it counts, it does not refuse.
 */
#ifndef USHER_WORKER_INVENTORY_TERMS_H
#define USHER_WORKER_INVENTORY_TERMS_H

#include <stdbool.h>
#include <stdint.h>

#include "usher/memory.h"
#include "usher/message.h"

#define STANDARD_RATE "standard" /* that a pool's one price is */

struct resource;
struct pool;
struct pool_name;

/* Names of pools: sections, room types (all of their nights), products. */
struct pool_group {
    const char *name; /* of a quota; NULL */
    struct pool_name **pools;
    uint32_t pool_count;
    int64_t limit;
};

struct terms {
    /* USHER_ABSENT: no limit. */
    int64_t units_min, units_per_request, units_per_customer, holds_per_customer;
    struct pool_group *groups; /* what one customer may have over them */
    uint32_t group_count;
    struct pool_group *quotas; /* what all together may have, of room types each night by itself */
    uint32_t quota_count;
};

/* No limits, no quotas. */
void terms_init(struct terms *terms);

/*
 * Resolves row.terms of a resource, whose pools and names are there, into resource->terms. False:
 * it cannot be read, or names a pool that there never was.
 */
bool terms_resolve(struct resource *resource);

/* Reads row.rates of a pool into its rates. False: they cannot be read. */
bool rates_resolve(struct resource *resource, struct pool *pool);

/* The rate of that name, or NULL. */
const struct usher_rate *rates_find(const struct usher_rate *rates, uint32_t count,
                                    const char *name);

/* By which a unit is sold where none is named: `standard`, else the first listed. */
const struct usher_rate *rates_default(const struct usher_rate *rates, uint32_t count);

/* Whether two units were sold by the same rate; NULL: their pool had but a price. */
bool rate_same(const char *one, const char *other);

/* A copy in the resource; NULL stays NULL. */
const struct usher_rate *rates_copy(struct resource *resource, const struct usher_rate *rates,
                                    uint32_t count);

/* Whether something limits single customers, so that their units must be counted. */
bool terms_limit_customers(const struct terms *terms);

/* Whether the units of a pool count in a group. */
bool pool_group_has(const struct pool_group *group, const struct resource *resource, uint32_t pool);

/*
 * Units held or sold that count against a quota together with those of `pool`: over all of its
 * pools, of room types those of the same night.
 */
int64_t quota_used(const struct pool_group *quota, const struct resource *resource,
                   const struct pool *pool);

/* Units of a pool that may still be taken: free ones, as many as its quotas allow. */
uint32_t pool_available(const struct resource *resource, const struct pool *pool);

/* The price of a unit by that rate; NULL: `standard`, else the first listed. False: unknown. */
bool pool_price(const struct pool *pool, const char *rate, int64_t *price, const char **named);

#endif
