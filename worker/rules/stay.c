/* Stay restrictions: see stay.h. PURE. */
#include "worker/rules/stay.h"

#include <assert.h>
#include <string.h>

#include "producer/codec/definition_fields.h"
#include "worker/inventory/shared_catalogue.h"
#include "worker/rules/decision.h"

enum {
    RULES_MAX = 1 + USHER_RATES_MAX /* lists of a date: of all rates, and of each */
};

/* ==== The rules of a date ==== */

/* What stands on a date for stays of a rate. 0: nothing. */
struct date_rules {
    int64_t min_stay_arrival, max_stay, min_stay_through; /* nights */
    bool closed_to_arrival, closed_to_departure, stop_sell;
};

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Adds the rules of an entry: a stay has to meet both. */
static void add_rules(struct date_rules *rules, const struct usher_restriction *entry)
{
    rules->min_stay_arrival = larger(rules->min_stay_arrival, entry->min_stay_arrival);
    rules->min_stay_through = larger(rules->min_stay_through, entry->min_stay_through);
    if (entry->max_stay > 0 && (rules->max_stay == 0 || entry->max_stay < rules->max_stay))
        rules->max_stay = entry->max_stay;
    rules->closed_to_arrival |= entry->closed_to_arrival > 0;
    rules->closed_to_departure |= entry->closed_to_departure > 0;
    rules->stop_sell |= entry->stop_sell > 0;
}

/* Whether units of a pool that are sold without naming a rate, or by that rate, are of `other`. */
static bool is_of_rate(const struct pool *pool, const char *rate, const char *other)
{
    if (!rate && pool->rates)
        rate = pool->rates->standard->rate;
    return rates_same(rate, other);
}

/* Returns the rules of a date; `pool` NULL: it has none. */
static struct date_rules rules_of(const struct pool *pool, const char *rate)
{
    struct date_rules rules = {0};
    const struct restrictions *list = pool ? pool->restrictions : NULL;
    for (uint32_t i = 0; list && i < list->count; i++)
        if (!list->at[i].rate || is_of_rate(pool, rate, list->at[i].rate))
            add_rules(&rules, &list->at[i]);
    return rules;
}

/* ==== Stays ==== */

struct stay {
    const struct resource *resource;
    const struct pool_name *name;
    const struct usher_item *item;
    const char *rate; /* NULL: on each date the one that units are sold at without naming one */
    struct usher_restricted *restricted;
};

static struct date_rules rules_on(const struct stay *stay, int32_t date)
{
    return rules_of(resource_night(stay->resource, stay->name, date), stay->rate);
}

static bool closes(const struct date_rules *rules, enum usher_stay_rule rule)
{
    assert(rule == USHER_STOP_SELL || rule == USHER_CLOSED_TO_ARRIVAL ||
           rule == USHER_CLOSED_TO_DEPARTURE);
    return rule == USHER_STOP_SELL           ? rules->stop_sell
           : rule == USHER_CLOSED_TO_ARRIVAL ? rules->closed_to_arrival
                                             : rules->closed_to_departure;
}

/* Returns the next date on sale that the rule does not close, within a year; 0: there is none. */
static int32_t next_date(const struct stay *stay, int32_t date, enum usher_stay_rule rule)
{
    for (int32_t next = date + 1; next <= date + USHER_NIGHTS_MAX && next <= stay->name->highest;
         next++) {
        const struct pool *pool = resource_night(stay->resource, stay->name, next);
        const struct date_rules rules = rules_of(pool, stay->rate);
        if (pool && pool->row.capacity > 0 && !closes(&rules, rule))
            return next;
    }
    return 0;
}

/* Whether the rule closes the date; then it is set. */
static bool is_closed(const struct stay *stay, int32_t date, enum usher_stay_rule rule)
{
    const struct date_rules rules = rules_on(stay, date);
    if (!closes(&rules, rule))
        return false;
    *stay->restricted =
        (struct usher_restricted){.rule = rule, .date = date, .next = next_date(stay, date, rule)};
    return true;
}

/* Sets a rule about nights, if the stay breaks it. Returns whether it does. */
static bool breaks(const struct stay *stay, int32_t date, enum usher_stay_rule rule, int64_t nights)
{
    int32_t has = stay->item->to - stay->item->from;
    if (nights == 0 || (rule == USHER_MAX_STAY ? has <= nights : has >= nights))
        return false;
    *stay->restricted =
        (struct usher_restricted){.rule = rule, .date = date, .nights = (uint32_t)nights};
    return true;
}

/* Whether a rule forbids the stay by this rate. NULL: on each date the one that it has without. */
static bool is_restricted_at(const struct resource *resource, const struct pool_name *name,
                             const struct usher_item *item, const char *rate,
                             struct usher_restricted *restricted)
{
    assert(item->kind == USHER_ROOM && item->from < item->to);
    if (!name->restricted)
        return false;
    const struct stay stay = {resource, name, item, rate, restricted};
    for (int32_t night = item->from; night < item->to; night++)
        if (is_closed(&stay, night, USHER_STOP_SELL))
            return true;
    const struct date_rules arrival = rules_on(&stay, item->from);
    if (is_closed(&stay, item->from, USHER_CLOSED_TO_ARRIVAL) ||
        is_closed(&stay, item->to, USHER_CLOSED_TO_DEPARTURE) ||
        breaks(&stay, item->from, USHER_MIN_STAY_ARRIVAL, arrival.min_stay_arrival) ||
        breaks(&stay, item->from, USHER_MAX_STAY, arrival.max_stay))
        return true;
    for (int32_t night = item->from; night < item->to; night++)
        if (breaks(&stay, night, USHER_MIN_STAY_THROUGH, rules_on(&stay, night).min_stay_through))
            return true;
    return false;
}

bool stay_is_restricted(const struct resource *resource, const struct pool_name *name,
                        const struct usher_item *item, struct usher_restricted *restricted)
{
    bool forbidden = is_restricted_at(resource, name, item, item->rate, restricted);
    const struct pool *arrival = resource_night(resource, name, item->from);
    const struct usher_rate *offered;
    uint32_t count = arrival && !item->rate ? rates_offered(arrival, NULL, &offered) : 0;
    struct usher_restricted other;
    for (uint32_t i = 1; forbidden && i < count; i++)
        forbidden = is_restricted_at(resource, name, item, offered[i].rate, &other);
    return forbidden;
}

bool stay_lines_are_restricted(const struct resource *resource, const struct pool_name *name,
                               const struct usher_item *item, const struct line *lines,
                               uint32_t count, struct usher_restricted *restricted)
{
    bool forbidden = false;
    for (uint32_t i = 0; !item->rate && !forbidden && i < count; i++) {
        const char *rate = lines[i].rate;
        if (i == 0 || !rates_same(rate, lines[i - 1].rate))
            forbidden =
                is_restricted_at(resource, name, item, rate ? rate : STANDARD_RATE, restricted);
    }
    return forbidden;
}

/* ==== Merging ==== */

/* ---- lists ---- */

static bool has_rate(const struct pool *pool, const char *rate)
{
    int64_t price;
    const char *named;
    return rates_price(pool, rate, &price, &named);
}

static int64_t nights_of(int64_t given, bool is_given, int64_t old)
{
    return given > 0 || is_given ? given : old;
}

static int8_t closed_of(int8_t given, int8_t old)
{
    return given == 0 ? old : given > 0;
}

/* Returns the rules of a date and rate by an entry. */
static struct usher_restriction with_entry(const struct usher_restriction *old,
                                           const struct usher_restriction *entry)
{
    return (struct usher_restriction){
        .rate = entry->rate,
        .min_stay_arrival = nights_of(entry->min_stay_arrival, entry->min_stay_arrival_given,
                                      old->min_stay_arrival),
        .max_stay = nights_of(entry->max_stay, entry->max_stay_given, old->max_stay),
        .min_stay_through = nights_of(entry->min_stay_through, entry->min_stay_through_given,
                                      old->min_stay_through),
        .closed_to_arrival = closed_of(entry->closed_to_arrival, old->closed_to_arrival),
        .closed_to_departure = closed_of(entry->closed_to_departure, old->closed_to_departure),
        .stop_sell = closed_of(entry->stop_sell, old->stop_sell),
    };
}

static bool stands(const struct usher_restriction *rules)
{
    return rules->min_stay_arrival > 0 || rules->max_stay > 0 || rules->min_stay_through > 0 ||
           rules->closed_to_arrival > 0 || rules->closed_to_departure > 0 || rules->stop_sell > 0;
}

/* The rules of all rates come first, then rates by name. */
static int compare_rates(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) : (a != NULL) - (b != NULL);
}

/* Puts the rules of an entry in the place of those of its rate. Returns how many rates have some.
 */
static uint32_t apply_entry(const struct usher_restriction *entry, struct usher_restriction *rules,
                            uint32_t count)
{
    static const struct usher_restriction none;
    uint32_t at = 0;
    while (at < count && compare_rates(rules[at].rate, entry->rate) < 0)
        at++;
    bool had = at < count && compare_rates(rules[at].rate, entry->rate) == 0;
    assert(had || count < RULES_MAX);
    if (!had)
        memmove(&rules[at + 1], &rules[at], (count - at) * sizeof *rules);
    rules[at] = with_entry(had ? &rules[at] : &none, entry);
    return had ? count : count + 1;
}

void stay_keep_rates(struct resource *resource, struct pool *pool)
{
    const struct restrictions *list = pool->restrictions;
    if (!list)
        return;
    struct usher_restriction kept[RULES_MAX];
    uint32_t count = 0;
    assert(list->count <= RULES_MAX);
    for (uint32_t i = 0; i < list->count; i++)
        if (!list->at[i].rate || has_rate(pool, list->at[i].rate))
            kept[count++] = list->at[i];
    if (count < list->count)
        restrictions_set(pool, restrictions_list(resource, kept, count));
}

/* ---- entries ---- */

/* Returns why a date cannot have the rules: it has no night, or not the rate; NULL: it can. */
static const char *refusal_of(const struct usher_restriction *entry, const struct pool *pool,
                              int32_t date, struct usher_arena *arena)
{
    if (!pool)
        return usher_arena_format(arena, "restrictions of \"%s\": there is no night %s",
                                  entry->room, answer_night(date, arena));
    if (entry->rate && !has_rate(pool, entry->rate))
        return usher_arena_format(arena, "restrictions of \"%s\": there is no rate \"%s\" on %s",
                                  entry->room, entry->rate, answer_night(date, arena));
    return NULL;
}

/* Counts the entry at each of its nights. Returns why it is refused, or NULL. */
static const char *count_entry(const struct resource *resource,
                               const struct usher_restriction *entry, uint32_t *counts,
                               struct usher_arena *arena)
{
    const struct pool_name *name = resource_name(resource, entry->room);
    if (!name || name->kind != USHER_ROOM)
        return usher_arena_format(arena, "restrictions of \"%s\": there is no such room type",
                                  entry->room);
    const char *why = NULL;
    uint32_t days = restriction_days(entry);
    for (int32_t date = entry->from; !why && date < entry->to; date++) {
        if (!restriction_has(days, date))
            continue;
        const struct pool *pool = resource_night(resource, name, date);
        why = refusal_of(entry, pool, date, arena);
        if (!why)
            counts[pool->row.index]++;
    }
    return why;
}

/* Puts the entry behind those that its nights have: `ends`, by pool, in `of`. */
static void list_entry(const struct resource *resource, const struct usher_restriction *entry,
                       uint32_t *ends, const struct usher_restriction **of)
{
    const struct pool_name *name = resource_name(resource, entry->room);
    uint32_t days = restriction_days(entry);
    for (int32_t date = entry->from; date < entry->to; date++)
        if (restriction_has(days, date))
            of[ends[resource_night(resource, name, date)->row.index]++] = entry;
}

/* What entries make of a list is the same for all nights that have both. */
struct merged {
    struct resource *resource;
    const struct usher_restriction *const *entries;
    uint32_t count;
    struct restrictions *before, *after;
};

/* Only what a night has in the end becomes a list: each one stays for long. */
static void merge_entries(struct merged *merged)
{
    struct usher_restriction rules[RULES_MAX];
    uint32_t count = merged->before ? merged->before->count : 0, kept = 0;
    assert(count <= RULES_MAX);
    if (count > 0)
        memcpy(rules, merged->before->at, count * sizeof *rules);
    for (uint32_t i = 0; i < merged->count; i++)
        count = apply_entry(merged->entries[i], rules, count);
    for (uint32_t i = 0; i < count; i++)
        if (stands(&rules[i]))
            rules[kept++] = rules[i];
    merged->after = restrictions_list(merged->resource, rules, kept);
}

static void merge_pool(struct merged *merged, struct pool *pool,
                       const struct usher_restriction *const *entries, uint32_t count)
{
    bool same = pool->restrictions == merged->before && count == merged->count &&
                memcmp(entries, merged->entries, count * sizeof *entries) == 0;
    if (!same) {
        merged->entries = entries;
        merged->count = count;
        merged->before = pool->restrictions;
        merge_entries(merged);
    }
    pool->changed |= merged->before != merged->after;
    restrictions_set(pool, merged->after);
}

const char *stay_merge(struct resource *resource, const struct usher_restriction *entries,
                       uint32_t count, struct usher_arena *arena)
{
    const char *why = NULL;
    uint32_t *ends = usher_arena_alloc(arena, resource->pool_count * sizeof *ends), total = 0;
    for (uint32_t i = 0; !why && i < count; i++)
        why = count_entry(resource, &entries[i], ends, arena);
    if (why)
        return why;
    for (uint32_t i = 0; i < resource->pool_count; i++) {
        uint32_t here = ends[i];
        ends[i] = total;
        total += here;
    }
    const struct usher_restriction **of = usher_arena_alloc(arena, total * sizeof(void *));
    for (uint32_t i = 0; i < count; i++)
        list_entry(resource, &entries[i], ends, of);
    struct merged merged = {.resource = resource};
    for (uint32_t i = 0, from = 0; i < resource->pool_count; from = ends[i++])
        if (ends[i] > from)
            merge_pool(&merged, &resource->pools[i], of + from, ends[i] - from);
    return NULL;
}

/* ---- rules that no stay can meet ---- */

const char *stay_contradiction(const struct pool *pool, struct usher_arena *arena)
{
    const struct restrictions *list = pool->restrictions;
    for (uint32_t i = 0; list && i < list->count; i++) {
        struct date_rules rules = {0};
        add_rules(&rules, &list->at[i]);
        if (!list->at[0].rate)
            add_rules(&rules, &list->at[0]);
        bool arrival = rules.min_stay_arrival >= rules.min_stay_through;
        int64_t least = arrival ? rules.min_stay_arrival : rules.min_stay_through;
        if (rules.max_stay == 0 || least <= rules.max_stay)
            continue;
        const char *rate = list->at[i].rate;
        return usher_arena_format(
            arena, "no stay can arrive at \"%s\" on %s%s%s%s: %s %lld is above max_stay %lld",
            pool->row.name, answer_night(pool->row.night, arena), rate ? " by the rate \"" : "",
            rate ? rate : "", rate ? "\"" : "", arrival ? "min_stay_arrival" : "min_stay_through",
            (long long)least, (long long)rules.max_stay);
    }
    return NULL;
}
