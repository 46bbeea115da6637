/*
 * hold and book: units for a customer, for a time or for good. PURE.
 */
#include "decide_parts.h"

/* As asked, else as the resource has it, else as configured; never longer than either allows. */
static int64_t hold_ttl_s(const struct decision *decision)
{
    int64_t of_resource = decision->resource->row.hold_ttl_s;
    int64_t ttl_s = decision->request->ttl_s;
    if (ttl_s == USHER_ABSENT)
        ttl_s = of_resource != USHER_ABSENT ? of_resource : decision->rules->hold_ttl_s;
    if (of_resource != USHER_ABSENT && ttl_s > of_resource)
        ttl_s = of_resource;
    return ttl_s < decision->rules->hold_ttl_max_s ? ttl_s : decision->rules->hold_ttl_max_s;
}

static int64_t total_of(const struct plan *plan)
{
    int64_t total = 0;
    for (uint32_t i = 0; i < plan->line_count; i++)
        total += plan->lines[i].price * plan->lines[i].unit_count;
    return total;
}

static uint32_t units_asked(const struct usher_request *request)
{
    uint32_t units = 0;
    for (uint32_t i = 0; i < request->item_count; i++) {
        const struct usher_item *item = &request->items[i];
        units +=
            item->quantity * (item->kind == USHER_ROOM ? (uint32_t)(item->to - item->from) : 1);
    }
    return units;
}

static struct booking_row row_of(const struct decision *decision, const struct plan *plan)
{
    const struct usher_request *request = decision->request;
    bool is_hold = request->op == USHER_OP_HOLD;
    int64_t now_ms = decision->batch->now_ms;
    return (struct booking_row){
        .no = row_number(decision->rules->partition, decision->row->seq),
        .resource_no = decision->resource->row.no,
        .request_id = request->request_id,
        .client = request->client,
        .customer = request->customer,
        .cart = request->cart,
        .payment = is_hold ? NULL : request->payment,
        .note = request->note,
        .meta = request->meta,
        .op = request->op,
        .created_ms = now_ms,
        .expires_ms = is_hold ? now_ms + hold_ttl_s(decision) * 1000 : USHER_ABSENT,
        .total = total_of(plan),
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
    answer->units =
        show_units(decision->resource, plan->lines, plan->line_count, &decision->batch->arena);
    answer->units_count = plan->line_count;
}

static void refuse_short(struct decision *decision, const struct plan *plan)
{
    decision_refuse(decision, plan_reason(plan), NULL);
    decision->answer.items = plan->shortfalls;
    decision->answer.items_count = plan->shortfall_count;
}

void decide_hold(struct decision *decision)
{
    const struct usher_request *request = decision->request;
    bool is_hold = request->op == USHER_OP_HOLD;
    if (decision->resource->row.state != USHER_OPEN) {
        decision_refuse(decision, USHER_NOT_ON_SALE, NULL);
        return;
    }
    struct plan plan;
    plan_init(&plan, decision->resource, is_hold ? BOOKING_HELD : BOOKING_CONFIRMED,
              units_asked(request), &decision->batch->arena);
    for (uint32_t i = 0; i < request->item_count; i++)
        plan_item(&plan, &request->items[i], i);
    if (plan.shortfall_count > 0) {
        plan_undo(&plan);
        refuse_short(decision, &plan);
        return;
    }
    const struct booking_row row = row_of(decision, &plan);
    show(decision, &row, &plan);
    decision_succeed(decision, is_hold ? USHER_HELD : USHER_CONFIRMED);
    if (!decision_fits(decision)) {
        plan_undo(&plan);
        return;
    }
    /* From here on nothing can fail. */
    struct booking *booking = inventory_add_booking(decision->inventory, &row,
                                                    content_create(plan.lines, plan.line_count));
    inventory_change_booking(decision->inventory, booking, plan.state);
    decision->row->booking_no = booking->no;
}
