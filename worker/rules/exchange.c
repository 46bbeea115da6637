/*
 * Replaces the content of a booking. Its units are given back first, so that they may be chosen
 * again; those that it keeps stay at their old price. After a refusal all is as it was. PURE.
 */
#include "worker/rules/exchange.h"

#include "worker/inventory/bookings.h"
#include "worker/rules/answer_units.h"
#include "worker/rules/limits.h"
#include "worker/rules/plan_items.h"
#include "worker/rules/sale.h"
#include "worker/rules/unit_lines.h"

static void set_answer(struct decision *decision, const struct booking *booking,
                       const struct plan *plan)
{
    struct usher_answer *answer = &decision->answer;
    uint32_t count;
    const struct line *returned = plan_rest(plan, booking->content, &count);
    answer_set_booking(decision, booking);
    answer->payment = decision_text(decision, booking->payment);
    answer->total = unit_lines_total(plan->lines, plan->line_count);
    answer->difference = answer->total - booking->total;
    answer->expires_ms = booking->expires_ms;
    answer->together = plan->together;
    answer_set_lines(decision, plan->lines, plan->line_count);
    answer->returned = answer_units(decision->resource, returned, count, decision_arena(decision));
    answer->returned_count = count;
}

/* Plans the new content. False: refused, and the plan is to be undone. */
static bool plan_content(struct decision *decision, const struct booking *booking,
                         struct plan *plan)
{
    const struct usher_request *request = decision->request;
    plan_init(plan, decision->resource, booking->state, limits_units_requested(request),
              decision_arena(decision));
    plan->seed = (uint64_t)decision->row->seq;
    plan_own(plan, booking->content);
    plan_items(plan, request->items, request->item_count);
    if (plan->shortfall_count > 0) {
        plan_refuse(decision, plan);
        return false;
    }
    set_answer(decision, booking, plan);
    decision_succeed(decision, USHER_EXCHANGED);
    return decision_fits(decision);
}

void exchange_decide(struct decision *decision, struct booking *booking)
{
    const struct content *old = booking->content;
    struct plan plan;
    if (sale_refuse_exchange(decision, booking) ||
        limits_refuse_request(decision, booking->customer, booking))
        return;
    unit_lines_give(decision->resource, old->lines, old->line_count, booking->state);
    if (!plan_content(decision, booking, &plan)) {
        plan_undo(&plan);
        unit_lines_take(decision->resource, old->lines, old->line_count, booking->state);
        return;
    }
    /* From here on nothing can fail. */
    struct booking_change change = booking_change_of(booking, booking->state);
    change.content = content_create(plan.lines, plan.line_count);
    change.total = unit_lines_total(plan.lines, plan.line_count);
    inventory_change_booking(decision->inventory, decision->resource, booking, &change);
    decision_name(decision, booking);
}
