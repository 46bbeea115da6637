/*
 * The inside of an inventory, for the files of this folder only. PURE.
 */
#ifndef USHER_WORKER_INVENTORY_INVENTORY_STATE_H
#define USHER_WORKER_INVENTORY_INVENTORY_STATE_H

#include "usher/memory.h"
#include "usher/status.h"
#include "worker/base/list.h"
#include "worker/base/slab.h"
#include "worker/base/table.h"
#include "worker/inventory/due.h"
#include "worker/inventory/inventory_limits.h"
#include "worker/inventory/resource.h"

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

    uint64_t needs; /* grows with each prefetch: what was used since the last is not evicted */

    /* Since the last seal. */
    struct unsealed unsealed;
    struct list touched_resources, touched_bookings; /* in the order of their first change */
    struct known_id **loaded_firsts;                 /* those with `first` set */
    uint32_t loaded_first_count, loaded_first_limit;

    int64_t *evicted; /* resources */
    uint32_t evicted_count, evicted_limit;
    bool evicted_told;          /* the list was given out: the next one begins anew */
    struct usher_arena scratch; /* for the time of one call */
    struct usher_error fault;   /* what was found wrong, the first of it */
};

#endif
