/*
 * What an inventory is made of: for inventory*.c, batch.c and prefetch.c only. PURE.
 */
#ifndef USHER_WORKER_INVENTORY_INVENTORY_STATE_H
#define USHER_WORKER_INVENTORY_INVENTORY_STATE_H

#include "worker/base/slab.h"
#include "worker/inventory/due.h"
#include "worker/inventory/inventory_change.h"

struct inventory {
    int32_t partition;
    struct inventory_limits limits;
    int64_t last_pool;
    uint64_t committed; /* the last batch known to be */

    struct table resources_by_id, resources_by_no;
    struct list resources; /* by last use */
    uint64_t units;        /* over all of them */

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

    struct list work;        /* resources with unfinished work, in the order in which it came */
    bool work_loaded;        /* what an earlier owner left is known */
    struct booking **owners; /* bookings to be cancelled, loaded for the batch at hand */
    uint32_t owner_count, owner_at, owner_limit;

    struct slab id_slab;
    struct table ids_by_hash;
    struct list ids; /* by age */

    /* Since the last seal. */
    struct list touched_resources, touched_bookings; /* in the order of their first change */
    struct known_id **loaded_firsts;                 /* those with `first` set */
    uint32_t loaded_first_count, loaded_first_limit;

    int64_t *evicted; /* resources, by the last seal */
    uint32_t evicted_count, evicted_limit;
    struct usher_arena scratch; /* for the time of one call */
};

/* Puts a resource into memory; it has no use yet. */
void inventory_keep_resource(struct inventory *inventory, struct resource *resource);

/* Without counting as a use, unlike inventory_resource_numbered. */
struct resource *inventory_peek(const struct inventory *inventory, int64_t no);

/* Puts a booking with its state into memory, with `content`, as the database has it. */
struct booking *inventory_keep_booking(struct inventory *inventory, const struct booking_row *row,
                                       struct content *content);

/*
 * Puts a booking that waits on the list of its resource, if that is in memory and it is not there.
 * False: what it wants cannot be read.
 */
bool inventory_join(struct inventory *inventory, struct booking *booking);

/* Takes a booking out of memory. */
void inventory_evict_booking(struct inventory *inventory, struct booking *booking);

/*
 * Begins to count what each customer of a resource has, where its terms limit that, by the bookings
 * in memory: all of them must be.
 */
void inventory_count_customers(struct inventory *inventory, struct resource *resource);

/* Layouts added since the last seal are of that batch. */
void inventory_seal_charts(struct inventory *inventory, uint64_t batch);
void inventory_trim_charts(struct inventory *inventory);
void inventory_free_charts(struct inventory *inventory);

/* The first resource whose bookings are being cancelled, or NULL. */
struct resource *inventory_cancelled(const struct inventory *inventory);

/*
 * Where to ask for bookings to cancel: moves resource->cancel_at to the next unit that is HELD or
 * CONFIRMED, at the end of all to the first one again. False: there is none.
 */
bool inventory_find_owners(struct resource *resource);

/* Adds a booking to the owners, and moves cancel_at of their resource to `end` of its pool. */
void inventory_add_owner(struct inventory *inventory, struct booking *booking);
void inventory_pass_owners(struct resource *resource, int32_t end);
void inventory_forget_owners(struct inventory *inventory);

/* Evicts what is cold, committed and above the limits, and forgets the loaded first answers. */
void inventory_trim(struct inventory *inventory);

#endif
