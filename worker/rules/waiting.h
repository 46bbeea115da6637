/*
 * The waiting list: who joins it, and who is served when units return. PURE.
 */
#ifndef USHER_WORKER_RULES_WAITING_H
#define USHER_WORKER_RULES_WAITING_H

#include "worker/rules/decision.h"

/* Puts the request on the waiting list; it was short of units. */
void waiting_join(struct decision *decision);

/* Serves the list, at most `max` parties. Returns how many; row.unserved is whether more may fit.
 */
uint32_t waiting_serve(struct inventory *inventory, const struct rules *rules,
                       struct resource *resource, uint32_t max, struct batch *batch);

#endif
