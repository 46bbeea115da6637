/*
 * The memory of one partition: resources with their units, bookings, request ids, and which hold
 * expires next. A cache of the database that is allowed to run ahead of it by the batches in
 * flight. PURE: no booking rules, no clock, no I/O.
 *
 * One inventory lives as long as one ownership of the partition at most, and is thrown away after
 * any commit that failed or whose fate is unknown: there is no undo.
 *
 * One batch goes like this:
 *     prefetch_collect       → record load → inventory_make_room → inventory_load: what memory
 *                              lacks, as far as a load goes                          (prefetch.h)
 *     prefetch_collect_more  → record load → inventory_load: what comes due, and customers' units
 *     expiry_run, decide, background_run   change it                     (waiting.h, decide.h)
 *     inventory_seal         takes the net effect; evicts what is cold               (seal.h)
 *     inventory_committed    when the batch is known to be committed
 *
 * What a batch changed stays in memory until that batch is known to be committed: a read beside an
 * in-flight commit would see the past, and sell a unit twice. Nothing is evicted but by
 * inventory_seal, between batches by inventory_trim, and by inventory_make_room what was not used
 * since the last prefetch_collect: so what was in memory or loaded there is still there when its
 * records are decided.
 */
#ifndef USHER_WORKER_INVENTORY_INVENTORY_H
#define USHER_WORKER_INVENTORY_INVENTORY_H

#include "usher/status.h"
#include "worker/inventory/inventory_state.h"
#include "worker/inventory/resource.h"

struct inventory;

/*
 * Returns an empty inventory, owned. `last_pool` is the highest n of a pool number used so far
 * (position.last_pool). It has no holds yet: the first prefetch_collect asks for those that are
 * due.
 */
struct inventory *inventory_create(int32_t partition, const struct inventory_limits *limits,
                                   int64_t last_pool);

/* NULL is legal. */
void inventory_destroy(struct inventory *inventory);

/* Pins everything that is used from now on: none of it is evicted to make room for the rest. */
void inventory_pin_begin(struct inventory *inventory);

/* Returns the next number for a new pool of this partition. */
int64_t inventory_pool_number(struct inventory *inventory);

/* Empties it: as it was made, but for the numbers of pools, none of which comes twice. */
void inventory_empty(struct inventory **inventory);

/* Takes a new resource, none of whose request ids was ever answered. */
void inventory_add_resource(struct inventory *inventory, struct resource *resource);

/* Takes a settled clone in the place of `old`, which is destroyed. */
void inventory_replace_resource(struct inventory *inventory, struct resource *old,
                                struct resource *clone);

/* Notes that batches up to `number` are committed: rows that they changed may be evicted. */
void inventory_committed(struct inventory *inventory, uint64_t number);

/* Whether all that changed a resource in memory is known to be committed. */
bool inventory_is_settled(const struct inventory *inventory, const struct resource *resource);

/* HALT: the memory is inconsistent; decisions since then must not be committed. */
USHER_MUST_CHECK enum usher_status inventory_fault(const struct inventory *inventory,
                                                   struct usher_error *err);

/* How much is in memory, for metrics and tests. */
struct inventory_size {
    uint32_t bookings, resources, ids, due;
    uint64_t units, pools;
    struct unit_sums sums; /* as of the last seal; of counted pools, too */
};
struct inventory_size inventory_size(const struct inventory *inventory);

/* An upper bound of the rows that the next seal would write; it grows with each decision. */
struct unsealed inventory_unsealed(const struct inventory *inventory);

#endif
