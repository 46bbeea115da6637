/* What a request asks for, compared with all that there is: see possible.h. PURE. */
#include "worker/rules/possible.h"

#include <assert.h>
#include <string.h>

#include "worker/base/texts.h"
#include "worker/inventory/names.h"
#include "worker/inventory/seats.h"
#include "worker/inventory/shared_catalogue.h"
#include "worker/inventory/terms.h"
#include "worker/rules/members.h"
#include "worker/rules/sale.h"
#include "worker/rules/seating.h"
#include "worker/rules/stay.h"

/* ---- pools ---- */

/* The names of which one is to serve the item. */
static const char *const *names_of(const struct usher_item *item, uint32_t *count)
{
    *count = item->section_count > 0 ? item->section_count : 1;
    return item->section_count > 0 ? item->sections : &item->pool;
}

/* Returns the pool under a name if it has units, or NULL; of a room type that of the night. */
static const struct pool *pool_of(const struct resource *resource, const struct usher_item *item,
                                  const char *text, int32_t night)
{
    const struct pool_name *name = resource_name(resource, text);
    if (!name || name->kind != item->kind)
        return NULL;
    const struct pool *pool = item->kind == USHER_ROOM ? resource_night(resource, name, night)
                                                       : &resource->pools[name->pool];
    return pool && pool->row.capacity > 0 ? pool : NULL;
}

static bool has_rate(const struct pool *pool, const char *rate)
{
    int64_t price;
    const char *named;
    return rates_price(pool, rate, &price, &named);
}

static bool has_rates(const struct pool *pool, const struct usher_item *item)
{
    bool has = has_rate(pool, item->rate);
    for (uint32_t i = 0; has && i < item->member_count; i++)
        has = has_rate(pool, item->members[i].rate);
    return has;
}

/* ---- each item ---- */

/* Returns the most units of a pool that can be had at one of the rates that may serve this one. */
static int64_t most_at_rate(const struct resource *resource, const struct pool *pool,
                            const char *rate)
{
    const struct usher_rate *offered;
    uint32_t count = rates_offered(pool, rate, &offered);
    int64_t most = 0;
    for (uint32_t i = 0; i < count; i++) {
        int64_t limit = terms_limit_of_rate(resource, pool, offered ? offered[i].rate : NULL);
        most = limit > most ? limit : most;
    }
    return most;
}

/* The same by the rates of the item; 0: a member can never have its units. */
static int64_t most_at_rates(const struct resource *resource, const struct pool *pool,
                             const struct usher_item *item)
{
    for (uint32_t i = 0; i < item->member_count; i++)
        if (most_at_rate(resource, pool, item->members[i].rate) < item->members[i].quantity)
            return 0;
    return item->member_count > 0 ? INT64_MAX : most_at_rate(resource, pool, item->rate);
}

/* Whether an item names more known seats of some pool than its rate can ever have there. */
static bool seats_exceed_rates(const struct resource *resource, const struct usher_item *item)
{
    if (resource->terms.rate_count == 0)
        return false;
    struct usher_arena arena = {0};
    uint32_t *seats = usher_arena_alloc(&arena, resource->pool_count * sizeof *seats);
    memset(seats, 0, resource->pool_count * sizeof *seats);
    for (uint32_t i = 0, pool, unit; i < item->seat_count; i++)
        if (names_find_seat(resource, item->seats[i], &pool, &unit))
            seats[pool]++;
    bool exceed = false;
    for (uint32_t i = 0; !exceed && i < resource->pool_count; i++)
        exceed = seats[i] > 0 && most_at_rates(resource, &resource->pools[i], item) < seats[i];
    usher_arena_deinit(&arena);
    return exceed;
}

static enum usher_reason seats_refusal(const struct resource *resource,
                                       const struct usher_item *item)
{
    for (uint32_t i = 0; i < item->seat_count; i++) {
        uint32_t pool, unit;
        if (!names_find_seat(resource, item->seats[i], &pool, &unit))
            return USHER_UNKNOWN_SEAT;
        if (!has_rate(&resource->pools[pool], item->rate))
            return USHER_UNKNOWN_RATE;
    }
    return seats_exceed_rates(resource, item) ? USHER_NOT_ENOUGH : USHER_REASON_NONE;
}

static bool accepts(const struct usher_item *item, const struct pool *pool, uint32_t unit)
{
    const struct party party = {.quantity = item->quantity,
                                .features = item->features,
                                .feature_count = item->feature_count,
                                .avoid = item->avoid,
                                .avoid_count = item->avoid_count};
    return seating_accepts(pool, &party, unit);
}

/* Returns the most seats that the item accepts: side by side if they must be. */
static uint32_t most_seats(const struct pool *pool, const struct usher_item *item)
{
    uint32_t most = 0, run = 0;
    for (uint32_t i = 0; i < pool->seat_row_count; i++) {
        const struct seat_row *row = &pool->seat_rows[i];
        run = item->together ? 0 : run;
        for (uint32_t j = 0; j < row->seats; j++) {
            if (accepts(item, pool, row->first_unit + j))
                run++;
            else if (item->together)
                run = 0;
            most = run > most ? run : most;
        }
    }
    return most;
}

/* Whether members that need features could be seated. */
static bool could_seat(const struct pool *pool, const struct usher_item *item)
{
    struct usher_arena arena = {0};
    int32_t *all = usher_arena_alloc(&arena, pool->units.count * sizeof *all);
    for (uint32_t i = 0; i < pool->units.count; i++)
        all[i] = (int32_t)i;
    const struct party party = {.quantity = item->quantity,
                                .together = item->together,
                                .strategy = USHER_FIRST,
                                .avoid = item->avoid,
                                .avoid_count = item->avoid_count,
                                .members = item->members,
                                .member_count = item->member_count,
                                .among = all,
                                .among_count = pool->units.count};
    struct members *members = usher_arena_alloc(&arena, sizeof *members);
    int32_t *units = usher_arena_alloc(&arena, item->quantity * sizeof *units);
    members_see(members, pool, &party, &arena);
    bool could = members_free(members) >= item->quantity &&
                 (!item->together || members_seat(members, 0, units).pieces > 0);
    usher_arena_deinit(&arena);
    return could;
}

/* Returns the most units of a pool that the item can have, by what there is of it. */
static uint32_t most_there(const struct pool *pool, const struct usher_item *item)
{
    bool needs = members_need(item->members, item->member_count);
    if (pool->row.kind != USHER_SEATS)
        return item->feature_count > 0 || needs ? 0 : pool->row.capacity;
    if (needs)
        return could_seat(pool, item) ? item->quantity : 0;
    bool any = !item->together && item->feature_count + item->avoid_count == 0;
    return any ? pool->row.capacity : most_seats(pool, item);
}

/* Returns the same, also by the quotas that the pool is in, and by its rates. */
static int64_t most_of(const struct resource *resource, const struct pool *pool,
                       const struct usher_item *item)
{
    int64_t most = most_there(pool, item), at_rates = most_at_rates(resource, pool, item);
    most = at_rates < most ? at_rates : most;
    for (uint32_t i = 0; i < resource->terms.quotas.count; i++) {
        const struct pool_group *quota = &resource->terms.quotas.at[i];
        if (quota->limit < most && terms_group_has(quota, resource, pool->row.index))
            most = quota->limit;
    }
    return most;
}

/* A name that is unknown is a mistake, though another section would do. */
static enum usher_reason quantity_refusal(const struct resource *resource,
                                          const struct usher_item *item)
{
    uint32_t count;
    int64_t most = 0;
    const char *const *names = names_of(item, &count);
    for (uint32_t i = 0; i < count; i++) {
        const struct pool *pool = pool_of(resource, item, names[i], NIGHT_NONE);
        if (!pool)
            return USHER_UNKNOWN_POOL;
        if (!has_rates(pool, item))
            return USHER_UNKNOWN_RATE;
        int64_t units = most_of(resource, pool, item);
        most = units > most ? units : most;
    }
    return most < item->quantity ? USHER_NOT_ENOUGH : USHER_REASON_NONE;
}

static enum usher_reason nights_refusal(const struct resource *resource,
                                        const struct usher_item *item)
{
    enum usher_reason reason = USHER_REASON_NONE;
    for (int32_t night = item->from; night < item->to; night++) {
        const struct pool *pool = pool_of(resource, item, item->pool, night);
        if (!pool)
            return USHER_UNKNOWN_POOL;
        if (!has_rate(pool, item->rate))
            return USHER_UNKNOWN_RATE;
        if (most_at_rates(resource, pool, item) < item->quantity)
            reason = USHER_NOT_ENOUGH;
    }
    struct usher_restricted restricted;
    bool forbidden =
        stay_is_restricted(resource, resource_name(resource, item->pool), item, &restricted);
    return forbidden ? USHER_RESTRICTED : reason;
}

static enum usher_reason item_refusal(const struct resource *resource,
                                      const struct usher_item *item)
{
    switch (item->kind) {
    case USHER_SEATS:
        return seats_refusal(resource, item);
    case USHER_ROOM:
        return nights_refusal(resource, item);
    case USHER_SECTION:
    case USHER_PRODUCT:
        break;
    }
    return quantity_refusal(resource, item);
}

/* ---- all items together ---- */

static bool is_rate(const char *named, const char *rate)
{
    return named && rates_same(named, rate);
}

/* Units for which an item names a rate, in each pool. */
static uint32_t quantity_at(const struct usher_item *item, const char *rate)
{
    uint32_t quantity = item->member_count == 0 && is_rate(item->rate, rate) ? item->quantity : 0;
    for (uint32_t i = 0; i < item->member_count; i++)
        quantity += is_rate(item->members[i].rate, rate) ? item->members[i].quantity : 0;
    return quantity;
}

/* Units that an item asks for of these pools, and of no others; of rooms those of a night. */
static int64_t units_of_item(const struct resource *resource, const struct usher_item *item,
                             const struct pool_group *group, int32_t night)
{
    uint32_t quantity = group->rate ? quantity_at(item, group->rate) : item->quantity;
    if (quantity == 0 && item->kind != USHER_SEATS)
        return 0;
    if (group->rate && item->kind == USHER_SEATS && !is_rate(item->rate, group->rate))
        return 0;
    if (item->kind == USHER_ROOM && (night < item->from || night >= item->to))
        return 0;
    int64_t seats = 0;
    for (uint32_t i = 0, pool, unit; i < item->seat_count; i++)
        seats += names_find_seat(resource, item->seats[i], &pool, &unit) &&
                 terms_group_has(group, resource, pool);
    if (item->kind == USHER_SEATS)
        return seats;
    uint32_t count;
    const char *const *names = names_of(item, &count);
    for (uint32_t i = 0; i < count; i++) {
        const struct pool *pool = pool_of(resource, item, names[i], night);
        if (!pool || !terms_group_has(group, resource, pool->row.index))
            return 0;
    }
    return quantity;
}

static int64_t units_of(const struct resource *resource, const struct usher_request *wants,
                        const struct pool_group *group, int32_t night)
{
    int64_t units = 0;
    for (uint32_t i = 0; i < wants->item_count; i++)
        units += units_of_item(resource, &wants->items[i], group, night);
    return units;
}

/* Whether the items together ask for more of a pool than it has, where no other one will do. */
static bool exceeds_pool(const struct resource *resource, const struct usher_request *wants,
                         const struct pool *pool)
{
    struct pool_name *name = pool->name;
    const struct pool_group only = {.pools = &name, .pool_count = 1};
    return units_of(resource, wants, &only, pool->row.night) > pool->row.capacity;
}

static bool exceeds_pools(const struct resource *resource, const struct usher_request *wants,
                          const struct usher_item *item)
{
    bool exceeds = false;
    for (uint32_t i = 0, pool, unit; !exceeds && i < item->seat_count; i++)
        exceeds = names_find_seat(resource, item->seats[i], &pool, &unit) &&
                  exceeds_pool(resource, wants, &resource->pools[pool]);
    for (int32_t night = item->from; !exceeds && item->kind == USHER_ROOM && night < item->to;
         night++)
        exceeds = exceeds_pool(resource, wants, pool_of(resource, item, item->pool, night));
    return exceeds;
}

/* Whether all units that the item accepts suit `other`, by the words of both. */
static bool is_within(const struct usher_item *item, const struct usher_item *other)
{
    uint32_t count, other_count;
    const char *const *names = names_of(item, &count);
    const char *const *other_names = names_of(other, &other_count);
    return item->kind == other->kind && texts_have_all(other_names, other_count, names, count) &&
           texts_have_all(item->features, item->feature_count, other->features,
                          other->feature_count) &&
           texts_have_all(item->avoid, item->avoid_count, other->avoid, other->avoid_count);
}

/* Returns how many of the seats that `seats` names suit the item, too. */
static int64_t seats_within(const struct resource *resource, const struct usher_item *seats,
                            const struct usher_item *item)
{
    int64_t within = 0;
    uint32_t count;
    const char *const *names = names_of(item, &count);
    for (uint32_t i = 0, at, unit; i < seats->seat_count; i++) {
        if (!names_find_seat(resource, seats->seats[i], &at, &unit))
            continue;
        const struct pool *pool = &resource->pools[at];
        const char *name = pool->row.name;
        within += item->kind == USHER_SECTION && texts_have_all(names, count, &name, 1) &&
                  accepts(item, pool, unit);
    }
    return within;
}

/* One of the parts of an item: a member of it as an item of its own, or all of it. */
static struct usher_item part_of(const struct usher_item *item, uint32_t index)
{
    struct usher_item part = *item;
    if (item->member_count == 0)
        return part;
    part.quantity = item->members[index].quantity;
    part.features = item->members[index].features;
    part.feature_count = item->members[index].feature_count;
    part.members = NULL;
    part.member_count = 0;
    return part;
}

static uint32_t parts_of(const struct usher_item *item)
{
    return item->member_count > 0 ? item->member_count : 1;
}

/* Returns how many units an item asks for that must suit another one, too. */
static int64_t asked_within(const struct usher_item *item, const struct usher_item *other)
{
    int64_t asked = 0;
    for (uint32_t i = 0; i < parts_of(item); i++) {
        const struct usher_item part = part_of(item, i);
        asked += is_within(&part, other) ? part.quantity : 0;
    }
    return asked;
}

/* Whether the items that accept only units which suit this part ask for more than there are. */
static bool exceeds_part(const struct resource *resource, const struct usher_request *wants,
                         const struct usher_item *item)
{
    struct usher_item apart = *item;
    apart.together = false;
    uint32_t count;
    const char *const *names = names_of(item, &count);
    int64_t there = 0, asked = 0;
    for (uint32_t i = 0; i < count; i++)
        there += most_there(pool_of(resource, item, names[i], NIGHT_NONE), &apart);
    for (uint32_t i = 0; i < wants->item_count; i++) {
        const struct usher_item *other = &wants->items[i];
        if (other->kind == USHER_SEATS)
            asked += seats_within(resource, other, item);
        else if (other->kind != USHER_ROOM)
            asked += asked_within(other, item);
    }
    return asked > there;
}

static bool exceeds_item(const struct resource *resource, const struct usher_request *wants,
                         const struct usher_item *item)
{
    bool exceeds = false;
    for (uint32_t i = 0; !exceeds && i < parts_of(item); i++) {
        const struct usher_item part = part_of(item, i);
        exceeds = exceeds_part(resource, wants, &part);
    }
    return exceeds;
}

/* Units without a night count on each of them. */
static bool exceeds_quota(const struct resource *resource, const struct usher_request *wants,
                          const struct pool_group *quota)
{
    bool exceeds = units_of(resource, wants, quota, NIGHT_NONE) > quota->limit;
    for (uint32_t i = 0; !exceeds && i < wants->item_count; i++) {
        const struct usher_item *item = &wants->items[i];
        for (int32_t night = item->from; !exceeds && item->kind == USHER_ROOM && night < item->to;
             night++)
            exceeds = units_of(resource, wants, quota, night) > quota->limit;
    }
    return exceeds;
}

enum usher_reason possible_refusal(const struct resource *resource,
                                   const struct usher_request *wants)
{
    assert(wants->item_count > 0);
    if (!limits_may_allow(resource, wants))
        return USHER_LIMIT_EXCEEDED;
    for (uint32_t i = 0; i < wants->item_count; i++) {
        enum usher_reason reason = item_refusal(resource, &wants->items[i]);
        if (reason != USHER_REASON_NONE)
            return reason;
    }
    for (uint32_t i = 0; i < wants->item_count; i++) {
        const struct usher_item *item = &wants->items[i];
        bool is_named = item->kind == USHER_SEATS || item->kind == USHER_ROOM;
        if (is_named ? exceeds_pools(resource, wants, item) : exceeds_item(resource, wants, item))
            return USHER_NOT_ENOUGH;
    }
    for (uint32_t i = 0; i < resource->terms.quotas.count; i++)
        if (exceeds_quota(resource, wants, &resource->terms.quotas.at[i]))
            return USHER_NOT_ENOUGH;
    for (uint32_t i = 0; i < resource->terms.rate_count; i++)
        if (exceeds_quota(resource, wants, &resource->terms.rates[i]))
            return USHER_NOT_ENOUGH;
    return USHER_REASON_NONE;
}
