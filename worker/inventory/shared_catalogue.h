/*
 * The part of a resource that no booking changes, its texts and rates, shared by reference
 * count: the resource has it, and so has whoever shows it, also on another thread and after the
 * resource is gone. Immutable once published; a define publishes another one, with its clone.
 * PURE.
 */
#ifndef USHER_WORKER_INVENTORY_SHARED_CATALOGUE_H
#define USHER_WORKER_INVENTORY_SHARED_CATALOGUE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "usher/memory.h"
#include "usher/message.h"
#include "worker/inventory/resource.h"

struct quotas;
struct rates_book;

enum {
    CATALOGUE_NO_SEATS = -1
};

struct catalogue_pool {
    const char *name, *title; /* title NULL: none */
    enum usher_kind kind;
    int32_t night;
    int64_t capacity, price; /* capacity: those of `overbook` among them */
    uint32_t overbook;
    const struct usher_rate *rates; /* NULL: `price` is the only one; the same for equal ones */
    uint32_t rate_count;
    const char *restrictions; /* JSON, the same for equal ones; NULL: none */
    int32_t first_seat;       /* among the seats of all sections of the chart; CATALOGUE_NO_SEATS */
    const char *properties;   /* JSON; NULL */
};

struct catalogue {
    _Atomic uint32_t holders;
    struct usher_arena arena; /* all of it lies here, and the rest of its resource; but its … */
    struct rates_book *rates; /* … held; NULL: no pool has named rates */
    int64_t no;
    const char *id, *name, *venue, *timezone, *currency, *chart_name;
    int64_t starts_ms, ends_ms, opens_ms, closes_ms; /* USHER_ABSENT */
    const char *chart;                               /* canonical JSON; NULL: no seats */
    size_t chart_size;
    struct catalogue_pool *pools; /* by index; removed ones have no capacity */
    uint32_t pool_count;
    uint32_t shown_count; /* pools with a capacity */
    uint32_t seat_count;
    int64_t total, overbook;
    const struct quotas *quotas;
};

/* Returns an empty one, held by the caller. */
struct catalogue *catalogue_open(void);

/* Fills that of the resource from its row, pools, chart and terms. Nobody else may hold it yet. */
void catalogue_publish(struct resource *resource);

/* Returns it, held once more. */
struct catalogue *catalogue_hold(struct catalogue *catalogue);

/* The last one frees it. NULL is legal. Any thread. */
void catalogue_release(struct catalogue *catalogue);

/*
 * ==== Lists of rates ====
 *
 * Rates: the named prices of a pool. A hotel has a pool per room type and night, and few lists of
 * rates: each list is kept once, in a book that a resource shares with its clones, so that
 * neither a define nor a batch has to copy or compare what it says.
 */

#define STANDARD_RATE "standard" /* that a pool's one price is */

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

/*
 * Returns how many rates of a pool may serve who names this one, and which: `*first`, in their
 * order. Who names none (NULL) is served by `standard`, or, where there is no such rate, by any.
 * 0: it is unknown. `*first` NULL: the only price of the pool.
 */
uint32_t rates_offered(const struct pool *pool, const char *rate, const struct usher_rate **first);

/*
 * ==== Lists of restrictions ====
 *
 * Stay restrictions, in the same book: a season has few lists, however often a channel manager
 * sets them.
 */

/* Returns the list of these rules in the book of the resource; NULL: there are none. */
struct restrictions *restrictions_list(struct resource *resource,
                                       const struct usher_restriction *at, uint32_t count);

/* Returns the list of a JSON text in the book of the resource, or NULL: it cannot be read. */
struct restrictions *restrictions_read(struct resource *resource, const char *json);

/* Sets the restrictions of a pool, a list of the book of its resource. */
void restrictions_set(struct pool *pool, struct restrictions *restrictions);

/* ---- for clones, and for the catalogue, which holds the book ---- */

/*
 * Gives a clone the book of its resource. False: much of that is no longer used, and the clone
 * begins another, to which rates_kept brings what its pools have.
 */
bool rates_share(struct resource *clone, const struct resource *resource);

/* Returns the list of the clone's book that is equal to one of the resource; NULL stays NULL. */
struct rates *rates_kept(struct resource *clone, struct rates *rates);

/* As rates_kept. */
struct restrictions *restrictions_kept(struct resource *clone, struct restrictions *restrictions);

#endif
