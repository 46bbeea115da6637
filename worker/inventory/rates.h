/*
 * Rates: the named prices of a pool. A hotel has a pool per room type and night, and few lists of
 * rates: each list is kept once, in a book that a resource shares with its clones, so that
 * neither a define nor a batch has to copy or compare what it says. PURE.
 */
#ifndef USHER_WORKER_INVENTORY_RATES_H
#define USHER_WORKER_INVENTORY_RATES_H

#include <stdbool.h>
#include <stdint.h>

#include "usher/message.h"
#include "worker/inventory/resource.h"

#define STANDARD_RATE "standard" /* that a pool's one price is */

struct rates_book;

/* Returns the list of these rates, at least one, in the book of the resource. */
struct rates *rates_list(struct resource *resource, const struct usher_rate *rates, uint32_t count);

/* Returns the list of a JSON text in the book of the resource, or NULL: it cannot be read. */
struct rates *rates_read(struct resource *resource, const char *json);

/* Sets the rates of a pool, a list of the book of its resource; not the price that follows. */
void rates_set(struct pool *pool, struct rates *rates);

/* Returns the rate of that name, or NULL. */
const struct usher_rate *rates_find(const struct rates *rates, const char *name);

/* Returns whether two units were sold by the same rate; NULL: their pool had but a price. */
bool rates_same(const char *one, const char *other);

/*
 * Sets the price of a unit by that rate (NULL: `standard`, else the first listed) and the name of
 * the rate. False: unknown.
 */
bool rates_price(const struct pool *pool, const char *rate, int64_t *price, const char **named);

/* ---- for clones, and for the catalogue, which holds the book ---- */

/*
 * Gives a clone the book of its resource. False: much of that is no longer used, and the clone
 * begins another, to which rates_kept brings what its pools have.
 */
bool rates_share(struct resource *clone, const struct resource *resource);

/* Returns the list of the clone's book that is equal to one of the resource; NULL stays NULL. */
struct rates *rates_kept(struct resource *clone, struct rates *rates);

/* The last catalogue that holds it frees it. NULL is legal. Any thread. */
void rates_release(struct rates_book *book);

#endif
