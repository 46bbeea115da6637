/*
 * The booking rules: a record, the state and the current time → one decision. PURE: no clock, no
 * I/O.
 *
 * Checks are made in one fixed order, that of enum usher_reason, and the first that fails is the
 * answer; nothing is changed before the last of them has passed.
 */
#ifndef USHER_WORKER_RULES_DECIDE_H
#define USHER_WORKER_RULES_DECIDE_H

#include <stdint.h>

#include "worker/inventory/booking.h"
#include "worker/inventory/inventory.h"
#include "worker/model/batch.h"
#include "worker/rules/decision.h"
#include "worker/rules/input.h"

/* Batches that were decided before the open one and are not yet reset, in any order. */
struct batches_in_flight {
    const struct batch *const *at;
    uint32_t count;
};

/*
 * Decides one record: appends exactly one decision to `batch`, complete with its body, a dead
 * letter where it is invalid, and changes the inventory. `batch->now_ms` is when it is decided;
 * what is sold then is judged by the time of the append (input.h).
 *
 * Before: what prefetch_collect requested was loaded since the last inventory_seal; no hold is due
 * at the log's time (inventory_due); a batch that was in flight at prefetch_collect is in
 * `in_flight`, also if it was committed since. `batch` has room for one more decision.
 */
void decide(struct inventory *inventory, const struct rules *rules, const struct input *input,
            const struct batches_in_flight *in_flight, struct batch *batch);

#endif
