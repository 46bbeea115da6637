/*
 * The items of a request, planned one after another: named seats, quantities, stays; and
 * suggestions for unknown names. PURE.
 */
#ifndef USHER_WORKER_RULES_PLAN_ITEMS_H
#define USHER_WORKER_RULES_PLAN_ITEMS_H

#include "usher/message.h"
#include "worker/inventory/resource.h"
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

/*
 * ==== Suggestions ====
 *
 * A name that an item has wrong, and the names that there are in its place.
 */

/* Whether anything is on sale under a name: a section, a product, or some night of a room type. */
bool known_is_on_sale(const struct resource *resource, const struct pool_name *name);

/* Sets an unknown name of a section, room type or product, beside those of its kind on sale. */
void known_set_pools(struct usher_shortfall *shortfall, const struct resource *resource,
                     enum usher_kind kind, const char *unknown, struct usher_arena *arena);

#endif
