/*
 * Load requests of a partition's memory to the record, and their results. PURE: below the ports, so
 * that the inventory can be filled without knowing them.
 *
 * A load is bounded in rows and bytes, whatever is asked for: each list of a request is in the
 * order in which things are needed, and is served from its beginning as far as the bounds allow, at
 * least its first member. The result says how far (`…_served`); the rest is to be requested again.
 * A row that was served and is missing does not exist. Where the first member alone is larger than
 * the bounds, the rest of it is read page by page, each a call of its own: see load_has_more.
 */
#ifndef USHER_WORKER_MODEL_LOADS_H
#define USHER_WORKER_MODEL_LOADS_H

#include <stdbool.h>
#include <stdint.h>

#include "usher/message.h"
#include "worker/model/rows.h"

/* A request id or a booking within a resource. */
struct load_key {
    const char *resource;
    uint8_t id_hash[USHER_HASH_SIZE];
};

/* All bookings of a cart, whatever their state. */
struct load_cart {
    const char *resource, *customer, *cart;
};

/* The bookings of a resource that customers have, in the order of the hashes of their ids. */
struct load_owners {
    int64_t resource_no;            /* 0: nothing is requested */
    uint8_t after[USHER_HASH_SIZE]; /* only those behind this one */
    uint32_t limit;                 /* request ids looked at */
};

struct load_request {
    const char *const *resources; /* ids of those that memory lacks */
    uint32_t resource_count;
    const int64_t *resource_nos; /* the same, known by number; not in a request with ids */
    uint32_t resource_no_count;
    const struct load_key *ids; /* request ids that may have been answered before */
    uint32_t id_count;
    const struct load_key *bookings; /* bookings named, by the id of the request that made them */
    uint32_t booking_count;
    const struct load_cart *carts;
    uint32_t cart_count;
    const char *const *charts; /* names of layouts */
    uint32_t chart_count;
    const int64_t *tally_nos; /* resources of which every customer's units are to be counted */
    uint32_t tally_count;
    struct load_owners owners;
    uint32_t unfinished_limit;   /* numbers of resources with work that outlasts a batch: so many */
    int64_t unfinished_after_no; /* of those with a higher number */
    bool due; /* holds, blocks and waiting parties that memory lacks and that come due */
    int64_t due_after_ms; /* only those that expire later than this … */
    int64_t due_after_no; /* … or then, with a higher number */
    int64_t due_until_ms; /* and not after this */
    uint32_t due_limit;   /* so many at most, in the order of (expires_at, booking) */
    uint32_t halvings;    /* of the bounds, after loads that took too long */
};

/*
 * Units of a booking in one pool, for the limits of its customer. Several rows of the same pool add
 * up.
 */
struct load_tally {
    int64_t resource_no;
    const char *customer;
    int64_t booking;
    bool held;
    uint32_t pool; /* index */
    uint32_t units;
    const char *request_id; /* of what is held */
    const int32_t *numbers; /* of units that are held, where they have some; NULL */
};

/* Where a load stopped within a first member that exceeds its bounds: the next page starts here. */
struct load_cursor {
    bool units, pools, waiting, claims; /* of the first resource: lists still to be read */
    uint32_t unit_pool;                 /* units are read from this pool on … */
    int32_t unit_from;                  /* … and from this unit of it */
    int64_t claims_after;
    bool tallies; /* of the first one whose customers are counted */
    uint8_t tallies_after[USHER_HASH_SIZE];
    uint32_t unit_room, pool_room, waiting_room, tally_room; /* of the arrays that grow */
};

struct load_result {
    struct load_cursor cursor;
    struct loaded_resource *resources; /* in the order of the request */
    uint32_t resource_count;
    uint32_t resources_served;   /* of `resources` or `resource_nos` */
    struct decision_row *firsts; /* the first answers, with their bodies */
    uint32_t first_count, ids_served;
    struct booking_row *bookings; /* named ones */
    uint32_t booking_count, bookings_served;
    struct booking_row *due;
    uint32_t due_count;
    bool due_remain; /* there may be more behind the last one */
    struct booking_row *of_carts;
    uint32_t of_cart_count, carts_served;
    struct chart_row *charts;
    uint32_t chart_count, charts_served;
    struct load_tally *tallies; /* by resource, customer, booking */
    uint32_t tally_count, tallies_served;
    int64_t *unfinished; /* by number; fewer than the limit are the last */
    uint32_t unfinished_count;
    struct booking_row *owners;
    uint32_t owner_count;
    bool owners_remain;                  /* there may be more … */
    uint8_t owners_end[USHER_HASH_SIZE]; /* … behind this one */
};

/* Whether the first member has more pages: the result may not be used before they are read. */
static inline bool load_has_more(const struct load_result *result)
{
    const struct load_cursor *cursor = &result->cursor;
    return cursor->units || cursor->pools || cursor->waiting || cursor->claims || cursor->tallies;
}

#endif
