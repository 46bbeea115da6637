/*
 * The end of a batch: its net effect, from the changes of the inventory, and eviction of cold rows.
 * PURE.
 */
#ifndef USHER_WORKER_INVENTORY_SEAL_H
#define USHER_WORKER_INVENTORY_SEAL_H

#include <stdint.h>

#include "worker/inventory/inventory.h"
#include "worker/inventory/inventory_state.h"
#include "worker/model/batch.h"
#include "worker/model/loads.h"

struct inventory;

/*
 * Closes the batch: turns what `inventory` was made to do since the last seal into the net effect,
 * and marks it as stored there. A unit taken and given back within the batch leaves no trace.
 */
void inventory_seal(struct inventory *inventory, struct batch *batch);

/*
 * ==== Eviction ====
 *
 * Eviction from memory.
 */

/*
 * Evicts cold, committed rows above the limits, and drops the loaded first answers. Done by
 * inventory_seal; else only where nothing was loaded or changed since.
 */
void inventory_trim(struct inventory *inventory);

/* Sets how much is kept from the next eviction on. */
void inventory_limit(struct inventory *inventory, const struct inventory_limits *limits);

/*
 * Returns memory that evictions left free to the allocator; otherwise only this inventory could
 * reuse it.
 */
void inventory_return_memory(struct inventory *inventory);

/*
 * Evicts cold rows until the loaded resources have room, before inventory_load. Resources that find
 * none are left out of the result, for another load, except the first. Rows used since the last
 * inventory_pin_begin stay.
 */
void inventory_make_room(struct inventory *inventory, struct load_result *result);

/*
 * Returns a resource that was evicted, as it was when it went: readers may yet have to be shown
 * that. The caller's, who destroys it; NULL: there is no other. All of them are to be taken before
 * one is loaded again.
 */
struct resource *inventory_take_evicted(struct inventory *inventory);

#endif
