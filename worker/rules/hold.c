/*
 * hold and book: units for a customer, for a time or for good; block: units off sale. All make a
 * booking. PURE.
 */
#include "worker/rules/hold.h"

#include "worker/inventory/bookings.h"
#include "worker/rules/answer_units.h"
#include "worker/rules/limits.h"
#include "worker/rules/plan_items.h"
#include "worker/rules/unit_lines.h"
#include "worker/rules/waiting.h"

/* What an operation that takes units makes of them. */
struct op_result {
    enum booking_state state;
    enum usher_outcome outcome;
};

static const struct op_result op_results[USHER_OP_COUNT] = {
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
        request->op == USHER_OP_HOLD ? limits_hold_ttl_s(decision, request->ttl_s) : USHER_ABSENT;
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
        .total = unit_lines_total(plan->lines, plan->line_count),
    };
}

static void set_answer(struct decision *decision, const struct booking_row *row,
                       const struct plan *plan)
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
    answer_set_lines(decision, plan->lines, plan->line_count);
}

static void refuse_short(struct decision *decision, const struct plan *plan)
{
    for (uint32_t i = 0; i < plan->shortfall_count; i++)
        plan->shortfalls[i].given = 0;
    decision_refuse_items(decision, plan_reason(plan), plan->shortfalls, plan->shortfall_count);
}

/* Makes the booking of what was planned. False: it would be too large to answer; taken back. */
static bool make(struct decision *decision, struct plan *plan)
{
    const struct op_result *result = &op_results[decision->request->op];
    const struct booking_row row = row_of(decision, plan);
    set_answer(decision, &row, plan);
    decision_succeed(decision, result->outcome);
    if (!decision_fits(decision))
        return false;
    /* From here on nothing can fail. */
    struct booking *booking = inventory_add_booking(decision->inventory, &row,
                                                    content_create(plan->lines, plan->line_count));
    const struct booking_change change = booking_change_of(booking, result->state);
    inventory_change_booking(decision->inventory, decision->resource, booking, &change);
    decision_name(decision, booking);
    return true;
}

/* ---- out of what is free ---- */

static void plan_begin(struct plan *plan, struct decision *decision)
{
    const struct usher_request *request = decision->request;
    plan_init(plan, decision->resource, op_results[request->op].state, limits_units_asked(request),
              decision_arena(decision));
    plan->partial = request->shortage == USHER_SHORTAGE_PARTIAL;
    plan->seed = (uint64_t)decision->row->seq;
}

/* Whether what was taken is what is to be given. */
static bool is_enough(const struct plan *plan)
{
    return plan->line_count > 0 && (plan->partial || plan->shortfall_count == 0);
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
    if (is_enough(&plan)) {
        if (!make(decision, &plan))
            plan_undo(&plan);
        return;
    }
    plan_undo(&plan);
    if (may_wait(decision, plan_reason(&plan)))
        waiting_join(decision);
    else
        refuse_short(decision, &plan);
}

/* ---- out of a block ---- */

/* What is left of the block; one that is empty has nothing to return any more. */
static void shrink_block(struct decision *decision, struct booking *block, const struct line *rest,
                         uint32_t rest_count)
{
    struct booking_change change =
        booking_change_of(block, rest_count > 0 ? BOOKING_BLOCKED : BOOKING_RELEASED);
    change.content = content_create(rest, rest_count);
    inventory_change_booking(decision->inventory, decision->resource, block, &change);
}

/* Makes the booking of units that were the block's; the rest stays in it. False: taken back. */
static bool make_of(struct decision *decision, struct plan *plan, struct booking *block)
{
    uint32_t rest_count;
    const struct line *rest = plan_rest(plan, block->content, &rest_count);
    unit_lines_take(decision->resource, rest, rest_count, BOOKING_BLOCKED);
    if (make(decision, plan)) {
        shrink_block(decision, block, rest, rest_count);
        return true;
    }
    unit_lines_give(decision->resource, rest, rest_count);
    return false;
}

/*
 * The block's units go back for a moment, and only they may be taken. By the order of reasons: what
 * is not in the block, then limits, then the rest.
 */
static void take_from(struct decision *decision, struct booking *block)
{
    const struct usher_request *request = decision->request;
    const struct content *content = block->content;
    struct plan plan;
    plan_begin(&plan, decision);
    unit_lines_give(decision->resource, content->lines, content->line_count);
    plan_from(&plan, content);
    plan_items(&plan, request->items, request->item_count);
    bool enough = is_enough(&plan);
    bool outside = !enough && plan_reason(&plan) == USHER_NOT_IN_BOOKING;
    bool allowed = outside || limits_allow_request(decision, request->customer, NULL);
    if (enough && allowed && make_of(decision, &plan, block))
        return;
    plan_undo(&plan);
    unit_lines_take(decision->resource, content->lines, content->line_count, BOOKING_BLOCKED);
    if (!enough && allowed)
        refuse_short(decision, &plan);
}

/* ---- the operations ---- */

/* The block to be sold from; NULL: the request is refused. */
static struct booking *find_block(struct decision *decision)
{
    struct booking *block = inventory_booking(decision->inventory, decision->resource->row.no,
                                              decision->request->from_block);
    if (!block)
        decision_refuse(decision, USHER_UNKNOWN_BOOKING, "no such block");
    else if (block->state != BOOKING_BLOCKED)
        decision_refuse(decision, USHER_NOT_BLOCKED, NULL);
    return block && block->state == BOOKING_BLOCKED ? block : NULL;
}

void hold_decide(struct decision *decision)
{
    const struct usher_request *request = decision->request;
    if (!limits_on_sale(&decision->resource->row, decision->batch->now_ms)) {
        decision_refuse(decision, USHER_NOT_ON_SALE, NULL);
        return;
    }
    struct booking *block = request->from_block ? find_block(decision) : NULL;
    if (request->from_block && !block)
        return;
    if (block)
        take_from(decision, block);
    else if (limits_allow_request(decision, request->customer, NULL))
        take_free(decision);
}

void hold_decide_block(struct decision *decision)
{
    take_free(decision);
}
