/*
 * All bookings of a resource cancelled, batch by batch. PURE.
 */
#ifndef USHER_WORKER_RULES_CANCELLING_H
#define USHER_WORKER_RULES_CANCELLING_H

#include "worker/rules/decision.h"

/*
 * Continues to cancel all bookings of a resource, at most `max`. Returns how many were cancelled.
 */
uint32_t cancelling_continue(struct inventory *inventory, const struct rules *rules,
                             struct resource *resource, uint32_t max, struct batch *batch);

#endif
