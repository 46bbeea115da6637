/*
 * What an inventory is made of: for inventory*.c, batch.c and needs.c only. PURE.
 */
#ifndef USHER_WORKER_INVENTORY_STATE_H
#define USHER_WORKER_INVENTORY_STATE_H

#include "inventory_change.h"
#include "inventory_due.h"
#include "inventory_slab.h"

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
    struct list bookings; /* by last use */
    struct due due;       /* the held ones */

    /*
     * Held bookings up to here, in the order of expiry, are all in memory; later ones may be, and
     * may be only in the database.
     */
    struct due_key horizon;

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

/* Puts a booking with its state into memory, with `content`, as the database has it. */
struct booking *inventory_keep_booking(struct inventory *inventory, const struct booking_row *row,
                                       struct content *content);

/* Evicts what is cold, committed and above the limits, and forgets the loaded first answers. */
void inventory_trim(struct inventory *inventory);

#endif
