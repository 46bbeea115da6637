/*
 * The waiting list: who joins it, and who is served when units return. PURE.
 */
#include "worker/rules/waiting.h"

#include "producer/codec/request_wants.h"
#include "worker/inventory/bookings.h"
#include "worker/inventory/waiting_list.h"
#include "worker/inventory/work.h"
#include "worker/rules/answer_units.h"
#include "worker/rules/limits.h"
#include "worker/rules/plan_items.h"
#include "worker/rules/unit_lines.h"

enum {
    PARTIES_MAX = 1000000, /* a resource: all of them are in memory with it */
    TRIES_MAX = 5000       /* parties looked at in one go: a batch must not last */
};

/* ---- joining ---- */

static const char *wants_of(struct decision *decision)
{
    struct usher_buffer *text = &decision->batch->text;
    text->size = 0;
    wants_encode(decision->request, text);
    return usher_arena_text(decision_arena(decision), text->at, text->size);
}

static struct booking_row row_of(struct decision *decision)
{
    const struct usher_request *request = decision->request;
    return (struct booking_row){
        .no = row_number(decision->rules->partition, decision->row->seq),
        .resource_no = decision->resource->row.no,
        .request_id = request->request_id,
        .client = request->client,
        .customer = request->customer,
        .cart = request->cart,
        .note = request->note,
        .meta = request->meta,
        .op = request->op,
        .created_ms = decision->batch->now_ms,
        .expires_ms = request->wait_until_ms,
        .ttl_s = limits_hold_ttl_s(decision, request->ttl_s),
        .wants = wants_of(decision),
    };
}

/* Bytes that an item's units can take in the answer that is given when the party is served. */
static size_t served_size(const struct usher_item *item)
{
    const size_t line_size = 100 + 2 * USHER_NAME_MAX, name_size = USHER_NAME_MAX + 3;
    if (item->kind == USHER_ROOM)
        return (size_t)(item->to - item->from) * (line_size + 9 * (size_t)item->quantity);
    if (item->kind == USHER_SEATS) /* each may be of another section */
        return item->seat_count * (line_size + name_size);
    return line_size + item->quantity * name_size;
}

/* An answer that nobody asked for cannot be refused when its time comes. */
static bool may_be_answered(const struct usher_request *request)
{
    size_t size = 2000;
    for (uint32_t i = 0; i < request->item_count; i++)
        size += served_size(&request->items[i]);
    return size <= USHER_ANSWER_SIZE_SAFE;
}

void waiting_join(struct decision *decision)
{
    struct resource *resource = decision->resource;
    if (!may_be_answered(decision->request)) {
        decision_refuse(decision, USHER_LIMIT_EXCEEDED, "the answer would be too large");
        return;
    }
    if (resource->waiting.count >= PARTIES_MAX) {
        decision_refuse(decision, USHER_LIMIT_EXCEEDED, "the waiting list is full");
        return;
    }
    const struct booking_row row = row_of(decision);
    struct booking *booking =
        inventory_add_booking(decision->inventory, &row, content_create(NULL, 0));
    const struct booking_change change = booking_change_of(booking, BOOKING_WAITING);
    inventory_change_booking(decision->inventory, resource, booking, &change);
    decision_succeed(decision, USHER_WAITING);
    decision_name(decision, booking);
    decision->answer.booking = booking->request_id;
    decision->answer.customer = booking->customer;
    decision->answer.cart = booking->cart;
    decision->answer.expires_ms = booking->expires_ms;
    decision->answer.position = resource->waiting.count;
}

/* ---- being served ---- */

/* One go through the list. */
struct service {
    struct inventory *inventory;
    const struct rules *rules;
    struct resource *resource;
    struct batch *batch;
    struct usher_arena *scratch; /* of one try: most fail, and a batch has many */
};

static void set_answer(struct decision *decision, struct booking *party, const struct plan *plan)
{
    answer_set_booking(decision, party);
    decision->answer.expires_ms = party->expires_ms;
    decision->answer.together = plan->together;
    answer_set_lines(decision, plan->lines, plan->line_count);
}

/* The party has its units now: a hold that begins at this moment. */
static void hold(const struct service *service, struct booking *party, const struct plan *plan)
{
    struct decision decision = {.inventory = service->inventory,
                                .rules = service->rules,
                                .batch = service->batch,
                                .resource = service->resource};
    int64_t now_ms = service->batch->now_ms;
    decision_begin_unasked(&decision, party, "waiting_list");
    struct booking_change change = booking_change_of(party, BOOKING_HELD);
    change.content = content_create(plan->lines, plan->line_count);
    change.total = unit_lines_total(plan->lines, plan->line_count);
    change.created_ms = now_ms;
    change.expires_ms = now_ms + party->ttl_s * 1000;
    change.wants = NULL;
    inventory_change_booking(service->inventory, service->resource, party, &change);
    set_answer(&decision, party, plan);
    decision_succeed(&decision, USHER_HELD);
    decision_name(&decision, party);
    decision_end(&decision);
}

/* Plans for a whole party, never for a part. False: it does not fit, nothing is taken. */
static bool fits(const struct service *service, const struct usher_request *wants,
                 struct plan *plan)
{
    plan_init(plan, service->resource, BOOKING_HELD, limits_units_requested(wants),
              service->scratch);
    plan->seed = (uint64_t)(service->batch->expected_next_seq + service->batch->decision_count);
    plan_items(plan, wants->items, wants->item_count);
    if (plan->shortfall_count == 0)
        return true;
    plan_undo(plan);
    return false;
}

/* False: the party is passed over, for now. */
static bool serve(const struct service *service, struct booking *party)
{
    const struct usher_request *wants = &party->waits_in->request;
    struct plan plan;
    usher_arena_reset(service->scratch);
    if (!limits_allow_party(service->resource, party, wants, service->scratch)) {
        waiting_pass_party(service->resource, party);
        return false;
    }
    if (!fits(service, wants, &plan)) {
        waiting_pass_class(service->resource, party);
        return false;
    }
    hold(service, party, &plan);
    return true;
}

/* Whether it will sell by itself, when its time comes: until then the list is not done with. */
static bool sells_later(const struct resource_row *row, int64_t now_ms)
{
    return row->state == USHER_OPEN && row->opens_ms != USHER_ABSENT && now_ms < row->opens_ms;
}

static void note_served(struct inventory *inventory, struct resource *resource, int64_t now_ms)
{
    bool sells = limits_on_sale(&resource->row, now_ms);
    if (sells ? waiting_next(resource) != NULL : sells_later(&resource->row, now_ms))
        return;
    resource->row.unserved = false; /* what is closed for now is woken by open and define */
    inventory_note_work(inventory, resource);
}

uint32_t waiting_serve(struct inventory *inventory, const struct rules *rules,
                       struct resource *resource, uint32_t max, struct batch *batch)
{
    struct usher_arena scratch = {0};
    const struct service service = {inventory, rules, resource, batch, &scratch};
    uint32_t served = 0, tries = 0;
    struct booking *party = NULL;
    while (served < max && tries < TRIES_MAX && limits_on_sale(&resource->row, batch->now_ms) &&
           (party = waiting_next(resource))) {
        served += serve(&service, party) ? 1 : 0;
        tries++;
    }
    usher_arena_deinit(&scratch);
    note_served(inventory, resource, batch->now_ms);
    return served;
}
