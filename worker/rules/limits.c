/*
 * Checks the limits on a request and those on a customer. PURE.
 */
#include "worker/rules/limits.h"

#include <string.h>

#include "producer/base/plural.h"
#include "worker/inventory/names.h"
#include "worker/inventory/tally.h"
#include "worker/inventory/terms.h"

static uint32_t units_of_item(const struct usher_item *item)
{
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
    const struct booking *except; /* no longer counts; NULL */
    int64_t units;
    bool hold; /* one more open hold */
};

static bool exceeds(int64_t limit, int64_t count)
{
    return limit > 0 && count > limit;
}

static bool exceeds_group(const struct resource *resource, const struct addition *addition,
                          const struct tally *tally)
{
    const struct content *except = addition->except ? addition->except->content : NULL;
    for (uint32_t i = 0; i < resource->terms.group_count; i++) {
        const struct pool_group *group = &resource->terms.groups[i];
        int64_t added = units_of_lines(resource, group, addition->lines, addition->line_count);
        if (addition->asked)
            added += units_requested(resource, group, addition->asked);
        int64_t had = tally_of_group(tally, group, resource);
        if (except)
            had -= units_of_lines(resource, group, except->lines, except->line_count);
        if (added > 0 && had + added > group->limit)
            return true;
    }
    return false;
}

/* Returns the limit that would be exceeded, for people; NULL: none. */
static const char *customer_limit(const struct resource *resource, const struct addition *addition,
                                  struct usher_arena *arena)
{
    const struct terms *terms = &resource->terms;
    if (!terms->limits_customers)
        return NULL;
    const struct tally *tally = tally_find(resource, addition->customer);
    const struct booking *except = addition->except;
    int64_t units = (tally ? tally->units : 0) - (except ? except->content->unit_count : 0);
    int64_t holds = tally ? tally->holds : 0;
    if (exceeds(terms->units_per_customer, units + addition->units))
        return usher_arena_format(arena, "at most %lld unit%s per customer",
                                  (long long)terms->units_per_customer,
                                  PLURAL(terms->units_per_customer));
    if (addition->hold && exceeds(terms->holds_per_customer, holds + 1))
        return usher_arena_format(arena, "at most %lld open hold%s per customer",
                                  (long long)terms->holds_per_customer,
                                  PLURAL(terms->holds_per_customer));
    return exceeds_group(resource, addition, tally)
               ? "the customer's limit for this group of pools is exceeded"
               : NULL;
}

/* Returns the limit on a single request that would be exceeded, for people; NULL: none. */
static const char *request_limit(const struct decision *decision, int64_t units)
{
    const struct terms *terms = &decision->resource->terms;
    if (units < terms->units_min)
        return usher_arena_format(decision_arena(decision), "at least %lld unit%s per request",
                                  (long long)terms->units_min, PLURAL(terms->units_min));
    if (exceeds(terms->units_per_request, units))
        return usher_arena_format(decision_arena(decision), "at most %lld unit%s per request",
                                  (long long)terms->units_per_request,
                                  PLURAL(terms->units_per_request));
    return NULL;
}

bool limits_refuse_request(struct decision *decision, const char *customer,
                           const struct booking *except)
{
    const struct usher_request *request = decision->request;
    const struct addition addition = {.customer = customer,
                                      .asked = request,
                                      .except = except,
                                      .units = limits_units_requested(request),
                                      .hold = request->op == USHER_OP_HOLD};
    const char *limit = request_limit(decision, addition.units);
    if (!limit)
        limit = customer_limit(decision->resource, &addition, decision_arena(decision));
    if (limit)
        decision_refuse(decision, USHER_LIMIT_EXCEEDED, limit);
    return limit;
}

bool limits_refuse_lines(struct decision *decision, const char *customer, const struct line *lines,
                         uint32_t count, bool hold)
{
    struct addition addition = {
        .customer = customer, .lines = lines, .line_count = count, .hold = hold};
    for (uint32_t i = 0; i < count; i++)
        addition.units += lines[i].unit_count;
    const char *limit = customer_limit(decision->resource, &addition, decision_arena(decision));
    if (limit)
        decision_refuse(decision, USHER_LIMIT_EXCEEDED, limit);
    return limit;
}

bool limits_allow_party(const struct resource *resource, const struct booking *party,
                        const struct usher_request *wants, struct usher_arena *arena)
{
    const struct addition addition = {.customer = party->customer,
                                      .asked = wants,
                                      .units = limits_units_requested(wants),
                                      .hold = true};
    return !customer_limit(resource, &addition, arena);
}

int64_t limits_hold_ttl_s(const struct decision *decision, int64_t asked_s)
{
    int64_t of_resource = decision->resource->row.hold_ttl_s;
    int64_t ttl_s = asked_s;
    if (ttl_s == 0)
        ttl_s = of_resource != USHER_ABSENT ? of_resource : decision->rules->hold_ttl_s;
    if (of_resource != USHER_ABSENT && ttl_s > of_resource)
        ttl_s = of_resource;
    return ttl_s < decision->rules->hold_ttl_max_s ? ttl_s : decision->rules->hold_ttl_max_s;
}
