/* The items of a request, planned one after another: named seats, quantities, stays. PURE. */
#ifndef USHER_WORKER_RULES_PLAN_ITEMS_H
#define USHER_WORKER_RULES_PLAN_ITEMS_H

#include "usher/message.h"
#include "worker/rules/decision.h"
#include "worker/rules/plan.h"

/*
 * Takes the units of each item. An item that falls short gets none, or with `partial` as many as
 * there are, and adds a shortfall.
 */
void plan_items(struct plan *plan, const struct usher_item *items, uint32_t count);

/* Sets the units of the plan in the answer, and of what was chosen whether it is in one piece. */
void plan_answer(struct decision *decision, const struct plan *plan);

/* Refuses for the shortfalls of a plan, none of which is given a part. */
void plan_refuse(struct decision *decision, const struct plan *plan);

#endif
