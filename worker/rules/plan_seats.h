/*
 * Items that name their seats. PURE.
 */
#ifndef USHER_WORKER_RULES_PLAN_SEATS_H
#define USHER_WORKER_RULES_PLAN_SEATS_H

#include "worker/rules/plan.h"

/* Takes the units of an item, or adds a shortfall. */
void plan_seats(struct plan *plan, const struct usher_item *item, uint32_t index);

#endif
