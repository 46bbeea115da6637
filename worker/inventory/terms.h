/*
 * The terms of sale of a resource: limits and quotas, resolved to the pools they name, and the
 * units of each customer. PURE: it counts, it does not refuse.
 */
#ifndef USHER_WORKER_INVENTORY_TERMS_H
#define USHER_WORKER_INVENTORY_TERMS_H

#include <stdbool.h>
#include <stdint.h>

#include "worker/base/table.h"
#include "worker/inventory/booking.h"
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

/* Bookings whose units were given back, to be exchanged, and the lines taken for them since. */
struct terms_change {
    const struct booking *const *owners;
    uint32_t owner_count;
    const struct line *taken;
    uint32_t taken_count;
};

/*
 * Returns how many of so many units of a pool its quotas allow to be taken. A change (NULL: none)
 * may take as much of a quota as it gave back, even where more than that is sold.
 */
uint32_t terms_left(const struct resource *resource, const struct pool *pool, uint32_t units,
                    const struct terms_change *change);

/* Returns how many units of a pool may still be taken: free ones, as many as its quotas allow. */
uint32_t terms_available(const struct resource *resource, const struct pool *pool);

/*
 * Returns how many units of a pool may still be taken at a rate (NULL: `standard`), by its quotas
 * alone, whatever the time; INT64_MAX: no quota limits it. A change as above; less than 0: the
 * change takes more than is left, and more than it gave back.
 */
int64_t terms_left_at_rate(const struct resource *resource, const struct pool *pool,
                           const char *rate, const struct terms_change *change);

/* Returns how many units count in a quota of a rate that has the pool, of a room its night's. */
int64_t terms_used_of_quota(const struct pool_group *quota, const struct resource *resource,
                            const struct pool *pool);

/* Returns how many there may be, if nothing is taken; INT64_MAX: no quota limits it. */
int64_t terms_limit_of_rate(const struct resource *resource, const struct pool *pool,
                            const char *rate);

/* Returns from when on the rate is not sold any more; INT64_MAX: it does not end. */
int64_t terms_end_of_rate(const struct resource *resource, const struct pool *pool,
                          const char *rate);

/* The same of all rates at which who names this one, or none, may be served: that of the last. */
int64_t terms_end_of_rates(const struct resource *resource, const struct pool *pool,
                           const char *rate);

/* Returns how many units of all pools together can be sold under the quotas, as sellable.h says. */
int64_t terms_available_in_all(struct resource *resource);

/*
 * ==== Tallies ====
 *
 * Tallies of each customer in a resource, for the limits: units held or confirmed, holds, and units
 * over groups of pools. Kept only where something limits customers. PURE: it counts, it does not
 * refuse.
 */

/* An open hold of a customer, with the units that it has. */
struct tally_hold {
    int64_t no;
    char *request_id;
    struct content *content;
};

struct tally {
    struct table_node by_customer;
    uint32_t units, holds;
    struct tally_hold *open; /* these holds, in no order */
    uint32_t open_count, open_limit;
    struct tally_pool {
        uint32_t pool; /* index */
        uint32_t units;
    } * pools; /* those with units, in no order */
    uint32_t pool_count, pool_limit;
    char *customer;
};

/* Whether customers are counted, or can be without the database: all bookings are in memory. */
bool tallies_are_known(const struct resource *resource);

/*
 * Whether customers are limited but not counted yet: nothing may change until they were, for a read
 * beside a commit would miscount them.
 */
bool tallies_are_missing(const struct resource *resource);

/* Starts to count, from zero. */
void tallies_begin(struct resource *resource);

void tallies_deinit(struct tallies *tallies);

/* Finds the tally of a customer; NULL: the customer has nothing. */
const struct tally *tally_find(const struct resource *resource, const char *customer);

/* Sums the units of a group of pools that a customer has; `tally` may be NULL. */
int64_t tally_of_group(const struct tally *tally, const struct pool_group *group,
                       const struct resource *resource);

/* Counts a booking in, or out again, by its state, customer and content; only those that count. */
void tally_add(struct resource *resource, const struct booking *booking);

void tally_remove(struct resource *resource, const struct booking *booking);

/*
 * Counts a booking out, and in again, to find out whether it was counted in. False, and nothing
 * changes: it was not.
 */
bool tally_count_out(struct resource *resource, const struct booking *booking);

void tally_count_in(struct resource *resource, const struct booking *booking);

/* Counts units that the database says a customer has. */
void tally_load(struct resource *resource, const char *customer, uint32_t pool, uint32_t units);

/* Counts an open hold that the database says the customer has, but not its units. */
void tally_load_hold(struct resource *resource, const char *customer, int64_t no,
                     const char *request_id, const struct line *lines, uint32_t line_count);

#endif
