/*
 * exchange: a booking's content replaced in one step. Its units go back first, so that it works
 * where nothing else is free; what it keeps stays at the price it had. Refused, all is as it was.
 * PURE.
 */
#include <stdlib.h>

#include "decide_parts.h"
#include "decide_plan.h"

/* ---- what goes back ---- */

struct place {
    uint32_t pool;
    int32_t unit;
};

static int compare_places(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    return a->pool != b->pool ? (a->pool > b->pool) - (a->pool < b->pool)
                              : (a->unit > b->unit) - (a->unit < b->unit);
}

/* The units of the plan, sorted. */
static struct place *places_of(const struct plan *plan)
{
    struct place *places = usher_arena_alloc(plan->arena, plan->unit_count * sizeof(*places));
    uint32_t count = 0;
    for (uint32_t i = 0; i < plan->line_count; i++)
        for (uint32_t j = 0; j < plan->lines[i].unit_count; j++)
            places[count++] = (struct place){plan->lines[i].pool, plan->lines[i].units[j]};
    qsort(places, count, sizeof(*places), compare_places);
    return places;
}

/* The lines of the old content without the units that are in the new one. */
static struct line *returned_lines(const struct plan *plan, const struct content *old,
                                   uint32_t *count)
{
    const struct place *kept = places_of(plan);
    struct line *lines = usher_arena_alloc(plan->arena, old->line_count * sizeof(*lines));
    *count = 0;
    for (uint32_t i = 0; i < old->line_count; i++) {
        struct line line = old->lines[i];
        int32_t *units = usher_arena_alloc(plan->arena, line.unit_count * sizeof(*units));
        uint32_t gone = 0;
        for (uint32_t j = 0; j < line.unit_count; j++) {
            const struct place place = {line.pool, line.units[j]};
            if (!bsearch(&place, kept, plan->unit_count, sizeof(place), compare_places))
                units[gone++] = line.units[j];
        }
        line.units = units;
        line.unit_count = gone;
        line.rate = show_text(line.rate, plan->arena);
        if (gone > 0)
            lines[(*count)++] = line;
    }
    return lines;
}

/* ---- the answer ---- */

static void show(struct decision *decision, const struct booking *booking, const struct plan *plan)
{
    struct usher_answer *answer = &decision->answer;
    uint32_t count;
    const struct line *returned = returned_lines(plan, booking->content, &count);
    show_booking(decision, booking);
    answer->payment = show_text(booking->payment, decision_arena(decision));
    answer->total = lines_total(plan->lines, plan->line_count);
    answer->difference = answer->total - booking->total;
    answer->expires_ms = booking->expires_ms;
    answer->together = plan->together;
    show_lines(decision, plan->lines, plan->line_count);
    answer->returned = show_units(decision->resource, returned, count, decision_arena(decision));
    answer->returned_count = count;
}

static void refuse_short(struct decision *decision, const struct plan *plan)
{
    decision_refuse(decision, plan_reason(plan), NULL);
    decision->answer.items = plan->shortfalls;
    decision->answer.items_count = plan->shortfall_count;
}

/* ---- the step ---- */

static bool plan_anew(struct decision *decision, const struct booking *booking, struct plan *plan)
{
    const struct usher_request *request = decision->request;
    plan_init(plan, decision->resource, booking->state, units_asked(request),
              decision_arena(decision));
    plan->seed = (uint64_t)decision->row->seq;
    plan_own(plan, booking->content);
    plan_items(plan, request->items, request->item_count);
    if (plan->shortfall_count > 0) {
        refuse_short(decision, plan);
        return false;
    }
    show(decision, booking, plan);
    decision_succeed(decision, USHER_EXCHANGED);
    return decision_fits(decision);
}

void exchange_booking(struct decision *decision, struct booking *booking)
{
    const struct content *old = booking->content;
    struct plan plan;
    if (!limits_allow(decision, booking->customer, booking))
        return;
    give_lines(decision->resource, old->lines, old->line_count);
    if (!plan_anew(decision, booking, &plan)) {
        plan_undo(&plan);
        take_lines(decision->resource, old->lines, old->line_count, booking->state);
        return;
    }
    struct booking_change change = booking_change_of(booking, booking->state);
    change.content = content_create(plan.lines, plan.line_count);
    change.total = lines_total(plan.lines, plan.line_count);
    inventory_change_booking(decision->inventory, decision->resource, booking, &change);
    decision_name(decision, booking);
}
