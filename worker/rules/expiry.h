/*
 * Bookings that end at a time: holds expire, parties leave the waiting list, blocks return. PURE.
 */
#ifndef USHER_WORKER_RULES_EXPIRY_H
#define USHER_WORKER_RULES_EXPIRY_H

#include <stdint.h>

#include "worker/inventory/inventory.h"
#include "worker/model/batch.h"
#include "worker/rules/rules.h"

/*
 * Expires holds with expires_at <= until_ms in the order of (expires_at, booking), at most `max`,
 * each an unrequested decision; blocks return and waiting parties leave in the same way. Returns
 * how many. It stops before a hold whose resource is not in memory: see prefetch_collect_more;
 * inventory_due says whether more remain.
 */
uint32_t expiry_run(struct inventory *inventory, const struct rules *rules, int64_t until_ms,
                    uint32_t max, struct batch *batch);

#endif
