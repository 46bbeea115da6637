/*
 * The waiting list, expiry, and background work, which continues with each resource in turn, the
 * oldest first. PURE.
 */
#include "worker/rules/waiting.h"

#include <assert.h>

#include "producer/codec/stored.h"
#include "worker/inventory/bookings.h"
#include "worker/inventory/inventory_state.h"
#include "worker/inventory/terms.h"
#include "worker/inventory/waiting_list.h"
#include "worker/inventory/work.h"
#include "worker/rules/members.h"
#include "worker/rules/operations.h"
#include "worker/rules/plan_items.h"
#include "worker/rules/possible.h"
#include "worker/rules/sale.h"
#include "worker/rules/sale_time.h"

/* ==== Waiting list ==== */

enum {
    WAITING_TRIES_MAX = 5000, /* parties looked at at once: a batch must end */
    SETS_PER_TRY = 4          /* sets of members with needs that take as long as a plain party */
};

/* Serving waiting lists: how many parties may still be served, and looked at. */
struct serving {
    uint32_t max, tries;
};

enum {
    PARTIES_MAX = 1000000 /* per resource: all of them are in memory with it */
};

/* Returns how many tries it takes to plan a party: all sets of members with needs are looked at. */
static uint32_t tries_of(const struct booking *party)
{
    const struct usher_request *wants = &party->waits_in->request;
    uint32_t tries = 1;
    for (uint32_t i = 0; i < wants->item_count; i++)
        if (members_need(wants->items[i].members, wants->items[i].member_count))
            tries += (1U << wants->items[i].member_count) / SETS_PER_TRY;
    return tries;
}

static void spend(struct serving *serving, uint32_t tries)
{
    serving->tries -= tries < serving->tries ? tries : serving->tries;
}

/* ---- joining ---- */

/* Returns how many bytes an item's units can take in the answer to a party that is served. */
static size_t served_size(const struct usher_item *item)
{
    const size_t line_size = 120 + 2 * USHER_NAME_MAX, name_size = USHER_NAME_MAX + 3;
    if (item->kind == USHER_ROOM)
        return (size_t)(item->to - item->from) * (line_size + 9 * (size_t)item->quantity);
    if (item->kind == USHER_SEATS) /* each may be of another section */
        return item->seat_count * (line_size + name_size);
    return (item->member_count + 1) * line_size + item->quantity * name_size;
}

/* An unrequested answer cannot be refused when its time comes. A large one comes without places. */
static bool may_be_answered(const struct usher_request *request)
{
    size_t size = 2000;
    for (uint32_t i = 0; i < request->item_count; i++)
        size += served_size(&request->items[i]);
    return size <= USHER_ANSWER_SIZE_SAFE;
}

static struct booking_row row_of(struct decision *decision)
{
    assert(decision->request->wait_until_ms > decision->at_ms);
    const struct usher_request *request = decision->request;
    int64_t until_ms = sale_until_ms(decision->resource, request);
    struct usher_buffer *wants = &decision->batch->text;
    wants->size = 0;
    wants_encode(request, wants);
    return (struct booking_row){
        .no = row_number(decision->rules->partition, decision->row->seq),
        .resource_no = decision->resource->row.no,
        .state = BOOKING_WAITING,
        .request_id = request->request_id,
        .client = request->client,
        .customer = request->customer,
        .cart = request->cart,
        .note = request->note,
        .meta = request->meta,
        .op = request->op,
        .created_ms = decision->batch->now_ms,
        .expires_ms = request->wait_until_ms < until_ms ? request->wait_until_ms : until_ms,
        .ttl_s = sale_hold_ttl_s(decision, request->ttl_s),
        .wants = usher_arena_text(decision_arena(decision), wants->at, wants->size),
        .sold_ms = USHER_ABSENT,
    };
}

void waiting_join(struct decision *decision)
{
    assert(decision->request->op == USHER_OP_HOLD);
    struct resource *resource = decision->resource;
    if (!may_be_answered(decision->request)) {
        decision_refuse(decision, USHER_LIMIT_EXCEEDED, "the answer would be too large");
        return;
    }
    if (resource->waiting.count >= PARTIES_MAX) {
        decision_refuse(decision, USHER_LIMIT_EXCEEDED, "the waiting list is full");
        return;
    }
    /* From here on nothing can fail. */
    const struct booking_row row = row_of(decision);
    const struct booking *booking =
        inventory_add_booking(decision->inventory, resource, &row, content_create(NULL, 0));
    decision_succeed(decision, USHER_WAITING);
    decision_name(decision, booking);
    decision->answer.booking = booking->row.request_id;
    decision->answer.customer = booking->row.customer;
    decision->answer.cart = booking->row.cart;
    decision->answer.expires_ms = booking->row.expires_ms;
    decision->answer.position = resource->waiting.count;
}

/* ---- being served ---- */

/*
 * Parties are served by the time at which something happened that lets them fit, or at which the
 * sale opened since: not when a worker gets to it. A list that is loaded as unserved was sold to
 * then (decision.c: wake); of its nights and rates it is not known, and they are judged by the
 * clock.
 */

/* One pass over the list. */
struct service {
    struct inventory *inventory;
    const struct rules *rules;
    struct resource *resource;
    struct batch *batch;
    int64_t at_ms;               /* the time by which parties are served; 0: not known */
    struct usher_arena *scratch; /* for one try: most fail, and a batch has many */
};

static int64_t serving_ms(const struct resource *resource)
{
    int64_t woken_ms = resource->waiting.woken_ms, opens_ms = resource->row.opens_ms;
    return woken_ms > 0 && opens_ms != USHER_ABSENT && opens_ms > woken_ms ? opens_ms : woken_ms;
}

/* Whether the list waits for the opening of the sale, when the log's time is `at_ms`. */
static bool serves_later(const struct resource *resource, int64_t at_ms)
{
    return sale_is_yet_to_open(&resource->row, at_ms) &&
           sale_is_yet_to_open(&resource->row, resource->waiting.woken_ms);
}

/* Whether the list has to be served before the log's time is `at_ms`: less would be sold then. */
static bool serves_before(const struct resource *resource, int64_t at_ms)
{
    int64_t served_ms = serving_ms(resource);
    return resource->row.unserved && !resource->row.cancelling && !serves_later(resource, at_ms) &&
           (served_ms == 0 ? !sale_is_on(&resource->row, at_ms)
                           : !sale_is_same(resource, served_ms, at_ms));
}

/* Turns the party into a hold of the planned units that begins now. */
static void give_hold(const struct service *service, struct booking *party, const struct plan *plan)
{
    assert(party->row.state == BOOKING_WAITING && plan->shortfall_count == 0);
    struct decision decision = {.inventory = service->inventory,
                                .rules = service->rules,
                                .batch = service->batch,
                                .resource = service->resource};
    int64_t now_ms = service->batch->now_ms;
    decision_begin_unrequested(&decision, party, "waiting_list", service->at_ms);
    struct booking_change change = booking_change_of(party, BOOKING_HELD);
    change.content = content_create(plan->lines, plan->line_count);
    change.planned = true;
    change.row.total = unit_lines_total(plan->lines, plan->line_count);
    change.row.created_ms = now_ms;
    change.row.expires_ms = now_ms + sale_hold_ttl_s(&decision, party->row.ttl_s) * 1000;
    change.row.wants = NULL;
    inventory_change_booking(service->inventory, service->resource, party, &change);
    answer_set_booking(&decision, party);
    decision.answer.expires_ms = party->row.expires_ms;
    plan_answer(&decision, plan);
    decision_succeed(&decision, USHER_HELD);
    decision_name(&decision, party);
    decision_end(&decision);
}

/* Gives a party all that it wants, never a part. False: it is passed over in this round. */
static bool serve(const struct service *service, struct booking *party)
{
    assert(party->waits_in);
    struct resource *resource = service->resource;
    const struct usher_request *wants = &party->waits_in->request;
    struct plan plan;
    usher_arena_reset(service->scratch);
    if (!limits_allow_party(resource, party, wants, service->scratch)) {
        waiting_pass_party(resource, party);
        return false;
    }
    /* That it leaves is decided later where many end at once, or after an outage. */
    if (party->row.expires_ms <= service->at_ms) {
        waiting_pass_party(resource, party);
        return false;
    }
    int64_t at_ms = service->at_ms > 0 ? service->at_ms : service->batch->now_ms;
    if (sale_is_of_past(&resource->row, wants, at_ms)) {
        waiting_pass_class(resource, party);
        return false;
    }
    plan_init(&plan, resource, BOOKING_HELD, at_ms, limits_units_requested(wants),
              service->scratch);
    plan.seed = (uint64_t)(service->batch->expected_next_seq + service->batch->decision_count);
    plan.restricted = true;
    plan_items(&plan, wants->items, wants->item_count);
    if (plan.shortfall_count > 0 ||
        !inventory_has_room_for(resource, unit_lines_total(plan.lines, plan.line_count))) {
        plan_undo(&plan);
        waiting_pass_class(resource, party);
        return false;
    }
    give_hold(service, party, &plan);
    return true;
}

/* ---- waiting in vain ---- */

/* A decision about a party, of what a define made of it. */
static struct decision begin_changed(const struct service *service, const struct booking *party)
{
    struct decision decision = {.inventory = service->inventory,
                                .rules = service->rules,
                                .batch = service->batch,
                                .resource = service->resource};
    decision_begin_unrequested(&decision, party, "resource_changed", service->at_ms);
    return decision;
}

/* Says why a party leaves: the reason that a request would get, and what it means. */
static void say_why(struct decision *decision, enum usher_reason why, const char *meaning)
{
    decision->answer.detail =
        usher_arena_format(decision_arena(decision), "%s: %s", usher_reason_name(why), meaning);
}

/* Tells a party that it cannot be served any more, and takes it off the list. */
static void turn_away(const struct service *service, struct booking *party, enum usher_reason why)
{
    static const struct result leaves = {BOOKING_LEFT, USHER_LEFT};
    struct decision decision = begin_changed(service, party);
    say_why(&decision, why, "it can no longer be had");
    returning_decide(&decision, party, &leaves);
    decision_end(&decision);
}

/* When a party leaves: at the time that it asked for, or earlier if what it wants is over then. */
static int64_t end_of(const struct booking *party)
{
    int64_t asked_ms = wants_until_ms(party->row.wants), until_ms = party->waits_in->until_ms;
    if (asked_ms == INT64_MAX)
        asked_ms = party->row.expires_ms;
    return asked_ms < until_ms ? asked_ms : until_ms;
}

/* Tells a party until when it waits now. */
static void move_end(const struct service *service, struct booking *party, int64_t ends_ms)
{
    struct decision decision = begin_changed(service, party);
    struct booking_change change = booking_change_of(party, BOOKING_WAITING);
    change.row.expires_ms = ends_ms;
    inventory_change_booking(service->inventory, service->resource, party, &change);
    answer_set_booking(&decision, party);
    decision.answer.total = USHER_ABSENT;
    decision.answer.expires_ms = ends_ms;
    decision.answer.detail = "the end of its wait was moved";
    decision_succeed(&decision, USHER_WAITING);
    decision_name(&decision, party);
    decision_end(&decision);
}

/* ---- after a define ---- */

/*
 * Turns a party away that could not be served if all were free, or moves its end if that is not
 * where it was. Returns whether it did.
 */
static bool judge_party(const struct service *service, struct booking *party)
{
    struct waiting_class *class = party->waits_in;
    if (!class->judged) {
        class->refusal = possible_refusal(service->resource, &class->request);
        class->until_ms = sale_until_ms(service->resource, &class->request);
    }
    class->judged = true;
    int64_t ends_ms = end_of(party);
    int64_t at_ms = service->at_ms > 0 ? service->at_ms : service->batch->now_ms;
    if (class->refusal == USHER_REASON_NONE && ends_ms == party->row.expires_ms)
        return false;
    if (class->refusal != USHER_REASON_NONE)
        turn_away(service, party, class->refusal);
    else if (class->until_ms <= at_ms)
        turn_away(service, party, USHER_NOT_ON_SALE);
    else
        move_end(service, party, ends_ms);
    return true;
}

/*
 * After a define: turns away those who could not be served if all were free, and moves the ends of
 * others. Returns how many. What is blocked may come back, and is waited for.
 */
static uint32_t judge(struct inventory *inventory, const struct rules *rules,
                      struct resource *resource, struct serving *serving, struct batch *batch)
{
    const struct service service = {inventory, rules, resource, batch, serving_ms(resource), NULL};
    uint32_t count = 0;
    struct booking *party;
    while (count < serving->max && serving->tries > 0 && (party = waiting_unjudged(resource))) {
        spend(serving, party->waits_in->judged ? 1 : tries_of(party));
        count += judge_party(&service, party);
    }
    serving->max -= count;
    return count;
}

/* ---- the list ---- */

/*
 * Serves the list, unless it is to be served later, once all on it may be served some day. Returns
 * how many decisions it took; row.unserved is whether more may fit.
 */
static uint32_t waiting_serve(struct inventory *inventory, const struct rules *rules,
                              struct resource *resource, struct serving *serving,
                              struct batch *batch)
{
    assert(resource->row.unserved);
    struct usher_arena scratch = {0};
    int64_t at_ms = serving_ms(resource);
    const struct service service = {inventory, rules, resource, batch, at_ms, &scratch};
    uint32_t told = judge(inventory, rules, resource, serving, batch), served = 0;
    bool judged = waiting_is_judged(resource);
    bool sells = at_ms > 0 ? sale_is_on(&resource->row, at_ms) : resource->row.state == USHER_OPEN;
    sells = sells && judged && resource->row.unserved;
    struct booking *party;
    while (sells && served < serving->max && serving->tries > 0 &&
           (party = waiting_next(resource))) {
        spend(serving, tries_of(party));
        served += serve(&service, party);
    }
    assert(served <= serving->max);
    serving->max -= served;
    usher_arena_deinit(&scratch);
    bool ends = judged && resource->row.unserved;
    if (ends && (!sells || !waiting_next(resource)))
        wake_served(inventory, resource); /* open and define wake the list of a closed sale */
    return told + served;
}

/* ==== Expiry ==== */

/* What becomes of a booking at its time, by its state. */
static const struct {
    struct result result;
    const char *cause;
} endings[BOOKING_STATE_COUNT] = {
    [BOOKING_HELD] = {{BOOKING_EXPIRED, USHER_EXPIRED}, "expiry"},
    [BOOKING_WAITING] = {{BOOKING_LEFT, USHER_LEFT}, "expiry"},
    [BOOKING_BLOCKED] = {{BOOKING_RELEASED, USHER_RELEASED}, "block_returned"},
};

/* Whether it is yet to be seen if a party that ends by time still does so then. */
static bool judges_before_end(const struct resource *resource, const struct booking *booking)
{
    return booking->row.state == BOOKING_WAITING && !resource->row.cancelling &&
           !waiting_is_judged(resource);
}

/*
 * Whether the list is to be served before a booking ends by time: before a party leaves it that may
 * fit, and before the units that return would be sold to nobody, or for fewer nights.
 */
static bool serves_before_end(const struct resource *resource, const struct booking *booking)
{
    int64_t at_ms = booking->row.expires_ms;
    bool leaves = booking->row.state == BOOKING_WAITING && resource->row.unserved &&
                  !resource->row.cancelling && !serves_later(resource, at_ms);
    return leaves || serves_before(resource, at_ms);
}

uint32_t expiry_run(struct inventory *inventory, const struct rules *rules, int64_t until_ms,
                    uint32_t max, struct batch *batch)
{
    uint32_t count = 0;
    struct serving serving = {.tries = WAITING_TRIES_MAX};
    struct booking *booking;
    while (count < max && (booking = inventory_first_due(inventory, until_ms))) {
        struct decision decision = {.inventory = inventory, .rules = rules, .batch = batch};
        decision.resource = inventory_resource_numbered(inventory, booking->row.resource_no);
        if (!decision.resource || tallies_are_missing(decision.resource))
            break; /* a load left it for the next one */
        if (!inventory_trusts(inventory, decision.resource, &booking, 1))
            break;
        serving.max = max - count;
        if (judges_before_end(decision.resource, booking)) {
            count += judge(inventory, rules, decision.resource, &serving, batch);
            if (!waiting_is_judged(decision.resource))
                break; /* no room is left */
            continue;  /* its end may have been moved */
        }
        if (serves_before_end(decision.resource, booking)) {
            count += waiting_serve(inventory, rules, decision.resource, &serving, batch);
            if (decision.resource->row.unserved)
                break; /* no room is left */
            continue;  /* the party may not be waiting any more */
        }
        enum booking_state state = booking->row.state;
        assert(endings[state].cause);
        decision_begin_unrequested(&decision, booking, endings[state].cause,
                                   booking->row.expires_ms);
        const char *over =
            booking->waits_in ? sale_over_detail(&decision, &booking->waits_in->request) : NULL;
        if (over)
            say_why(&decision, USHER_NOT_ON_SALE, over);
        returning_decide(&decision, booking, &endings[state].result);
        decision_end(&decision);
        count++;
    }
    return count;
}

/*
 * ==== Cancelling a resource ====
 *
 * All bookings of a resource cancelled, batch by batch.
 */

/* What becomes of a booking when its resource is cancelled, by its state; others stay. */
static const struct result endings_of_closing[BOOKING_STATE_COUNT] = {
    [BOOKING_HELD] = {BOOKING_RELEASED, USHER_RELEASED},
    [BOOKING_CONFIRMED] = {BOOKING_CANCELLED, USHER_CANCELLED},
    [BOOKING_WAITING] = {BOOKING_LEFT, USHER_LEFT},
};

/* Returns the next booking to cancel that is in memory: the loaded ones, then the waiting list. */
static struct booking *next(struct inventory *inventory, const struct resource *resource)
{
    struct booking *booking = inventory_next_owner(inventory, resource);
    return booking ? booking : waiting_oldest(resource);
}

/*
 * Continues to cancel all bookings of a resource, at most `max`. Returns how many were cancelled.
 */
static uint32_t cancelling_continue(struct inventory *inventory, const struct rules *rules,
                                    struct resource *resource, uint32_t max, struct batch *batch)
{
    assert(resource->row.cancelling);
    uint32_t count = 0;
    struct booking *booking;
    while (count < max && resource->row.cancelling && (booking = next(inventory, resource)) &&
           inventory_trusts(inventory, resource, &booking, 1)) {
        struct decision decision = {
            .inventory = inventory, .rules = rules, .batch = batch, .resource = resource};
        const char *why = resource->row.cancelling;
        decision_begin_unrequested(&decision, booking, "resource_closed", batch->now_ms);
        decision.answer.detail = *why ? why : NULL;
        returning_decide(&decision, booking, &endings_of_closing[booking->row.state]);
        decision_end(&decision);
        count++;
    }
    return count;
}

/* ==== Background work ==== */

int64_t background_next_ms(const struct inventory *inventory, int64_t at_ms)
{
    int64_t next_ms = INT64_MAX;
    for (const struct resource *resource = inventory_work(inventory, NULL); resource;
         resource = inventory_work(inventory, resource))
        if (resource->row.unserved && serves_later(resource, at_ms) &&
            resource->row.opens_ms < next_ms)
            next_ms = resource->row.opens_ms;
    return next_ms;
}

uint32_t background_run(struct inventory *inventory, const struct rules *rules, int64_t at_ms,
                        uint32_t max, struct batch *batch)
{
    uint32_t count = 0;
    struct serving serving = {.tries = WAITING_TRIES_MAX};
    struct resource *resource = inventory_work(inventory, NULL);
    while (resource && count < max) {
        struct resource *next_one = inventory_work(inventory, resource);
        if (tallies_are_missing(resource)) {
            resource = next_one; /* a load left them for the next one */
            continue;
        }
        if (resource->row.cancelling)
            count += cancelling_continue(inventory, rules, resource, max - count, batch);
        serving.max = max - count;
        if (!resource->row.cancelling && resource->row.unserved)
            count += serves_later(resource, at_ms)
                         ? judge(inventory, rules, resource, &serving, batch)
                         : waiting_serve(inventory, rules, resource, &serving, batch);
        resource = next_one;
    }
    return count;
}

bool background_serve_first(struct inventory *inventory, const struct rules *rules,
                            const struct input *input, uint32_t max, struct batch *batch)
{
    if (input->invalid != USHER_REASON_NONE)
        return true;
    struct resource *resource = inventory_resource(inventory, input->request.resource);
    int64_t at_ms = input_at_ms(input->record, batch);
    if (!resource || !resource->row.unserved || serves_later(resource, at_ms) ||
        !(operations[input->request.op].takes || serves_before(resource, at_ms)))
        return true;
    struct serving serving = {.max = max, .tries = WAITING_TRIES_MAX};
    (void)waiting_serve(inventory, rules, resource, &serving, batch);
    return !resource->row.unserved;
}
