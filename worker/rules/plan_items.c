/*
 * Dispatches the items by their kind. PURE.
 */
#include "worker/rules/plan_items.h"

#include "worker/rules/plan_nights.h"
#include "worker/rules/plan_quantity.h"
#include "worker/rules/plan_seats.h"

void plan_items(struct plan *plan, const struct usher_item *items, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        switch (items[i].kind) {
        case USHER_SEATS:
            plan_seats(plan, &items[i], i);
            break;
        case USHER_ROOM:
            plan_nights(plan, &items[i], i);
            break;
        case USHER_SECTION:
        case USHER_PRODUCT:
            plan_quantity(plan, &items[i], i);
            break;
        }
    }
}

void plan_refuse(struct decision *decision, const struct plan *plan)
{
    for (uint32_t i = 0; i < plan->shortfall_count; i++)
        plan->shortfalls[i].given = 0;
    decision_refuse_items(decision, plan_reason(plan), plan->shortfalls, plan->shortfall_count);
    enum usher_reason reason = decision->answer.reason;
    if (plan->hopeless && !plan->partial &&
        (reason == USHER_NOT_ENOUGH || reason == USHER_NOT_TOGETHER))
        decision->answer.retryable = false;
}
