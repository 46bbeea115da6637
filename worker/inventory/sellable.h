/*
 * How many units can be sold where quotas leave fewer than are free: of each pool by itself, and of
 * all pools together. PURE: it counts, it does not refuse. It knows neither resources nor pictures:
 * both keep one.
 *
 * A quota limits what its pools sell together; one with room types limits each night by itself, and
 * what has no night counts on all of them. The most that all pools can sell together is found by
 * filling one after the other with as many units as the limits still leave it: rooms before what
 * has no night, pools in few quotas before those in many, then in the order of definition. Where
 * quotas are nested or have no pool in common, no other choice would sell more. Where they overlap,
 * another one might, since finding the best of all has no fast way; but never is it more than can
 * be sold, and 0 only if nothing can.
 */
#ifndef USHER_WORKER_INVENTORY_SELLABLE_H
#define USHER_WORKER_INVENTORY_SELLABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "usher/memory.h"
#include "usher/message.h"
#include "worker/base/table.h"

/*
 * ==== Quotas ====
 *
 * The names that pools are sold under, groups of them, and the quotas over these.
 */

/* A name on sale: one pool, or of a room type one pool for each night. */
struct pool_name {
    struct table_node by_text;
    const char *text;
    enum usher_kind kind; /* SECTION, with rows or without; ROOM; PRODUCT */
    uint32_t pool;        /* index; of ROOM the first that was defined */
    int32_t first_night;  /* of ROOM: pool index + 1 of first_night + i, 0: none */
    uint32_t night_count;
    uint32_t *nights;
    int32_t lowest, highest; /* the first and last one that has a pool */
};

/* Names of pools: sections, room types (all of their nights), products. */
struct pool_group {
    const char *name; /* of a quota; NULL */
    struct pool_name **pools;
    uint32_t pool_count;
    int64_t limit;
};

/* A name of pools that is in a quota. */
struct quota_member {
    struct pool_name *name;
    uint32_t *quotas; /* indexes of those that it is in */
    uint32_t quota_count;
};

/* What all customers together may have of groups of pools; of room types per night. */
struct quotas {
    struct pool_group *at;
    uint32_t count;
    struct quota_member *members; /* room types, then the others, each in the order of filling */
    uint32_t member_count, room_count;
    int32_t *nights; /* that some of these room types has, in order */
    uint32_t night_count;
    bool mixed; /* some quota has room types and others */
};

/* Sets all but `at` and `count`, in the arena. */
void quotas_arrange(struct quotas *quotas, struct usher_arena *arena);

/* ==== Sellable units ==== */

/* Units of a pool, as its owner counts them. */
struct sellable_units {
    uint32_t free;
    int64_t used;  /* held or sold, which is what quotas limit */
    int32_t night; /* NIGHT_NONE: it has none */
};

/* Whose pools they are. */
struct sellable_source {
    void *owner;
    struct sellable_units (*units)(const void *owner, uint32_t pool);
    void (*changed)(void *owner, uint32_t pool); /* another `alone` than before; NULL */
};

/* Zero-initialise to make one without quotas. */
struct sellable {
    const struct quotas *quotas; /* NULL: none, and nothing else is set */
    uint32_t *alone;             /* by pool: what can be sold of it; UINT32_MAX: no quota has it */
    uint32_t *kept_back;         /* by pool: free units that are not sold if all sell the most */
    int64_t kept_back_total;
    int64_t *base;         /* by quota: its limit, without what is used of pools without nights */
    int64_t *least, *rest; /* by quota: what its fullest night leaves; once rooms are filled */
    int64_t *left;         /* by quota, of the night that is being filled */
    uint32_t *changed;     /* pools */
    bool *noted;           /* by pool: it is among these */
    uint32_t changed_count;
    bool stale; /* all of it, whatever changed */
};

/* Returns how much memory one needs; 0: there are no quotas. */
size_t sellable_size(const struct quotas *quotas, uint32_t pool_count);

/* Makes one that is not up to date, in `memory` of that size. Both must outlive it. */
void sellable_init(struct sellable *sellable, const struct quotas *quotas, uint32_t pool_count,
                   void *memory);

/* Units of a pool were taken, sold or given back; for the function below. */
void sellable_note_changed(struct sellable *sellable, uint32_t pool);

/* The same; costs nothing where there are no quotas. */
static inline void sellable_note(struct sellable *sellable, uint32_t pool)
{
    if (sellable->quotas)
        sellable_note_changed(sellable, pool);
}

/* Brings it up to date with what its owner has. */
void sellable_refresh(struct sellable *sellable, const struct sellable_source *source);

/* Returns how many of the free units of a pool can be sold. It must be up to date. */
static inline uint32_t sellable_alone(const struct sellable *sellable, uint32_t pool, uint32_t free)
{
    return sellable->quotas && sellable->alone[pool] < free ? sellable->alone[pool] : free;
}

#endif
