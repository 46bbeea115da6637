/*
 * One resource in memory: its catalogue (pools, rows of seats, nights) and the state of its units.
 * PURE: no booking rules, no clock, no I/O; it does not know who holds a unit, only that one is.
 *
 * Bookings refer to a unit as (pool index, unit number); a pool keeps its index for ever. Units of
 * a pool with rows are numbered through the rows, front to back. The units of sections by capacity
 * and of products are interchangeable: they are counted, and have no numbers.
 *
 * The catalogue is never edited in place: define changes and checks a clone, and then either drops
 * it or puts it in the place of the old one (catalogue.h). What readers are shown of it is shared
 * with the display (shared_catalogue.h).
 */
#ifndef USHER_WORKER_INVENTORY_RESOURCE_H
#define USHER_WORKER_INVENTORY_RESOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "usher/memory.h"
#include "usher/message.h"
#include "worker/base/list.h"
#include "worker/base/table.h"
#include "worker/inventory/sellable.h"
#include "worker/inventory/units.h"
#include "worker/model/rows.h"

/* A row of seats, named `name-first`, `name-(first + 1)`, …, or as `names` says. */
struct seat_row {
    struct table_node by_name;
    const char *name;
    uint32_t first; /* number of its first seat, as in its name */
    uint32_t seats;
    uint32_t first_unit;      /* unit of its first seat */
    uint32_t pool;            /* index */
    const char *zone;         /* of a plan; NULL */
    const char *const *names; /* of each seat; NULL: name-number */
    const int32_t *ranks;     /* of each seat, lower is better; NULL */
    const int32_t *x, *y;     /* of each seat; NULL */
    const struct usher_row_feature *features;
    uint32_t feature_count;
};

struct pool {
    struct pool_row row; /* .index is its place in resource.pools; .is_new until it was sealed */
    struct unit_counts taken; /* of any pool; row.taken is what the database has of a counted one */
    struct units units;       /* empty if the pool is counted */
    struct seat_row *seat_rows; /* of SEATS, front to back */
    uint32_t seat_row_count;
    struct seat_tree *seat_tree; /* of SEATS: where its free runs are, see seats.h */
    struct rates *rates;         /* of row.rates; NULL: row.price is the only one */
    uint32_t first_seat;         /* of SEATS: among those of all sections of the chart */
    struct pool_name *name;      /* that it is sold under */
    bool returned;               /* units came back since the last round of the waiting list */
    bool changed;                /* its row is to be written with the next seal */
    bool moved;                  /* counted, and met by the seal that is being made */
};

/* Returns how many units of the pool are free. */
static inline uint32_t pool_free(const struct pool *pool)
{
    return pool->row.capacity - unit_counts_sum(pool->taken);
}

/*
 * A list of named prices. Equal lists of a resource are one, shared by its pools and by its clones,
 * and compared by address (shared_catalogue.h). Nothing of it changes but what the seal notes.
 */
struct rates {
    const struct usher_rate *at, *standard; /* for units sold without naming one: that of this name,
                                               else the first */
    uint32_t count;
    uint32_t place;   /* in the batch that was sealed last with it: batch.rates, from 1 */
    uint64_t batch;   /* that one; 0: none */
    const char *json; /* as stored (stored_rates_encode) */
    struct table_node by_json;
};

struct terms {
    /* 0: no limit. */
    int64_t units_min, units_per_request, units_per_customer, holds_per_customer;
    bool limits_customers;     /* one of these does, or a group: customers' units are counted */
    struct pool_group *groups; /* what one customer may have of all of them */
    uint32_t group_count;
    struct quotas quotas;
};

/* The units each customer has of a resource (terms.h). Zero-initialise to make an empty one. */
struct tallies {
    struct table by_customer;
    bool kept; /* complete; else nothing is counted */
};

/* The waiting list of a resource (waiting_list.h). Zero-initialise to make an empty one. */
struct waiting_list {
    struct table classes;
    struct list parties; /* booking.use: all of them, by number */
    uint32_t count;      /* parties */
    bool begins;         /* a round was begun, its classes are not yet gathered */
    uint32_t *returned;  /* pools whose units came back since the last round ended */
    uint32_t returned_count, returned_limit;
    bool concerns_all;            /* the round is about all classes, whatever came back */
    int64_t last_no;              /* the newest party when the round began */
    struct waiting_class **round; /* a heap of the classes that are not done, by next party */
    uint32_t round_count;
};

/* Units over all pools of something, nights counted singly. */
struct unit_sums {
    int64_t free, held, sold, blocked;
};

/* What a seal will have written: rows of the database, and about how many bytes they take. */
struct unsealed {
    uint64_t rows, bytes;
};

struct catalogue;

struct resource {
    struct resource_row row; /* as stored, once the current batch is committed */
    struct pool *pools;      /* by index; removed ones have capacity 0 */
    uint32_t pool_count;
    struct pool_name **names; /* in the order of definition */
    uint32_t name_count;
    int64_t calendar; /* nights from the first to the last of each room type */
    int64_t total, free, held, sold, blocked; /* units over all pools, nights counted singly */
    uint64_t number_count;                    /* units with a number, which take memory */
    struct unit_sums counted;                 /* of them, in the sums of the inventory */
    struct terms terms;                       /* of row.terms */
    struct sellable sellable;                 /* of `free`, under the quotas: terms.h */
    struct tallies tallies;                   /* kept where the terms limit customers */
    struct waiting_list waiting;              /* all of it */

    /* For the inventory and the catalogue only. */
    struct table names_by_text;
    struct table seat_rows;  /* those without names, by name; several rows may have one name */
    struct table seat_names; /* of the seats of the others */
    uint32_t pool_limit, name_limit;
    struct catalogue *catalogue; /* published when it was settled or restored, held */
    struct usher_arena *arena;   /* of the catalogue: all that is reached from here, but the tables
                                    and the two arrays */
    struct table_node by_id, by_no;
    struct list_node use, touch; /* in the lists of all by last use, and of those changed */
    struct list_node work;       /* in the list of those with unfinished work (inventory.h) */
    bool has_work;
    uint8_t cancel_cursor[USHER_HASH_SIZE]; /* where the search for bookings to cancel continues */
    struct chart_row chart;                 /* canonical JSON; content NULL without rows */
    bool chart_changed;                     /* the chart is to be written with the next seal */
    bool touched;                           /* changed since the last seal */
    bool redraw;                            /* changed so that the display must render it again */
    struct unsealed unsealed;               /* of its rows, in the sum of the inventory */
    bool ids_complete;                      /* every request id ever answered is in memory */
    bool bookings_complete;                 /* every booking ever made is in memory */
    uint64_t batch;                         /* the last one that changed it */
    uint64_t needed;                        /* the last prefetch that it was used for */
};

/* Copies a text into the resource; NULL stays NULL. */
const char *resource_text(struct resource *resource, const char *text);

/* Finds the pool or room type of that name, or NULL; removed ones too. */
struct pool_name *resource_name(const struct resource *resource, const char *text);

/* Finds the pool of a room type on a night, or NULL; removed ones too. */
struct pool *resource_night(const struct resource *resource, const struct pool_name *name,
                            int32_t night);

#endif
