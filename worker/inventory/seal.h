/*
 * The net effect of a batch, from what the inventory was made to do. PURE.
 */
#ifndef USHER_WORKER_INVENTORY_SEAL_H
#define USHER_WORKER_INVENTORY_SEAL_H

#include "worker/inventory/inventory.h"
#include "worker/model/batch.h"

/*
 * Closes the batch: turns what `inventory` was made to do since the last seal into the net effect,
 * and marks it as stored there. A unit taken and given back within the batch leaves no trace.
 */
void inventory_seal(struct inventory *inventory, struct batch *batch);

#endif
