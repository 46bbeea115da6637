/*
 * hold and book: units for a customer, for a time or for good; block: units off sale. All make a
 * booking. PURE.
 */
#include <assert.h>
#include <string.h>

#include "decide_parts.h"
#include "decide_pick.h"
#include "decide_plan.h"

/* What an operation that takes units makes of them. */
struct making {
    enum booking_state state;
    enum usher_outcome outcome;
};

static const struct making makings[USHER_OP_COUNT] = {
    [USHER_OP_HOLD] = {BOOKING_HELD, USHER_HELD},
    [USHER_OP_BOOK] = {BOOKING_CONFIRMED, USHER_CONFIRMED},
    [USHER_OP_BLOCK] = {BOOKING_BLOCKED, USHER_BLOCKED},
};

static int64_t ends_ms(const struct decision *decision, int64_t ttl_s)
{
    const struct usher_request *request = decision->request;
    if (request->op == USHER_OP_HOLD)
        return decision->batch->now_ms + ttl_s * 1000;
    return request->op == USHER_OP_BLOCK ? request->return_at_ms : USHER_ABSENT;
}

static struct booking_row row_of(const struct decision *decision, const struct plan *plan)
{
    const struct usher_request *request = decision->request;
    int64_t ttl_s =
        request->op == USHER_OP_HOLD ? hold_ttl_s(decision, request->ttl_s) : USHER_ABSENT;
    return (struct booking_row){
        .no = row_number(decision->rules->partition, decision->row->seq),
        .resource_no = decision->resource->row.no,
        .request_id = request->request_id,
        .client = request->client,
        .customer = request->op == USHER_OP_BLOCK ? NULL : request->customer,
        .cart = request->op == USHER_OP_BLOCK ? NULL : request->cart,
        .payment = request->op == USHER_OP_BOOK ? request->payment : NULL,
        .note = request->note,
        .meta = request->meta,
        .op = request->op,
        .created_ms = decision->batch->now_ms,
        .expires_ms = ends_ms(decision, ttl_s),
        .ttl_s = ttl_s,
        .total = lines_total(plan->lines, plan->line_count),
    };
}

static void show(struct decision *decision, const struct booking_row *row, const struct plan *plan)
{
    struct usher_answer *answer = &decision->answer;
    answer->booking = row->request_id;
    answer->customer = row->customer;
    answer->cart = row->cart;
    answer->payment = row->payment;
    answer->expires_ms = row->expires_ms;
    answer->total = row->total;
    answer->currency = decision->resource->row.currency;
    answer->together = plan->together;
    answer->items = plan->shortfalls;
    answer->items_count = plan->shortfall_count;
    show_lines(decision, plan->lines, plan->line_count);
}

static void refuse_short(struct decision *decision, const struct plan *plan)
{
    decision_refuse(decision, plan_reason(plan), NULL);
    decision->answer.items = plan->shortfalls;
    decision->answer.items_count = plan->shortfall_count;
}

/* Makes the booking of what was planned. False: it would be too large to answer; taken back. */
static bool make(struct decision *decision, struct plan *plan)
{
    const struct making *making = &makings[decision->request->op];
    const struct booking_row row = row_of(decision, plan);
    show(decision, &row, plan);
    decision_succeed(decision, making->outcome);
    if (!decision_fits(decision))
        return false;
    /* From here on nothing can fail. */
    struct booking *booking = inventory_add_booking(decision->inventory, &row,
                                                    content_create(plan->lines, plan->line_count));
    const struct booking_change change = booking_change_of(booking, making->state);
    inventory_change_booking(decision->inventory, decision->resource, booking, &change);
    decision_name(decision, booking);
    return true;
}

/* ---- out of what is free ---- */

static void plan_begin(struct plan *plan, struct decision *decision)
{
    const struct usher_request *request = decision->request;
    plan_init(plan, decision->resource, makings[request->op].state, units_asked(request),
              decision_arena(decision));
    plan->partial = request->shortage == USHER_SHORTAGE_PARTIAL;
    plan->seed = (uint64_t)decision->row->seq;
}

/* Whether waiting helps: units may come back, but a mistake in the request stays one. */
static bool may_wait(const struct decision *decision, enum usher_reason reason)
{
    const struct usher_request *request = decision->request;
    return request->op == USHER_OP_HOLD && request->wait_until_ms != USHER_ABSENT &&
           request->wait_until_ms > decision->batch->now_ms &&
           (reason == USHER_UNIT_TAKEN || reason == USHER_NOT_ENOUGH ||
            reason == USHER_NOT_TOGETHER);
}

static void take_free(struct decision *decision)
{
    struct plan plan;
    plan_begin(&plan, decision);
    plan_items(&plan, decision->request->items, decision->request->item_count);
    if (plan.line_count > 0 && (plan.partial || plan.shortfall_count == 0)) {
        if (!make(decision, &plan))
            plan_undo(&plan);
        return;
    }
    plan_undo(&plan);
    for (uint32_t i = 0; i < plan.shortfall_count; i++)
        plan.shortfalls[i].given = 0;
    if (may_wait(decision, plan_reason(&plan)))
        waiting_join(decision);
    else
        refuse_short(decision, &plan);
}

/* ---- out of a block ---- */

/* A seat that is not in the block is a mistake; of other units the block just has too few. */
static void name_reasons(const struct pick *pick, const struct usher_request *request)
{
    for (uint32_t i = 0; i < pick->shortfall_count; i++) {
        struct usher_shortfall *shortfall = &pick->shortfalls[i];
        if (request->items[shortfall->item].kind == USHER_SEATS)
            continue;
        if (shortfall->reason == USHER_NOT_IN_BOOKING)
            shortfall->reason = USHER_NOT_ENOUGH;
        if (shortfall->free == USHER_ABSENT)
            shortfall->free = shortfall->given;
    }
}

/* The earliest reason of those that fell short. */
static enum usher_reason reason_of(const struct pick *pick)
{
    enum usher_reason reason = USHER_REASON_COUNT;
    for (uint32_t i = 0; i < pick->shortfall_count; i++)
        if (pick->shortfalls[i].reason < reason)
            reason = pick->shortfalls[i].reason;
    return reason;
}

static void refuse_pick(struct decision *decision, struct pick *pick)
{
    for (uint32_t i = 0; i < pick->shortfall_count; i++)
        pick->shortfalls[i].given = 0;
    decision_refuse(decision, reason_of(pick), NULL);
    decision->answer.items = pick->shortfalls;
    decision->answer.items_count = pick->shortfall_count;
}

/* The rates named are those of today's pools; a block has no prices of its own. */
static bool knows_rates(struct decision *decision, const struct pick *pick)
{
    for (uint32_t i = 0; i < pick->line_count; i++) {
        const struct pool *pool = &decision->resource->pools[pick->lines[i].pool];
        int64_t price;
        const char *rate;
        if (!pool_price(pool, decision->request->items[pick->lines[i].item].rate, &price, &rate)) {
            decision_refuse(decision, USHER_UNKNOWN_RATE, NULL);
            return false;
        }
    }
    return true;
}

/*
 * Lines of the block become lines of a plan, at today's prices; their units were given back. False:
 * a quota is reached, for what is blocked does not count against it.
 */
static bool plan_lines(struct plan *plan, const struct pick *pick,
                       const struct usher_request *request)
{
    for (uint32_t i = 0; i < pick->line_count; i++) {
        struct line line = pick->lines[i];
        const struct pool *pool = &plan->resource->pools[line.pool];
        if (pool_available(plan->resource, pool) < line.unit_count)
            return false;
        bool known = pool_price(pool, request->items[line.item].rate, &line.price, &line.rate);
        assert(known);
        memcpy(plan->units + plan->unit_count, line.units, line.unit_count * sizeof(*line.units));
        plan_take_line(plan, &line);
    }
    return true;
}

/* What is left of the block; one that is empty has nothing to return any more. */
static void shrink_block(struct decision *decision, struct booking *block, const struct pick *pick)
{
    struct booking_change change =
        booking_change_of(block, pick->rest_count > 0 ? BOOKING_BLOCKED : BOOKING_RELEASED);
    change.content = content_create(pick->rest, pick->rest_count);
    inventory_change_booking(decision->inventory, decision->resource, block, &change);
}

static void take_picked(struct decision *decision, struct booking *block, struct pick *pick)
{
    struct plan plan;
    plan_begin(&plan, decision);
    give_lines(decision->resource, pick->lines, pick->line_count);
    bool within = plan_lines(&plan, pick, decision->request);
    plan.shortfalls = pick->shortfalls;
    plan.shortfall_count = pick->shortfall_count;
    if (within && make(decision, &plan)) {
        shrink_block(decision, block, pick);
        return;
    }
    plan_undo(&plan);
    if (!within)
        decision_refuse(decision, USHER_NOT_ENOUGH, "a quota is reached");
    take_lines(decision->resource, pick->lines, pick->line_count, BOOKING_BLOCKED);
}

static void take_from(struct decision *decision, struct booking *block)
{
    const struct usher_request *request = decision->request;
    struct pick pick = {.resource = decision->resource,
                        .arena = decision_arena(decision),
                        .partial = request->shortage == USHER_SHORTAGE_PARTIAL};
    pick_items(&pick, block->content, request->items, request->item_count);
    name_reasons(&pick, request);
    bool short_of = pick.line_count == 0 || (pick.shortfall_count > 0 && !pick.partial);
    bool outside = short_of && reason_of(&pick) == USHER_NOT_IN_BOOKING;
    /* By the order of reasons: what is not in the block, then limits, then the rest. */
    if (!outside && !limits_allow(decision, request->customer, NULL))
        return;
    if (short_of)
        refuse_pick(decision, &pick);
    else if (knows_rates(decision, &pick))
        take_picked(decision, block, &pick);
}

/* ---- the operations ---- */

/* The block to be sold from; NULL: the request is refused. */
static struct booking *find_block(struct decision *decision)
{
    struct booking *block = inventory_booking(decision->inventory, decision->resource->row.no,
                                              decision->request->from_block);
    if (!block)
        decision_refuse(decision, USHER_UNKNOWN_BOOKING, "there is no such block");
    else if (block->state != BOOKING_BLOCKED)
        decision_refuse(decision, USHER_NOT_BLOCKED, NULL);
    return block && block->state == BOOKING_BLOCKED ? block : NULL;
}

void decide_hold(struct decision *decision)
{
    const struct usher_request *request = decision->request;
    if (!is_selling(&decision->resource->row, decision->batch->now_ms)) {
        decision_refuse(decision, USHER_NOT_ON_SALE, NULL);
        return;
    }
    struct booking *block = request->from_block ? find_block(decision) : NULL;
    if (request->from_block && !block)
        return;
    if (block)
        take_from(decision, block);
    else if (limits_allow(decision, request->customer, NULL))
        take_free(decision);
}

void decide_block(struct decision *decision)
{
    take_free(decision);
}
