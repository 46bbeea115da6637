/*
 * The inside of an inventory: its limits, its resources by id and by number, the request ids
 * that were answered, and its charts. The members of its struct are for this folder only, the
 * functions for all. PURE.
 */
#ifndef USHER_WORKER_INVENTORY_INVENTORY_STATE_H
#define USHER_WORKER_INVENTORY_INVENTORY_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "producer/base/list.h"
#include "usher/memory.h"
#include "usher/status.h"
#include "worker/base/slab.h"
#include "worker/base/table.h"
#include "worker/inventory/booking.h"
#include "worker/inventory/resource.h"
#include "worker/model/rows.h"

/*
 * ==== Limits ====
 *
 * How much an inventory keeps in memory.
 */

/* How much is kept once it is cold and committed. More is kept while it must be. */
struct inventory_limits {
    uint32_t bookings;
    uint32_t resources;
    uint64_t units; /* over the resources in memory */
    uint32_t ids;
    uint64_t pools; /* over the resources in memory */
};

/* ==== The inside ==== */

struct known_id;

struct inventory {
    int32_t partition;
    struct inventory_limits limits;
    int64_t last_pool;
    uint64_t committed; /* the last batch known to be */

    struct table resources_by_id, resources_by_no;
    struct list resources; /* by last use */
    uint64_t units, pools; /* over all of them */
    struct unit_sums sums; /* over all of them, as of the last seal */

    struct slab booking_slab;
    struct table bookings_by_id;
    struct list bookings; /* by last use; without those on a waiting list, which stay with it */
    uint32_t waiting;     /* those */
    struct table bookings_by_cart;
    struct due due; /* those held, blocked or waiting that end at a time */

    /*
     * Bookings that end at a time up to here, in the order of expiry, are all in memory; later
     * ones may be, and may be only in the database.
     */
    struct due_key horizon;

    struct list charts; /* layouts known by name, by last use */

    struct list work;    /* resources with unfinished work, in the order in which it came */
    int64_t *unfinished; /* resources with such work that are yet to be loaded */
    uint32_t unfinished_count, unfinished_limit;
    int64_t unfinished_after; /* the last one listed … */
    bool unfinished_listed;   /* … and there are no more */
    struct booking **owners;  /* bookings to be cancelled, loaded for the current batch … */
    uint8_t owners_after[USHER_HASH_SIZE]; /* … from there on */
    uint32_t owner_count, owner_at, owner_limit;

    struct slab id_slab;
    struct table ids_by_hash;
    struct list ids; /* by age */

    uint64_t needs; /* grows with each prefetch: rows used since the last one are not evicted */

    /* Since the last seal. */
    struct unsealed unsealed;
    struct list touched_resources, touched_bookings; /* in the order of their first change */
    struct known_id **loaded_firsts;                 /* those with `first` set */
    uint32_t loaded_first_count, loaded_first_limit;

    struct list evicted;        /* resources, to be taken */
    struct usher_arena scratch; /* for the time of one call */
    struct usher_error fault;   /* the first inconsistency found */
};

/* Whether anything is loaded for the batch at hand: it is forgotten with the batch. */
static inline bool inventory_has_loaded(const struct inventory *inventory)
{
    return inventory->loaded_first_count > 0 || inventory->owner_count > 0;
}

/*
 * ==== Resources ====
 *
 * Finding the resources in memory, and noting that one changes.
 */

/* Finds a resource, if it is in memory, by id or by number; counts as a use. */
struct resource *inventory_resource(struct inventory *inventory, const char *id);

struct resource *inventory_resource_numbered(struct inventory *inventory, int64_t no);

/* Finds a resource without counting as a use. */
struct resource *inventory_peek(const struct inventory *inventory, int64_t no);

/* Notes that the resource changes with the decision `rev`: its row is to be written. */
void inventory_touch_resource(struct inventory *inventory, struct resource *resource, int64_t rev);

/* ---- for the inventory only ---- */

/* Puts a resource into memory; it has no use yet. */
void inventory_keep_resource(struct inventory *inventory, struct resource *resource);

/* Brings the sums over all resources up to date with its units; or takes them out. */
void inventory_count_units(struct inventory *inventory, struct resource *resource);

void inventory_drop_units(struct inventory *inventory, const struct resource *resource);

/* Returns how many bytes the row of a pool takes. */
size_t inventory_pool_bytes(const struct pool_row *row);

/* Removes its row and pools from the next seal: another resource has them. */
void inventory_drop_unsealed(struct inventory *inventory, const struct resource *resource);

/*
 * ==== Request ids ====
 *
 * The request ids that were answered: a repeat gets the first answer again.
 */

/* A request id that was answered. */
struct known_id {
    int64_t resource_no;
    uint8_t id_hash[USHER_HASH_SIZE];
    uint8_t content_hash[USHER_HASH_SIZE];
    int64_t seq;                      /* of the first answer */
    const struct decision_row *first; /* where it was loaded for the current batch; else NULL */

    /* For the inventory only. */
    uint64_t batch; /* 0: it was loaded */
    struct table_node by_id;
    struct list_node age;
};

/* Returns the entry of that id, or NULL. */
struct known_id *inventory_id(const struct inventory *inventory, int64_t resource_no,
                              const uint8_t id_hash[USHER_HASH_SIZE]);

/* Keeps the first answer to a request id, decided in the batch of that number. */
void inventory_add_id(struct inventory *inventory, const struct decision_row *first,
                      uint64_t batch);

/*
 * Returns whether its first answer is in the database only: committed, and not loaded for this
 * batch.
 */
bool inventory_lacks_first(const struct inventory *inventory, const struct known_id *id);

/*
 * ==== Charts ====
 *
 * Layouts in memory, by name.
 */

/*
 * Returns the layout of that name, if it is known in memory (prefetch_collect asks for it); NULL.
 * Valid until a layout is added. Those of resources are added with them.
 */
const struct chart_row *inventory_chart(struct inventory *inventory, const char *name);

/* Keeps a copy of a layout under its name. */
void inventory_add_chart(struct inventory *inventory, const struct chart_row *chart);

/* ---- for the inventory only ---- */

/* Notes that layouts added since the last seal are of that batch. */
void inventory_seal_charts(struct inventory *inventory, uint64_t batch);

void inventory_trim_charts(struct inventory *inventory);

void inventory_free_charts(struct inventory *inventory);

#endif
