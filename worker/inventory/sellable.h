/*
 * How many units can be sold where quotas leave fewer than are free: of each pool by itself, and of
 * all pools together. PURE: it counts, it does not refuse.
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

#include <stdint.h>

#include "usher/memory.h"
#include "worker/inventory/resource.h"

/* Sets all of the quotas but `at` and `count`, in the arena. */
void quotas_arrange(struct quotas *quotas, struct usher_arena *arena);

/* Makes that of a resource for its quotas, in its arena; it is not up to date. */
void sellable_init(struct resource *resource);

/* Units of a pool were taken, sold or given back; for the function below. */
void sellable_note_changed(struct sellable *sellable, uint32_t pool);

/* The same; costs nothing where there are no quotas. */
static inline void sellable_note(struct sellable *sellable, uint32_t pool)
{
    if (sellable->quotas)
        sellable_note_changed(sellable, pool);
}

/* Brings it up to date; notes pools of which more or fewer can be sold than before. */
void sellable_refresh(struct resource *resource);

/* Returns how many of the free units of a pool can be sold. It must be up to date. */
static inline uint32_t sellable_alone(const struct sellable *sellable, uint32_t pool, uint32_t free)
{
    return sellable->quotas && sellable->alone[pool] < free ? sellable->alone[pool] : free;
}

#endif
