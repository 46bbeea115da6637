/*
 * Sells what is held: all of a booking, a part of it, or all bookings of a cart; after expiry,
 * where the units are still free. Units are taken and the answer is made before any booking
 * changes, so that a refusal leaves everything as it was. PURE.
 */
#include "worker/rules/confirm.h"

#include "worker/inventory/bookings.h"
#include "worker/inventory/resource_units.h"
#include "worker/rules/answer_units.h"
#include "worker/rules/limits.h"
#include "worker/rules/pick.h"
#include "worker/rules/plan_again.h"
#include "worker/rules/sale.h"
#include "worker/rules/unit_lines.h"

/* What is to be done to one booking. */
struct confirmation {
    struct booking *booking;
    const struct line *lines; /* are sold */
    uint32_t line_count;
    const struct line *rest; /* are given back */
    uint32_t rest_count;
    bool part; /* the content changes */
    struct plan plan;
};

/* ---- what is sold ---- */

/* Picks the requested items out of the booking. False: refused. */
static bool pick(struct decision *decision, struct confirmation *confirmation)
{
    const struct usher_request *request = decision->request;
    struct pick pick = {.resource = decision->resource, .arena = decision_arena(decision)};
    pick_items(&pick, confirmation->booking->content, request->items, request->item_count);
    if (pick.shortfall_count > 0) {
        decision_refuse_items(decision, USHER_NOT_IN_BOOKING, pick.shortfalls,
                              pick.shortfall_count);
        return false;
    }
    confirmation->lines = pick.lines;
    confirmation->line_count = pick.line_count;
    confirmation->rest = pick.rest;
    confirmation->rest_count = pick.rest_count;
    confirmation->part = true;
    return true;
}

/* Takes the units of an expired booking again. False: refused, and nothing is taken. */
static bool take_again(struct decision *decision, struct confirmation *confirmation)
{
    struct plan *plan = &confirmation->plan;
    if (sale_refuse_again(decision, confirmation->lines, confirmation->line_count))
        return false;
    plan_init(plan, decision->resource, BOOKING_CONFIRMED,
              confirmation->booking->content->number_count, decision_arena(decision));
    plan_again(plan, confirmation->lines, confirmation->line_count);
    if (plan->shortfall_count > 0) {
        plan_undo(plan);
        decision_refuse_items(decision, USHER_HOLD_EXPIRED, plan->shortfalls,
                              plan->shortfall_count);
        return false;
    }
    confirmation->lines = plan->lines;
    confirmation->line_count = plan->line_count;
    confirmation->rest_count = 0; /* expired units were given back already */
    confirmation->part = true;
    return true;
}

static void give_back(struct confirmation *confirmations, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (confirmations[i].booking->state == BOOKING_EXPIRED)
            plan_undo(&confirmations[i].plan);
}

/* Prepares what is sold of each booking. NULL: refused, and nothing is taken. */
static struct confirmation *prepare(struct decision *decision, struct booking *const *bookings,
                                    uint32_t count)
{
    struct confirmation *confirmations =
        usher_arena_alloc(decision_arena(decision), count * sizeof *confirmations);
    for (uint32_t i = 0; i < count; i++) {
        struct confirmation *one = &confirmations[i];
        one->booking = bookings[i];
        one->lines = bookings[i]->content->lines;
        one->line_count = bookings[i]->content->line_count;
        bool sold = decision->request->item_count == 0 || pick(decision, one);
        if (sold && bookings[i]->state == BOOKING_EXPIRED)
            sold = take_again(decision, one);
        if (!sold) {
            give_back(confirmations, i);
            return NULL;
        }
    }
    return confirmations;
}

/* All lines that are sold, or given back, in one array. */
struct all_lines {
    struct line *sold, *rest;
    uint32_t sold_count, rest_count;
};

static struct all_lines merge_lines(const struct confirmation *confirmations, uint32_t count,
                                    struct usher_arena *arena)
{
    struct all_lines all = {0};
    for (uint32_t i = 0; i < count; i++) {
        all.sold_count += confirmations[i].line_count;
        all.rest_count += confirmations[i].rest_count;
    }
    all.sold = usher_arena_alloc(arena, all.sold_count * sizeof *all.sold);
    all.rest = usher_arena_alloc(arena, all.rest_count * sizeof *all.rest);
    all.sold_count = all.rest_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < confirmations[i].line_count; j++)
            all.sold[all.sold_count++] = confirmations[i].lines[j];
        for (uint32_t j = 0; j < confirmations[i].rest_count; j++)
            all.rest[all.rest_count++] = confirmations[i].rest[j];
    }
    return all;
}

/*
 * Refuses if the customer may not have the confirmed units of expired bookings beside its own: they
 * count again. Returns whether it was refused.
 */
static bool refuse_late(struct decision *decision, const struct confirmation *confirmations,
                        uint32_t count)
{
    uint32_t limit = 0, line_count = 0;
    for (uint32_t i = 0; i < count; i++)
        limit += confirmations[i].line_count;
    struct line *lines = usher_arena_alloc(decision_arena(decision), limit * sizeof *lines);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < confirmations[i].line_count; j++)
            if (confirmations[i].booking->state == BOOKING_EXPIRED)
                lines[line_count++] = confirmations[i].lines[j];
    const char *customer = confirmations[0].booking->customer;
    return line_count > 0 && limits_refuse_lines(decision, customer, lines, line_count, false);
}

/* ---- the answer ---- */

static void set_answer(struct decision *decision, const struct confirmation *confirmations,
                       uint32_t count)
{
    struct usher_answer *answer = &decision->answer;
    const struct all_lines all = merge_lines(confirmations, count, decision_arena(decision));
    struct answer_units_list units = answer_units_begin(decision, all.sold_count);
    struct answer_units_list returned = answer_units_begin(decision, all.rest_count);
    const struct booking *first = confirmations[0].booking;
    answer_set_booking(decision, first);
    if (!decision->request->booking)
        answer->booking = NULL; /* of a cart: each unit says its booking */
    answer->payment = decision->request->payment ? decision->request->payment
                                                 : decision_text(decision, first->payment);
    answer->total = unit_lines_total(all.sold, all.sold_count);
    answer->overbooked =
        answer_overbooked(decision->resource, all.sold, all.sold_count, all.rest, all.rest_count);
    for (uint32_t i = 0; i < count; i++) {
        const struct confirmation *one = &confirmations[i];
        answer_units_add(decision, one->booking, one->lines, one->line_count, &units);
        answer_units_add(decision, one->booking, one->rest, one->rest_count, &returned);
    }
    answer->units = units.at;
    answer->units_count = units.count;
    answer->returned = returned.at;
    answer->returned_count = returned.count;
}

/* ---- done ---- */

static void apply(struct decision *decision, const struct confirmation *confirmation)
{
    struct booking *booking = confirmation->booking;
    struct booking_change change = booking_change_of(booking, BOOKING_CONFIRMED);
    if (booking->state == BOOKING_HELD) {
        for (uint32_t i = 0; i < confirmation->line_count; i++) {
            const struct line *line = &confirmation->lines[i];
            resource_sell(decision->resource, line->pool, line->units, line->unit_count);
        }
        unit_lines_give(decision->resource, confirmation->rest, confirmation->rest_count,
                        BOOKING_HELD);
    }
    if (confirmation->part) {
        change.content = content_create(confirmation->lines, confirmation->line_count);
        change.total = unit_lines_total(confirmation->lines, confirmation->line_count);
    }
    if (decision->request->payment)
        change.payment = decision->request->payment;
    change.expires_ms = USHER_ABSENT;
    inventory_change_booking(decision->inventory, decision->resource, booking, &change);
}

void confirm_decide_all(struct decision *decision, struct booking *const *bookings, uint32_t count)
{
    struct confirmation *confirmations = prepare(decision, bookings, count);
    if (!confirmations)
        return;
    if (refuse_late(decision, confirmations, count)) {
        give_back(confirmations, count);
        return;
    }
    set_answer(decision, confirmations, count);
    decision_succeed(decision, USHER_CONFIRMED);
    /*
     * The answer about one whole hold fitted when it was held, and now has only a payment more. But
     * a part may split each line in two, units taken again may have longer numbers, and several
     * bookings add up.
     */
    bool may_be_too_large = count > 1 || confirmations[0].part;
    if (may_be_too_large && !decision_fits(decision)) {
        give_back(confirmations, count);
        return;
    }
    /* From here on nothing can fail. */
    for (uint32_t i = 0; i < count; i++)
        apply(decision, &confirmations[i]);
    decision_name_all(decision, bookings, count);
    decision->encoded = false; /* more may be free now */
}

void confirm_decide(struct decision *decision, struct booking *booking)
{
    confirm_decide_all(decision, &booking, 1);
}
