/* Plans the items of seats that are named: each is free, or it is said why not. PURE. */
#ifndef USHER_WORKER_RULES_PLAN_SEATS_H
#define USHER_WORKER_RULES_PLAN_SEATS_H

#include "worker/rules/plan.h"

/*
 * Takes the seats of the item at that index, or adds a shortfall; with `partial` those that are
 * free.
 */
void plan_seats(struct plan *plan, const struct usher_item *item, uint32_t index);

#endif
