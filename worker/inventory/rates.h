/*
 * Rates: the named prices of a pool. PURE.
 */
#ifndef USHER_WORKER_INVENTORY_RATES_H
#define USHER_WORKER_INVENTORY_RATES_H

#include <stdbool.h>
#include <stdint.h>

#include "usher/message.h"
#include "worker/inventory/resource.h"

#define STANDARD_RATE "standard" /* that a pool's one price is */

/* Reads row.rates of a pool into its rates. False: they cannot be read. */
bool rates_resolve(struct resource *resource, struct pool *pool);

/* Returns the rate of that name, or NULL. */
const struct usher_rate *rates_find(const struct usher_rate *rates, uint32_t count,
                                    const char *name);

/* Returns the rate for units sold without naming one: `standard`, else the first listed. */
const struct usher_rate *rates_default(const struct usher_rate *rates, uint32_t count);

/* Returns whether two units were sold by the same rate; NULL: their pool had but a price. */
bool rates_same(const char *one, const char *other);

/* Returns a copy in the resource; NULL stays NULL. */
const struct usher_rate *rates_copy(struct resource *resource, const struct usher_rate *rates,
                                    uint32_t count);

/*
 * Sets the price of a unit by that rate (NULL: `standard`, else the first listed) and the name of
 * the rate. False: unknown.
 */
bool rates_price(const struct pool *pool, const char *rate, int64_t *price, const char **named);

#endif
