/*
 * Eviction from memory. PURE.
 */
#ifndef USHER_WORKER_INVENTORY_TRIM_H
#define USHER_WORKER_INVENTORY_TRIM_H

#include <stdint.h>

struct inventory;

/* Evicts what is cold, committed and above the limits, and forgets the loaded first answers. */
void inventory_trim(struct inventory *inventory);

/*
 * Returns the numbers of the resources that the last inventory_seal evicted; valid until the next
 * one. The display forgets them.
 */
const int64_t *inventory_evicted(const struct inventory *inventory, uint32_t *count);

#endif
