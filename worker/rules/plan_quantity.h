/*
 * Items that leave the choice of units to usher. PURE.
 */
#ifndef USHER_WORKER_RULES_PLAN_QUANTITY_H
#define USHER_WORKER_RULES_PLAN_QUANTITY_H

#include "worker/rules/plan.h"

/* Takes the units of an item, or adds a shortfall. */
void plan_quantity(struct plan *plan, const struct usher_item *item, uint32_t index);

#endif
