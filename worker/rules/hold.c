/*
 * Makes bookings: hold and book take units for a customer, for a time or for good; block takes
 * units off sale. PURE.
 */
#include "worker/rules/hold.h"

#include <assert.h>

#include "worker/inventory/bookings.h"
#include "worker/rules/change.h"
#include "worker/rules/decision.h"
#include "worker/rules/operations.h"
#include "worker/rules/plan_items.h"
#include "worker/rules/possible.h"
#include "worker/rules/sale.h"
#include "worker/rules/sale_time.h"
#include "worker/rules/waiting.h"

static struct booking_row row_of(const struct decision *decision, const struct plan *plan)
{
    assert(plan->state == operations[decision->request->op].result.to);
    const struct usher_request *request = decision->request;
    bool holds = request->op == USHER_OP_HOLD, blocks = request->op == USHER_OP_BLOCK;
    int64_t now_ms = decision->batch->now_ms;
    int64_t ttl_s = holds ? sale_hold_ttl_s(decision, request->ttl_s) : USHER_ABSENT;
    int64_t ends_ms = blocks && request->return_at_ms > 0 ? request->return_at_ms : USHER_ABSENT;
    if (ends_ms != USHER_ABSENT && ends_ms < decision->at_ms)
        ends_ms = decision->at_ms; /* it returns at once, but not before it was made */
    return (struct booking_row){
        .no = row_number(decision->rules->partition, decision->row->seq),
        .resource_no = decision->resource->row.no,
        .state = operations[request->op].result.to,
        .request_id = request->request_id,
        .client = request->client,
        .customer = blocks ? NULL : request->customer,
        .cart = blocks ? NULL : request->cart,
        .payment = request->op == USHER_OP_BOOK ? request->payment : NULL,
        .note = request->note,
        .meta = request->meta,
        .op = request->op,
        .created_ms = now_ms,
        .expires_ms = holds ? now_ms + ttl_s * 1000 : ends_ms,
        .ttl_s = ttl_s,
        .total = unit_lines_total(plan->lines, plan->line_count),
        .sold_ms = request->op == USHER_OP_BOOK ? now_ms : USHER_ABSENT,
    };
}

/* Makes the booking of a plan. False: refused, its price or its answer would be too large. */
static bool make_booking(struct decision *decision, const struct plan *plan)
{
    assert(plan->line_count > 0 && (plan->partial || plan->shortfall_count == 0));
    const struct booking_row row = row_of(decision, plan);
    struct usher_answer *answer = &decision->answer;
    if (!decision_counts(decision, row.total))
        return false;
    answer->booking = row.request_id;
    answer->customer = row.customer;
    answer->cart = row.cart;
    answer->payment = row.payment;
    answer->expires_ms = row.expires_ms;
    answer->total = row.total;
    answer->currency = decision->resource->row.currency;
    answer->items = plan->shortfalls;
    answer->items_count = plan->shortfall_count;
    plan_answer(decision, plan);
    decision_succeed_asked(decision);
    if (!decision_fits(decision))
        return false;
    /* From here on nothing can fail. */
    decision_name(decision, inventory_add_booking(decision->inventory, decision->resource, &row,
                                                  content_create(plan->lines, plan->line_count)));
    return true;
}

/* Checks the limits of customer and request, then that of the cart. */
static bool refuse_limits(struct decision *decision)
{
    return limits_refuse_request(decision, decision->request->customer, NULL, 0) ||
           cart_refuse_full(decision);
}

static void plan_begin(struct plan *plan, struct decision *decision)
{
    assert(operations[decision->request->op].result.to != BOOKING_NONE);
    const struct usher_request *request = decision->request;
    plan_init(plan, decision->resource, operations[request->op].result.to, decision->at_ms,
              limits_units_requested(request), decision_arena(decision));
    plan->partial = request->shortage == USHER_SHORTAGE_PARTIAL;
    plan->restricted = request->op != USHER_OP_BLOCK && !request->force;
    plan->overbook = request->overbook;
    plan->seed = (uint64_t)decision->row->seq;
}

/* Whether the plan took all that was requested, or some of it where a part will do. */
static bool is_enough(const struct plan *plan)
{
    return plan->line_count > 0 && (plan->partial || plan->shortfall_count == 0);
}

/* ---- free units ---- */

static const bool waitable[USHER_REASON_COUNT] = {
#define USHER_REASON_ROW(enumerator, name, retryable, waitable) [enumerator] = (waitable),
#include "usher/words.def"
};

/*
 * Whether waiting helps: units may be returned, but an invalid request stays invalid, what there is
 * not is not served, and neither are units that are over.
 */
static bool may_wait(const struct decision *decision, const struct plan *plan)
{
    assert(plan->line_count == 0); /* it was given up */
    const struct usher_request *request = decision->request;
    const struct resource_row *row = &decision->resource->row;
    enum usher_reason reason = plan_reason(plan);
    return request->op == USHER_OP_HOLD && request->wait_until_ms > decision->at_ms &&
           possible_refusal(decision->resource, request) == USHER_REASON_NONE &&
           sale_is_on(row, decision->at_ms) && !sale_is_of_past(row, request, decision->at_ms) &&
           decision->at_ms < sale_rates_until_ms(decision->resource, request) && waitable[reason];
}

static void take_free(struct decision *decision)
{
    struct plan plan;
    plan_begin(&plan, decision);
    plan_items(&plan, decision->request->items, decision->request->item_count);
    if (is_enough(&plan)) {
        if (!make_booking(decision, &plan))
            plan_undo(&plan);
        return;
    }
    plan_undo(&plan);
    if (may_wait(decision, &plan))
        waiting_join(decision);
    else
        plan_refuse(decision, &plan);
}

/* ---- units of a block ---- */

/* Makes the booking of units of the block; the rest stays in it. False: refused. */
static bool make_booking_of(struct decision *decision, struct plan *plan, struct booking *block)
{
    uint32_t rest_count;
    const struct line *rest = plan_rest(plan, block, &rest_count);
    if (!make_booking(decision, plan))
        return false;
    /* A block that is used up is released. */
    struct booking_change change =
        booking_change_of(block, rest_count > 0 ? BOOKING_BLOCKED : BOOKING_RELEASED);
    change.content = content_create(rest, rest_count);
    change.planned = true;
    inventory_change_booking(decision->inventory, decision->resource, block, &change);
    return true;
}

/*
 * In the order of reasons: units that are not in the block, then limits, then the other shortfalls.
 */
static void take_from_block(struct decision *decision, struct booking *block)
{
    const struct usher_request *request = decision->request;
    struct plan plan;
    plan_begin(&plan, decision);
    plan_from(&plan, block);
    plan_items(&plan, request->items, request->item_count);
    bool enough = is_enough(&plan);
    if (!enough && plan_reason(&plan) == USHER_NOT_IN_BOOKING) {
        plan_refuse(decision, &plan);
    } else if (!refuse_limits(decision)) {
        if (!enough)
            plan_refuse(decision, &plan);
        else if (make_booking_of(decision, &plan, block))
            return;
    }
    plan_undo(&plan); /* refused */
}

/* ---- the operations ---- */

void hold_decide(struct decision *decision)
{
    const struct usher_request *request = decision->request;
    assert(request->op == USHER_OP_HOLD || request->op == USHER_OP_BOOK);
    if (sale_refuse(decision, NULL, 0))
        return;
    if (!request->from_block) {
        if (!refuse_limits(decision))
            take_free(decision);
        return;
    }
    struct booking *block =
        inventory_booking(decision->inventory, decision->resource->row.no, request->from_block);
    if (!block || !inventory_trusts(decision->inventory, decision->resource, &block, 1))
        decision_refuse(decision, USHER_UNKNOWN_BOOKING, "no such block");
    else if (block->row.state != BOOKING_BLOCKED)
        decision_refuse(decision, USHER_NOT_BLOCKED, NULL);
    else
        take_from_block(decision, block);
}

void hold_decide_block(struct decision *decision)
{
    assert(decision->request->op == USHER_OP_BLOCK);
    take_free(decision);
}
