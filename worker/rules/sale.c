/* Whether a resource sells now, limits, and the hold time: see sale.h. PURE. */
#include "worker/rules/sale.h"

#include <assert.h>
#include <string.h>

#include "producer/base/plural.h"
#include "producer/codec/timezone.h"
#include "worker/inventory/names.h"
#include "worker/inventory/terms.h"
#include "worker/rules/own_hold.h"
#include "worker/rules/sale_time.h"

/* ==== Sale ==== */

/* ---- what an exchange keeps ---- */

/* Units by pool that bookings have and that a request has not asked for yet: they are no sale. */
struct kept {
    const struct resource *resource;
    uint32_t *units;
};

static struct kept keep(const struct decision *decision, struct booking *const *bookings,
                        uint32_t count)
{
    const struct resource *resource = decision->resource;
    struct kept kept = {resource, usher_arena_alloc(decision_arena(decision),
                                                    resource->pool_count * sizeof *kept.units)};
    for (uint32_t i = 0; i < count; i++) {
        const struct content *content = bookings[i]->content;
        for (uint32_t j = 0; j < content->line_count; j++)
            kept.units[content->lines[j].pool] += content->lines[j].unit_count;
    }
    return kept;
}

/* Takes what is kept of a pool, up to `wanted` units. Returns how many would be sold. */
static uint32_t sold_of_pool(struct kept *kept, uint32_t pool, uint32_t wanted)
{
    uint32_t had = kept->units[pool] < wanted ? kept->units[pool] : wanted;
    kept->units[pool] -= had;
    return wanted - had;
}

static uint32_t sold_of_name(struct kept *kept, const char *text, uint32_t wanted)
{
    const struct pool_name *name = resource_name(kept->resource, text);
    return name && name->kind != USHER_ROOM ? sold_of_pool(kept, name->pool, wanted) : wanted;
}

static uint32_t sold_of_night(struct kept *kept, const struct usher_item *item, int32_t night)
{
    const struct pool_name *name = resource_name(kept->resource, item->pool);
    const struct pool *pool =
        name && name->kind == USHER_ROOM ? resource_night(kept->resource, name, night) : NULL;
    return pool ? sold_of_pool(kept, pool->row.index, item->quantity) : item->quantity;
}

/* Counts the units that an item asks for beyond those kept; several sections: of any of them. */
static uint32_t sold_of_item(struct kept *kept, const struct usher_item *item)
{
    uint32_t sold = 0, pool, unit;
    for (uint32_t i = 0; i < item->seat_count; i++)
        sold += names_find_seat(kept->resource, item->seats[i], &pool, &unit)
                    ? sold_of_pool(kept, pool, 1)
                    : 1;
    if (item->kind == USHER_SEATS)
        return sold;
    for (int32_t night = item->from; item->kind == USHER_ROOM && night < item->to; night++)
        sold += sold_of_night(kept, item, night);
    if (item->kind == USHER_ROOM)
        return sold;
    sold = item->pool ? sold_of_name(kept, item->pool, item->quantity) : item->quantity;
    for (uint32_t i = 0; i < item->section_count; i++)
        sold = sold_of_name(kept, item->sections[i], sold);
    return sold;
}

/* Whether a request would sell units: more of any pool than the bookings have together. */
static bool sells(const struct decision *decision, struct booking *const *bookings, uint32_t count)
{
    const struct usher_request *request = decision->request;
    struct kept kept = keep(decision, bookings, count);
    uint32_t sold = 0;
    for (int choice = 0; choice < 2; choice++) /* those that may be of several pools come last */
        for (uint32_t i = 0; i < request->item_count; i++)
            if ((request->items[i].section_count > 1) == choice)
                sold += sold_of_item(&kept, &request->items[i]);
    return sold > 0;
}

/* ---- nights that are over ---- */

/* What an item falls short of: the nights that are over and would be sold. */
static struct usher_shortfall past_of(const struct decision *decision, struct kept *kept,
                                      uint32_t index)
{
    assert(decision->request->items[index].kind == USHER_ROOM);
    const struct resource_row *row = &decision->resource->row;
    const struct usher_item *item = &decision->request->items[index];
    struct usher_arena *arena = decision_arena(decision);
    const char **nights =
        usher_arena_alloc(arena, (size_t)(item->to - item->from) * sizeof *nights);
    struct usher_shortfall shortfall = {.item = index,
                                        .asked = item->quantity,
                                        .reason = USHER_NOT_ON_SALE,
                                        .free = USHER_ABSENT,
                                        .taken = nights};
    for (int32_t night = item->from;
         night < item->to && sale_night_is_over(row, night, decision->at_ms); night++)
        if (sold_of_night(kept, item, night) > 0)
            nights[shortfall.taken_count++] = answer_night(night, arena);
    return shortfall;
}

static const char *today_detail(const struct decision *decision)
{
    assert(decision->resource->row.timezone);
    const struct resource_row *row = &decision->resource->row;
    struct usher_arena *arena = decision_arena(decision);
    int32_t today = timezone_date(row->timezone, decision->at_ms);
    return usher_arena_format(arena, "it is %s in %s, earlier nights are over",
                              answer_night(today, arena), row->timezone);
}

/* Refuses nights that are over and would be sold, and names them item by item. */
static bool refuse_nights(struct decision *decision, struct booking *const *bookings,
                          uint32_t booking_count)
{
    const struct usher_request *request = decision->request;
    const struct resource_row *row = &decision->resource->row;
    if (!sale_is_of_past(row, request, decision->at_ms))
        return false;
    struct usher_shortfall *items =
        usher_arena_alloc(decision_arena(decision), request->item_count * sizeof *items);
    struct kept kept = keep(decision, bookings, booking_count);
    uint32_t count = 0;
    for (uint32_t i = 0; i < request->item_count; i++) {
        if (!sale_item_is_of_past(row, &request->items[i], decision->at_ms))
            continue;
        items[count] = past_of(decision, &kept, i);
        count += items[count].taken_count > 0;
    }
    if (count == 0)
        return false;
    decision_refuse_items(decision, USHER_NOT_ON_SALE, items, count);
    decision->answer.detail = today_detail(decision);
    return true;
}

/* ---- why not ---- */

static const char draft_detail[] = "draft: nothing is sold before open";

static const char *at(const struct decision *decision, const char *what, int64_t ms)
{
    assert(ms != USHER_ABSENT);
    char instant[USHER_INSTANT_SIZE];
    usher_instant_format(ms, instant);
    return usher_arena_format(decision_arena(decision), "%s %s", what, instant);
}

const char *sale_never(const struct decision *decision)
{
    const struct resource_row *row = &decision->resource->row;
    if (row->state == USHER_DRAFT)
        return draft_detail;
    if (row->state == USHER_OPEN && sale_has_closed(row, decision->at_ms))
        return at(decision, "nothing is sold: its sale closed at", row->closes_ms);
    if (row->state == USHER_OPEN && sale_has_ended(row, decision->at_ms))
        return at(decision, "nothing is sold: it ended at", row->ends_ms);
    return NULL;
}

const char *sale_over_detail(const struct decision *decision, const struct usher_request *wants)
{
    const struct resource_row *row = &decision->resource->row;
    if (sale_has_ended(row, decision->at_ms))
        return at(decision, "it ended at", row->ends_ms);
    if (sale_is_of_past(row, wants, decision->at_ms))
        return today_detail(decision);
    int64_t rates_ms = sale_rates_until_ms(decision->resource, wants);
    return decision->at_ms >= rates_ms ? at(decision, "its rates were sold until", rates_ms) : NULL;
}

/*
 * Returns why nothing is sold; NULL: something is. What time has closed the house may sell; not
 * what has yet to open, nor what somebody has closed.
 */
static const char *closed_detail(const struct decision *decision)
{
    const struct resource_row *row = &decision->resource->row;
    if (row->state == USHER_DRAFT)
        return draft_detail;
    if (row->state == USHER_CLOSED)
        return "closed";
    if (sale_is_yet_to_open(row, decision->at_ms))
        return at(decision, "on sale from", row->opens_ms);
    if (decision->request->force)
        return NULL;
    if (sale_has_closed(row, decision->at_ms))
        return at(decision, "on sale until", row->closes_ms);
    if (sale_has_ended(row, decision->at_ms))
        return at(decision, "it ended at", row->ends_ms);
    return NULL;
}

static void set_sale(struct decision *decision)
{
    assert(decision->answer.outcome == USHER_REFUSED);
    const struct resource_row *row = &decision->resource->row;
    decision->answer.state = row->state;
    decision->answer.opens_ms = row->opens_ms;
    decision->answer.closes_ms = row->closes_ms;
}

bool sale_refuse(struct decision *decision, struct booking *const *bookings, uint32_t count)
{
    assert(decision->resource && decision->request);
    const struct resource_row *row = &decision->resource->row;
    const char *detail = closed_detail(decision);
    if (detail && (count == 0 || sells(decision, bookings, count))) {
        decision_refuse(decision, USHER_NOT_ON_SALE, detail);
        decision->answer.retryable = !sale_has_ended(row, decision->at_ms);
    } else if (!decision->request->force && refuse_nights(decision, bookings, count)) {
        decision->answer.retryable = false;
    } else {
        return false;
    }
    set_sale(decision);
    return true;
}

/* ---- what an expired hold had ---- */

/* Whether a line is of a night that is over. */
static bool line_is_of_past(const struct decision *decision, const struct line *line)
{
    assert(line->pool < decision->resource->pool_count);
    const struct pool_row *pool = &decision->resource->pools[line->pool].row;
    return pool->kind == USHER_ROOM &&
           sale_night_is_over(&decision->resource->row, pool->night, decision->at_ms);
}

/* The nights that are over, item by item. Returns how many items. */
static uint32_t past_lines(const struct decision *decision, const struct line *lines,
                           uint32_t count, struct usher_shortfall *items)
{
    struct usher_arena *arena = decision_arena(decision);
    const char **nights = usher_arena_alloc(arena, count * sizeof *nights);
    uint32_t item_count = 0, night_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!line_is_of_past(decision, &lines[i]))
            continue;
        if (item_count == 0 || items[item_count - 1].item != lines[i].item)
            items[item_count++] = (struct usher_shortfall){.item = lines[i].item,
                                                           .asked = lines[i].unit_count,
                                                           .reason = USHER_NOT_ON_SALE,
                                                           .free = USHER_ABSENT,
                                                           .taken = nights + night_count};
        items[item_count - 1].taken_count++;
        nights[night_count++] =
            answer_night(decision->resource->pools[lines[i].pool].row.night, arena);
    }
    return item_count;
}

bool sale_refuse_again(struct decision *decision, const struct line *lines, uint32_t count)
{
    const struct resource_row *row = &decision->resource->row;
    if (sale_has_ended(row, decision->at_ms)) {
        decision_refuse(decision, USHER_HOLD_EXPIRED, at(decision, "it ended at", row->ends_ms));
        return true;
    }
    struct usher_shortfall *items =
        usher_arena_alloc(decision_arena(decision), count * sizeof *items);
    uint32_t item_count = past_lines(decision, lines, count, items);
    if (item_count == 0)
        return false;
    decision_refuse_items(decision, USHER_HOLD_EXPIRED, items, item_count);
    decision->answer.detail = today_detail(decision);
    return true;
}

/* ==== Limits ==== */

static uint32_t units_of_item(const struct usher_item *item)
{
    assert(item->kind != USHER_ROOM || item->from < item->to);
    return item->quantity * (item->kind == USHER_ROOM ? (uint32_t)(item->to - item->from) : 1);
}

uint32_t limits_units_requested(const struct usher_request *request)
{
    uint32_t units = 0;
    for (uint32_t i = 0; i < request->item_count; i++)
        units += units_of_item(&request->items[i]);
    return units;
}

/* ---- units of a group of pools ---- */

static bool has_name(const struct pool_group *group, const char *text)
{
    for (uint32_t i = 0; i < group->pool_count; i++)
        if (strcmp(group->pools[i]->text, text) == 0)
            return true;
    return false;
}

/* An item that accepts several sections counts where one of them does. */
static uint32_t units_requested_by_item(const struct resource *resource,
                                        const struct pool_group *group,
                                        const struct usher_item *item)
{
    uint32_t units = 0, pool, unit;
    for (uint32_t i = 0; i < item->seat_count; i++)
        if (names_find_seat(resource, item->seats[i], &pool, &unit) &&
            terms_group_has(group, resource, pool))
            units++;
    bool counts = item->pool && has_name(group, item->pool);
    for (uint32_t i = 0; i < item->section_count; i++)
        counts = counts || has_name(group, item->sections[i]);
    return counts ? units_of_item(item) : units;
}

static int64_t units_requested(const struct resource *resource, const struct pool_group *group,
                               const struct usher_request *request)
{
    int64_t units = 0;
    for (uint32_t i = 0; i < request->item_count; i++)
        units += units_requested_by_item(resource, group, &request->items[i]);
    return units;
}

static int64_t units_of_lines(const struct resource *resource, const struct pool_group *group,
                              const struct line *lines, uint32_t count)
{
    int64_t units = 0;
    for (uint32_t i = 0; i < count; i++)
        if (terms_group_has(group, resource, lines[i].pool))
            units += lines[i].unit_count;
    return units;
}

/* ---- the limits on a customer ---- */

/* Units that are to be added to those of a customer. */
struct addition {
    const char *customer;
    const struct usher_request *asked; /* items; NULL: lines */
    const struct line *lines;          /* of bookings that become the customer's */
    uint32_t line_count;
    struct booking *const *except; /* no longer count */
    uint32_t except_count;
    int64_t units;
    bool hold; /* one more open hold */
};

/* Whether there would be more beyond a limit than before: whatever is no more than that goes. */
static bool exceeds(int64_t limit, int64_t before, int64_t after)
{
    return limit > 0 && after > limit && after > before;
}

/* Returns the first group of which the customer would have too much; NULL: none. */
static const struct pool_group *exceeded_group(const struct resource *resource,
                                               const struct addition *addition,
                                               const struct tally *tally)
{
    for (uint32_t i = 0; i < resource->terms.group_count; i++) {
        const struct pool_group *group = &resource->terms.groups[i];
        int64_t added = units_of_lines(resource, group, addition->lines, addition->line_count);
        if (addition->asked)
            added += units_requested(resource, group, addition->asked);
        int64_t before = tally_of_group(tally, group, resource), after = before + added;
        for (uint32_t j = 0; j < addition->except_count; j++) {
            const struct content *except = addition->except[j]->content;
            after -= units_of_lines(resource, group, except->lines, except->line_count);
        }
        assert(after >= 0);
        if (after > group->limit && after > before)
            return group;
    }
    return NULL;
}

static const char *group_limit(const struct pool_group *group, struct usher_arena *arena)
{
    return usher_arena_format(arena, "at most %lld unit%s of \"%s\"%s per customer",
                              (long long)group->limit, PLURAL(group->limit), group->pools[0]->text,
                              group->pool_count > 1 ? " and the pools of its group together" : "");
}

/*
 * Returns the limit that would be exceeded, for people; NULL: none. `*group`: that of the limit, or
 * NULL.
 */
static const char *customer_limit(const struct resource *resource, const struct addition *addition,
                                  struct usher_arena *arena, const struct pool_group **group)
{
    *group = NULL;
    const struct terms *terms = &resource->terms;
    if (!terms->limits_customers)
        return NULL;
    const struct tally *tally = tally_find(resource, addition->customer);
    int64_t before = tally ? tally->units : 0, after = before + addition->units;
    int64_t holds = tally ? tally->holds : 0;
    for (uint32_t i = 0; i < addition->except_count; i++)
        after -= addition->except[i]->content->unit_count;
    assert(after >= 0);
    if (exceeds(terms->units_per_customer, before, after))
        return usher_arena_format(arena, "at most %lld unit%s per customer",
                                  (long long)terms->units_per_customer,
                                  PLURAL(terms->units_per_customer));
    if (addition->hold && exceeds(terms->holds_per_customer, holds, holds + 1))
        return usher_arena_format(arena, "at most %lld open hold%s per customer",
                                  (long long)terms->holds_per_customer,
                                  PLURAL(terms->holds_per_customer));
    *group = exceeded_group(resource, addition, tally);
    return *group ? group_limit(*group, arena) : NULL;
}

/* Returns the limit on a single request that would be exceeded, for people; NULL: none. */
static const char *request_limit(const struct decision *decision, const struct addition *addition)
{
    const struct terms *terms = &decision->resource->terms;
    int64_t most = 0, least = INT64_MAX; /* of the bookings that are changed */
    for (uint32_t i = 0; i < addition->except_count; i++) {
        int64_t had = addition->except[i]->content->unit_count;
        most = had > most ? had : most;
        least = had < least ? had : least;
    }
    if (addition->units < terms->units_min && addition->units < least)
        return usher_arena_format(decision_arena(decision), "at least %lld unit%s per request",
                                  (long long)terms->units_min, PLURAL(terms->units_min));
    if (exceeds(terms->units_per_request, most, addition->units))
        return usher_arena_format(decision_arena(decision), "at most %lld unit%s per request",
                                  (long long)terms->units_per_request,
                                  PLURAL(terms->units_per_request));
    return NULL;
}

bool limits_refuse_request(struct decision *decision, const char *customer,
                           struct booking *const *except, uint32_t except_count)
{
    assert(except_count == 0 || except[0]->row.resource_no == decision->resource->row.no);
    const struct usher_request *request = decision->request;
    const struct addition addition = {.customer = customer,
                                      .asked = request,
                                      .except = except,
                                      .except_count = except_count,
                                      .units = limits_units_requested(request),
                                      .hold = request->op == USHER_OP_HOLD};
    const struct pool_group *group;
    const char *limit = request_limit(decision, &addition);
    if (limit) {
        decision_refuse(decision, USHER_LIMIT_EXCEEDED, limit);
        return true;
    }
    limit = customer_limit(decision->resource, &addition, decision_arena(decision), &group);
    if (!limit)
        return false;
    decision_refuse(decision, USHER_LIMIT_EXCEEDED, limit);
    own_hold_name_limit(decision, group);
    return true;
}

bool limits_refuse_lines(struct decision *decision, const char *customer, const struct line *lines,
                         uint32_t count, bool hold)
{
    struct addition addition = {
        .customer = customer, .lines = lines, .line_count = count, .hold = hold};
    for (uint32_t i = 0; i < count; i++)
        addition.units += lines[i].unit_count;
    const struct pool_group *group;
    const char *limit =
        customer_limit(decision->resource, &addition, decision_arena(decision), &group);
    if (limit)
        decision_refuse(decision, USHER_LIMIT_EXCEEDED, limit);
    return limit;
}

bool limits_may_allow(const struct resource *resource, const struct usher_request *wants)
{
    const struct terms *terms = &resource->terms;
    int64_t units = limits_units_requested(wants);
    bool may = units >= terms->units_min && !exceeds(terms->units_per_request, 0, units) &&
               !exceeds(terms->units_per_customer, 0, units);
    for (uint32_t i = 0; may && i < terms->group_count; i++)
        may = units_requested(resource, &terms->groups[i], wants) <= terms->groups[i].limit;
    return may;
}

bool limits_allow_party(const struct resource *resource, const struct booking *party,
                        const struct usher_request *wants, struct usher_arena *arena)
{
    assert(party->row.state == BOOKING_WAITING);
    const struct pool_group *group;
    const struct addition addition = {.customer = party->row.customer,
                                      .asked = wants,
                                      .units = limits_units_requested(wants),
                                      .hold = true};
    return !customer_limit(resource, &addition, arena, &group);
}

/* Returns the maximum that the resource has for this request of the house. 0: it has none. */
static int64_t hold_house_s(const struct decision *decision)
{
    bool house = decision->request && decision->request->force;
    return house ? decision->resource->terms.house_hold_total_s : 0;
}

int64_t sale_hold_total_s(const struct decision *decision)
{
    const struct rules *rules = decision->rules;
    assert(rules->hold_ttl_max_s > 0 && rules->house_hold_ttl_max_s > 0);
    int64_t of_house = hold_house_s(decision);
    int64_t of_resource = of_house > 0 ? of_house : decision->resource->terms.hold_total_s;
    int64_t of_all = of_house > 0 ? rules->house_hold_ttl_max_s : rules->hold_ttl_max_s;
    return of_resource > 0 && of_resource < of_all ? of_resource : of_all;
}

int64_t sale_hold_ttl_s(const struct decision *decision, int64_t asked_s)
{
    assert(asked_s >= 0);
    int64_t of_resource = decision->resource->row.hold_ttl_s;
    int64_t ttl_s = asked_s;
    if (ttl_s == 0)
        ttl_s = of_resource != USHER_ABSENT ? of_resource : decision->rules->hold_ttl_s;
    if (of_resource != USHER_ABSENT && ttl_s > of_resource && hold_house_s(decision) == 0)
        ttl_s = of_resource;
    int64_t total_s = sale_hold_total_s(decision);
    return ttl_s < total_s ? ttl_s : total_s;
}
