/*
 * Items that are stays: rooms for every night. PURE.
 */
#ifndef USHER_WORKER_RULES_PLAN_NIGHTS_H
#define USHER_WORKER_RULES_PLAN_NIGHTS_H

#include "worker/rules/plan.h"

/* Takes the units of an item, or adds a shortfall. */
void plan_nights(struct plan *plan, const struct usher_item *item, uint32_t index);

#endif
