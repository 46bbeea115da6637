/* A definition merged into the catalogue of a resource, and checked as a whole. PURE. */
#include "worker/rules/merge.h"

#include <assert.h>
#include <string.h>

#include "producer/codec/stored.h"
#include "worker/inventory/catalogue.h"
#include "worker/inventory/names.h"
#include "worker/inventory/shared_catalogue.h"
#include "worker/inventory/terms.h"
#include "worker/rules/rate_quotas.h"
#include "worker/rules/stay.h"

/* ==== Refusal ==== */

/* Notes a reason to refuse the result; the earliest one stays. */
static void merge_refuse(struct merge *merge, enum usher_reason reason, const char *detail)
{
    assert(reason != USHER_REASON_NONE && detail);
    if (merge->reason == USHER_REASON_NONE || reason < merge->reason) {
        merge->reason = reason;
        merge->detail = detail;
    }
}

/* ==== Pools ==== */

/* ---- names ---- */

/* Checks that a name is free or of this kind: no two pools of different kinds share a name. */
static bool check_name(struct merge *merge, const char *text, enum usher_kind kind)
{
    assert(kind != USHER_SEATS); /* a section, as far as its name goes */
    const struct pool_name *name = resource_name(merge->resource, text);
    if (!name || name->kind == kind)
        return true;
    static const char *const kinds[] = {[USHER_SEATS] = "section",
                                        [USHER_SECTION] = "section",
                                        [USHER_ROOM] = "room type",
                                        [USHER_PRODUCT] = "product"};
    merge_refuse(merge, USHER_BAD_CHART,
                 usher_arena_format(merge->arena,
                                    "\"%s\" is a %s and cannot become a %s: use another name", text,
                                    kinds[name->kind], kinds[kind]));
    return false;
}

static void refuse_empty(struct merge *merge, const char *text, const char *lacks)
{
    merge_refuse(merge, USHER_BAD_CHART,
                 usher_arena_format(merge->arena, "there is no \"%s\" yet: a new one needs %s",
                                    text, lacks));
}

/*
 * Adds a pool, unless there are too many, or a night too far from the others: here only what would
 * take too much memory until the whole is judged.
 */
static struct pool *add_pool(struct merge *merge, enum usher_kind kind, const char *text,
                             int32_t night)
{
    if (merge->added >= USHER_POOLS_MAX || merge->resource->pool_count >= CATALOGUE_POOLS_MAX) {
        merge->over_limit = true;
        return NULL;
    }
    if (kind == USHER_ROOM && !catalogue_reaches(merge->resource, text, night)) {
        merge->over_calendar = true;
        return NULL;
    }
    merge->added++;
    return catalogue_add(merge->resource, kind, text, night);
}

/* A number of a definition; a value not given stays as it was. */
struct amount {
    int64_t number;
    bool given;
};

/*
 * Returns the section or product of that name, added where it is new. NULL: there is nothing to
 * merge, or it is refused: it is new and its capacity is 0 or not given.
 */
static struct pool *find_or_add(struct merge *merge, enum usher_kind kind, const char *text,
                                struct amount capacity, const char *lacks)
{
    assert(kind != USHER_ROOM);
    if (!check_name(merge, text, kind == USHER_SEATS ? USHER_SECTION : kind))
        return NULL;
    const struct pool_name *name = resource_name(merge->resource, text);
    if (name)
        return &merge->resource->pools[name->pool];
    if (capacity.given && capacity.number == 0)
        return NULL; /* removes what does not exist */
    if (!capacity.given) {
        refuse_empty(merge, text, lacks);
        return NULL;
    }
    return add_pool(merge, kind, text, NIGHT_NONE);
}

/* ---- prices ---- */

/* The price of the pools of an entry. */
struct pricing {
    struct amount price;
    struct rates *rates;             /* NULL: none given */
    struct rates *before, *standard; /* a list of a pool, and the same with this price */
};

/* What an entry gives: the list of its rates is the same for all of its pools. */
static struct pricing pricing_of(struct merge *merge, struct amount price,
                                 const struct usher_rate *rates, uint32_t count)
{
    return (struct pricing){
        .price = price,
        .rates = count > 0 ? rates_list(merge->resource, rates, count) : NULL,
    };
}

/* Returns a list with that standard rate; it is added as the first, if there was none. */
static struct rates *with_standard(struct merge *merge, const struct rates *before, int64_t price)
{
    assert(before->count > 0);
    uint32_t more = rates_find(before, STANDARD_RATE) ? 0 : 1;
    uint32_t count = before->count + more;
    struct usher_rate *rates = usher_arena_alloc(merge->arena, count * sizeof *rates);
    memcpy(rates + more, before->at, before->count * sizeof *rates);
    if (more > 0)
        rates[0].rate = STANDARD_RATE;
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(rates[i].rate, STANDARD_RATE) == 0)
            rates[i].price = price;
    return rates_list(merge->resource, rates, count);
}

/* Sets the price of a pool, and its rates, from which it follows; NULL: it has none. */
static void set_price(struct merge *merge, struct pool *pool, struct rates *rates, int64_t price)
{
    assert(!rates || rates->standard->price == price);
    if (pool->rates == rates && pool->row.price == price)
        return;
    rates_set(pool, rates);
    pool->row.price = price;
    pool->changed = true;
    stay_keep_rates(merge->resource, pool);
}

static void set_pricing(struct merge *merge, struct pool *pool, struct pricing *pricing)
{
    struct rates *rates = pricing->rates;
    if (!rates && !pricing->price.given)
        return;
    if (!rates && pool->rates) {
        if (pricing->before != pool->rates)
            pricing->standard = with_standard(merge, pool->rates, pricing->price.number);
        pricing->before = pool->rates;
        rates = pricing->standard;
    }
    set_price(merge, pool, rates, rates ? rates->standard->price : pricing->price.number);
}

/* ---- capacity ---- */

/* Sets the capacity and how much may be overbooked; what is not given stays. */
static void set_capacity(struct pool *pool, struct amount capacity, struct amount overbook)
{
    int64_t there =
        capacity.given ? capacity.number : (int64_t)pool->row.capacity - pool->row.overbook;
    int64_t beyond = overbook.given ? overbook.number : pool->row.overbook;
    if (there == 0)
        beyond = 0; /* removed */
    if (there + beyond == pool->row.capacity && beyond == pool->row.overbook)
        return;
    catalogue_set_capacity(pool, (uint32_t)(there + beyond));
    pool->row.overbook = (uint32_t)beyond;
    pool->changed = true;
}

/* ---- sections ---- */

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_numbers(const int32_t *a, const int32_t *b, uint32_t count)
{
    return a == b || (a && b && memcmp(a, b, count * sizeof *a) == 0);
}

static bool same_texts(const char *const *a, const char *const *b, uint32_t count)
{
    bool same = !a == !b;
    for (uint32_t i = 0; same && a && i < count; i++)
        same = strcmp(a[i], b[i]) == 0;
    return same;
}

static bool same_features(const struct seat_row *row, const struct usher_row *given)
{
    bool same = row->feature_count == given->feature_count;
    for (uint32_t i = 0; same && i < row->feature_count; i++) {
        const struct usher_row_feature *a = &row->features[i], *b = &given->features[i];
        same = strcmp(a->feature, b->feature) == 0 && a->seat_count == b->seat_count &&
               memcmp(a->seats, b->seats, a->seat_count * sizeof *a->seats) == 0;
    }
    return same;
}

static bool row_is(const struct seat_row *row, const struct usher_row *given)
{
    return row->first == given->first && row->seats == given->seats &&
           strcmp(row->name, given->row) == 0 && same_text(row->zone, given->zone) &&
           same_texts(row->names, given->names, row->seats) &&
           same_texts(row->numbers, given->numbers, row->seats) &&
           same_numbers(row->ranks, given->ranks, row->seats) &&
           same_numbers(row->x, given->x, row->seats) &&
           same_numbers(row->y, given->y, row->seats) && same_features(row, given);
}

static bool rows_are(const struct pool *pool, const struct usher_row *rows, uint32_t count)
{
    bool same = pool->seat_row_count == count;
    for (uint32_t i = 0; same && i < count; i++)
        same = row_is(&pool->seat_rows[i], &rows[i]);
    return same;
}

static void set_section_units(struct merge *merge, struct pool *pool,
                              const struct usher_section *section)
{
    if (section->rows) {
        if (!rows_are(pool, section->rows, section->row_count)) {
            catalogue_set_rows(merge->resource, pool, section->rows, section->row_count);
            pool->changed = true;
        }
        return;
    }
    if (pool->row.kind == USHER_SEATS && section->capacity_given && section->capacity > 0) {
        catalogue_set_capacity(pool, 0); /* even if there are as many: they are no longer seats */
        pool->row.kind = USHER_SECTION;
        pool->changed = true;
    }
    if (pool->row.kind != USHER_SEATS || section->capacity_given) {
        set_capacity(pool, (struct amount){section->capacity, section->capacity_given},
                     (struct amount){section->overbook, section->overbook_given});
    }
}

static void check_overbook(struct merge *merge, struct pool *pool,
                           const struct usher_section *section)
{
    if (pool->row.kind == USHER_SEATS && section->overbook_given)
        pool->row.overbook = (uint32_t)section->overbook;
    if (pool->row.kind == USHER_SEATS && pool->row.overbook > 0) {
        merge_refuse(merge, USHER_BAD_CHART,
                     usher_arena_format(merge->arena,
                                        "pool \"%s\" has seats and cannot be overbooked",
                                        pool->row.name));
    }
}

static void set_spare(struct pool *pool, int8_t given)
{
    bool spares = given == 0 ? pool->row.spares : given > 0;
    pool->changed = pool->changed || spares != pool->row.spares;
    pool->row.spares = spares;
}

static void merge_section(struct merge *merge, const struct usher_section *section)
{
    assert(section->section);
    const struct amount capacity = {section->capacity, section->capacity_given};
    struct pool *pool =
        section->rows
            ? find_or_add(merge, USHER_SEATS, section->section, (struct amount){1, true}, NULL)
            : find_or_add(merge, USHER_SECTION, section->section, capacity, "rows or capacity");
    if (!pool)
        return;
    struct pricing pricing =
        pricing_of(merge, (struct amount){section->price, section->price_given}, section->rates,
                   section->rate_count);
    set_pricing(merge, pool, &pricing);
    set_section_units(merge, pool, section);
    set_spare(pool, section->spare);
    check_overbook(merge, pool, section);
}

/* ---- rooms ---- */

/* Merges one night. False: refused, and so are the nights after it. */
static bool merge_night(struct merge *merge, const struct usher_room *room, int32_t night,
                        struct pricing *pricing)
{
    const struct pool_name *name = resource_name(merge->resource, room->room);
    struct pool *pool = name ? resource_night(merge->resource, name, night) : NULL;
    if (!pool && !room->capacity_given) {
        refuse_empty(merge, room->room, "capacity for a night");
        return false;
    }
    if (!pool && room->capacity == 0)
        return true; /* removes what does not exist */
    if (!pool)
        pool = add_pool(merge, USHER_ROOM, room->room, night);
    if (pool) {
        set_pricing(merge, pool, pricing);
        set_capacity(pool, (struct amount){room->capacity, room->capacity_given},
                     (struct amount){room->overbook, room->overbook_given});
    }
    return true;
}

static void merge_room(struct merge *merge, const struct usher_room *room)
{
    bool good = check_name(merge, room->room, USHER_ROOM);
    struct pricing pricing = pricing_of(merge, (struct amount){room->price, room->price_given},
                                        room->rates, room->rate_count);
    for (int32_t night = room->from; good && night < room->to; night++)
        good = merge_night(merge, room, night, &pricing);
}

/* ---- stay restrictions ---- */

/* Refuses rules that no stay can meet, once all are merged. */
static const char *find_contradiction(const struct merge *merge)
{
    const char *why = NULL;
    const struct restrictions *good = NULL; /* neighbours have the same */
    for (uint32_t i = 0; !why && i < merge->resource->pool_count; i++) {
        const struct pool *pool = &merge->resource->pools[i];
        if (!pool->changed || pool->restrictions == good)
            continue;
        why = stay_contradiction(pool, merge->arena);
        good = pool->restrictions;
    }
    return why;
}

static void merge_restrictions(struct merge *merge, const struct usher_definition *definition)
{
    if (definition->restriction_count == 0)
        return;
    const char *why = stay_merge(merge->resource, definition->restrictions,
                                 definition->restriction_count, merge->arena);
    if (!why)
        why = find_contradiction(merge);
    if (why)
        merge_refuse(merge, USHER_BAD_CHART, why);
}

/* ---- products ---- */

static void set_text(struct merge *merge, struct pool *pool, const char **text, const char *given)
{
    if (!given || same_text(*text, given))
        return;
    *text = resource_text(merge->resource, given);
    pool->changed = true;
}

static void merge_product(struct merge *merge, const struct usher_product *product)
{
    const struct amount capacity = {product->capacity, product->capacity_given};
    struct pool *pool = find_or_add(merge, USHER_PRODUCT, product->product, capacity, "capacity");
    if (!pool)
        return;
    struct pricing pricing =
        pricing_of(merge, (struct amount){product->price, product->price_given}, product->rates,
                   product->rate_count);
    set_pricing(merge, pool, &pricing);
    set_capacity(pool, capacity, (struct amount){product->overbook, product->overbook_given});
    set_text(merge, pool, &pool->row.title, product->name);
    set_text(merge, pool, &pool->row.properties, product->properties);
}

/* ---- the whole ---- */

static bool has_rows_of(const struct pool *pool, const struct pool *old)
{
    bool same = pool->seat_row_count == old->seat_row_count;
    for (uint32_t i = 0; same && i < old->seat_row_count; i++) {
        const struct usher_row row = catalogue_row_of(&old->seat_rows[i]);
        same = row_is(&pool->seat_rows[i], &row);
    }
    return same;
}

static bool is_equal(const struct pool *pool, const struct pool *old)
{
    const struct pool_row *a = &pool->row, *b = &old->row;
    return a->kind == b->kind && a->capacity == b->capacity && a->overbook == b->overbook &&
           a->spares == b->spares && a->price == b->price && same_text(a->rates, b->rates) &&
           same_text(a->restrictions, b->restrictions) && same_text(a->title, b->title) &&
           same_text(a->properties, b->properties) && has_rows_of(pool, old);
}

/*
 * Notes that pools which are again what they were are not to be written, entries override others,
 * and whether all of them are. Those of an earlier define of the batch are to be written anyway.
 */
static void merge_keep_equal(struct merge *merge)
{
    assert(!merge->old || merge->old->pool_count <= merge->resource->pool_count);
    merge->same = merge->old && merge->old->pool_count == merge->resource->pool_count;
    for (uint32_t i = 0; merge->old && i < merge->old->pool_count; i++) {
        struct pool *pool = &merge->resource->pools[i];
        const struct pool *old = &merge->old->pools[i];
        assert(pool->changed || !old->changed);
        bool differs = pool->changed && !is_equal(pool, old);
        pool->changed = old->changed || differs;
        merge->same = merge->same && !differs;
    }
}

/*
 * ==== Terms ====
 *
 * The limits and quotas of a definition.
 */

/* ---- names of pools ---- */

static void check_pools(struct merge *merge, const char *const *pools, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!resource_name(merge->resource, pools[i])) {
            merge_refuse(merge, USHER_BAD_CHART,
                         usher_arena_format(merge->arena, "unknown pool \"%s\" in limits or quotas",
                                            pools[i]));
            return;
        }
}

static void check_terms(struct merge *merge, const struct stored_terms *terms)
{
    for (uint32_t i = 0; i < terms->quota_count; i++)
        check_pools(merge, terms->quotas[i].pools, terms->quotas[i].pool_count);
    for (uint32_t i = 0; terms->limits && i < terms->limits->group_count; i++)
        check_pools(merge, terms->limits->groups[i].pools, terms->limits->groups[i].pool_count);
}

/* Whether whatever can be asked for counts in the group. */
static bool has_all_on_sale(const struct resource *resource, const struct pool_group *group)
{
    bool any = false, all = true;
    for (uint32_t i = 0; all && i < resource->pool_count; i++) {
        if (resource->pools[i].row.capacity == 0)
            continue;
        any = true;
        all = terms_group_has(group, resource, i);
    }
    return any && all;
}

/* Refuses a group by which no customer may have the least that a request must ask for. */
static void check_groups(struct merge *merge)
{
    const struct resource *resource = merge->resource;
    const struct terms *terms = &resource->terms;
    for (uint32_t i = 0; i < terms->group_count; i++) {
        const struct pool_group *group = &terms->groups[i];
        if (group->limit < terms->units_min && has_all_on_sale(resource, group))
            merge_refuse(merge, USHER_BAD_CHART,
                         usher_arena_format(merge->arena,
                                            "a group has all pools, and its limit, %lld, is below "
                                            "units_min, %lld",
                                            (long long)group->limit, (long long)terms->units_min));
    }
}

/* ---- quotas ---- */

static uint32_t find_quota(const struct usher_quota *quotas, uint32_t count, const char *name)
{
    uint32_t i = 0;
    while (i < count && strcmp(quotas[i].quota, name) != 0)
        i++;
    return i;
}

/* What is not given stays as it was. */
static void keep_quota(struct usher_quota *merged, const struct usher_quota *was)
{
    if (!merged->limit_given) {
        merged->limit = was->limit;
        merged->limit_given = was->limit_given;
    }
    if (!merged->rate)
        merged->rate = was->rate;
    if (merged->closes_ms == 0)
        merged->closes_ms = was->closes_ms;
}

/* Refuses a quota without a limit, unless it ends a rate, and one that would end all sales. */
static bool quota_is_whole(struct merge *merge, const struct usher_quota *quota)
{
    if (!quota->rate && quota->closes_ms > 0) {
        merge_refuse(merge, USHER_BAD_CHART,
                     usher_arena_format(merge->arena,
                                        "quota \"%s\" has closes_at, which needs a rate",
                                        quota->quota));
        return false;
    }
    if (quota->limit_given || quota->closes_ms > 0)
        return true;
    merge_refuse(merge, USHER_BAD_CHART,
                 usher_arena_format(merge->arena,
                                    "there is no quota \"%s\" yet: a new one needs a limit%s",
                                    quota->quota, quota->rate ? " or closes_at" : ""));
    return false;
}

/*
 * Adds, changes or, without pools, removes a quota; what is not given of it stays. Returns how many
 * there are.
 */
static uint32_t merge_quota(struct merge *merge, struct usher_quota *quotas, uint32_t count,
                            const struct usher_quota *given)
{
    uint32_t at = find_quota(quotas, count, given->quota);
    if (given->pool_count == 0) {
        if (at == count)
            return count; /* removed what is not there */
        memmove(&quotas[at], &quotas[at + 1], (count - at - 1) * sizeof *quotas);
        return count - 1;
    }
    struct usher_quota merged = *given;
    if (at < count)
        keep_quota(&merged, &quotas[at]);
    if (!quota_is_whole(merge, &merged))
        return count;
    quotas[at] = merged;
    return at < count ? count : count + 1;
}

/* ---- all of them ---- */

static struct stored_terms terms_before(struct merge *merge)
{
    struct stored_terms terms = {0};
    struct usher_error err;
    const char *json = merge->resource->row.terms;
    if (json && stored_terms_decode(json, strlen(json), merge->arena, &terms, &err) != USHER_OK)
        merge_refuse(merge, USHER_BAD_CHART, "its stored terms cannot be decoded");
    return terms;
}

static void set_terms(struct merge *merge, const struct stored_terms *terms)
{
    assert(merge->reason == USHER_REASON_NONE);
    struct resource *resource = merge->resource;
    struct usher_buffer json = {0};
    resource->row.terms = NULL;
    if (terms->limits || terms->quota_count > 0) {
        stored_terms_encode(terms, &json);
        resource->row.terms = usher_arena_text(resource->arena, json.at, json.size);
    }
    usher_buffer_deinit(&json);
    if (!terms_resolve(resource))
        merge_refuse(merge, USHER_BAD_CHART, "its terms do not match its pools");
}

static void apply_rates(struct merge *merge, const struct usher_definition *definition)
{
    const char *detail;
    enum usher_reason reason =
        rate_quotas_apply(merge->resource, merge->old, definition, merge->arena, &detail);
    if (reason != USHER_REASON_NONE)
        merge_refuse(merge, reason, detail);
}

static bool limits_anything(const struct usher_limits *limits)
{
    return limits->units_min > 0 || limits->units_per_request > 0 || limits->hold_total_s > 0 ||
           limits->house_hold_total_s > 0 || terms_limit_customers(limits);
}

/* Merges limits and quotas; all pools are merged already. */
static void merge_terms(struct merge *merge, const struct usher_definition *definition)
{
    struct stored_terms terms = terms_before(merge);
    uint32_t limit = terms.quota_count + definition->quota_count;
    struct usher_quota *quotas = usher_arena_alloc(merge->arena, limit * sizeof *quotas);
    if (terms.quota_count > 0)
        memcpy(quotas, terms.quotas, terms.quota_count * sizeof *quotas);
    for (uint32_t i = 0; i < definition->quota_count; i++)
        terms.quota_count = merge_quota(merge, quotas, terms.quota_count, &definition->quotas[i]);
    assert(terms.quota_count <= limit);
    terms.quotas = quotas;
    if (definition->limits)
        terms.limits = limits_anything(definition->limits) ? definition->limits : NULL;
    check_terms(merge, &terms);
    if (merge->reason == USHER_REASON_NONE)
        set_terms(merge, &terms);
    if (merge->reason == USHER_REASON_NONE)
        apply_rates(merge, definition);
    if (merge->reason == USHER_REASON_NONE && definition->limits)
        check_groups(merge);
}

/* ==== Merging ==== */

/* ---- texts and times ---- */

static void merge_text(struct merge *merge, const char **text, const char *given)
{
    if (given)
        *text = resource_text(merge->resource, given);
}

static void merge_number(int64_t *number, int64_t given)
{
    if (given != 0)
        *number = given;
}

static void merge_row(struct merge *merge, const struct usher_definition *definition)
{
    struct resource_row *row = &merge->resource->row;
    merge_text(merge, &row->name, definition->name);
    merge_text(merge, &row->venue, definition->venue);
    merge_text(merge, &row->description, definition->description);
    merge_text(merge, &row->timezone, definition->timezone);
    merge_text(merge, &row->currency, definition->currency);
    merge_number(&row->starts_ms, definition->starts_ms);
    merge_number(&row->ends_ms, definition->ends_ms);
    merge_number(&row->opens_ms, definition->opens_ms);
    merge_number(&row->closes_ms, definition->closes_ms);
    merge_number(&row->hold_ttl_s, definition->hold_ttl_s);
    if (definition->state != USHER_STATE_ABSENT)
        row->state = definition->state;
    if (definition->strategy != USHER_STRATEGY_ABSENT)
        row->strategy = definition->strategy;
}

/* Refuses two times in the wrong order; the same time is one, unless they may be equal. */
static void check_order(struct merge *merge, const char *first, int64_t first_ms,
                        const char *second, int64_t second_ms, bool may_be_equal)
{
    if (first_ms == USHER_ABSENT || second_ms == USHER_ABSENT || first_ms < second_ms ||
        (may_be_equal && first_ms == second_ms))
        return;
    char instants[2][USHER_INSTANT_SIZE];
    usher_instant_format(first_ms, instants[0]);
    usher_instant_format(second_ms, instants[1]);
    merge_refuse(merge, USHER_BAD_CHART,
                 usher_arena_format(merge->arena, "%s %s is %s %s %s", first, instants[0],
                                    may_be_equal ? "after" : "not before", second, instants[1]));
}

/* In whichever define they came. */
static void check_times(struct merge *merge)
{
    const struct resource_row *row = &merge->resource->row;
    check_order(merge, "opens_at", row->opens_ms, "closes_at", row->closes_ms, false);
    check_order(merge, "opens_at", row->opens_ms, "ends_at", row->ends_ms, false);
    check_order(merge, "closes_at", row->closes_ms, "ends_at", row->ends_ms, true);
    check_order(merge, "starts_at", row->starts_ms, "ends_at", row->ends_ms, true);
}

/* ---- pools ---- */

static void merge_sections(struct merge *merge, const struct usher_section *sections,
                           uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        merge_section(merge, &sections[i]);
}

/* Merges the rows of a known layout, which was checked when it was first defined. */
static void merge_chart(struct merge *merge)
{
    assert(merge->chart && merge->chart->content);
    const struct usher_section *sections;
    uint32_t count;
    struct usher_error err;
    if (usher_chart_decode(merge->chart->content, merge->chart->content_size, merge->arena,
                           &sections, &count, &err) == USHER_OK)
        merge_sections(merge, sections, count);
    else
        merge_refuse(merge, USHER_UNKNOWN_CHART, "its stored layout cannot be decoded");
}

static void merge_pools(struct merge *merge, const struct usher_definition *definition)
{
    if (merge->chart)
        merge_chart(merge);
    merge_sections(merge, definition->plan_sections, definition->plan_section_count);
    merge_sections(merge, definition->sections, definition->section_count);
    for (uint32_t i = 0; i < definition->room_count; i++)
        merge_room(merge, &definition->rooms[i]);
    for (uint32_t i = 0; i < definition->product_count; i++)
        merge_product(merge, &definition->products[i]);
    merge_restrictions(merge, definition);
    merge_keep_equal(merge);
}

/* ---- units in use ---- */

static const char *where(struct merge *merge, const struct pool *pool)
{
    if (pool->row.kind != USHER_ROOM)
        return usher_arena_format(merge->arena, "\"%s\"", pool->row.name);
    char night[USHER_NIGHT_SIZE];
    usher_night_format(pool->row.night, night);
    return usher_arena_format(merge->arena, "\"%s\" on %s", pool->row.name, night);
}

/* Returns the first taken seat that would disappear or become another one; NULL: none. */
static const char *moved_seat(struct merge *merge, const struct pool *pool, const struct pool *old)
{
    assert(pool->seat_row_count > 0 && old->seat_row_count > 0);
    const struct units *units = &old->units;
    for (uint32_t unit = units_next_taken(units, 0, units->count); unit < units->count;
         unit = units_next_taken(units, unit + 1, units->count)) {
        const char *was = names_seat_name(old, unit, merge->arena);
        if (unit >= pool->row.capacity ||
            strcmp(was, names_seat_name(pool, unit, merge->arena)) != 0)
            return was;
    }
    return NULL;
}

static void check_seats(struct merge *merge, const struct pool *pool, const struct pool *old)
{
    const char *seat = moved_seat(merge, pool, old);
    if (seat) {
        merge_refuse(merge, USHER_IN_USE,
                     usher_arena_format(
                         merge->arena,
                         "seat \"%s\" of %s is held, sold or blocked, and has to stay where it is",
                         seat, where(merge, pool)));
    }
}

static uint32_t taken(const struct pool *pool)
{
    return unit_counts_sum(pool->taken);
}

/* Whether it makes an excess, or a larger one, which the house has to ask for: not of removal. */
static bool is_short(const struct merge *merge, const struct pool *pool, const struct pool *old)
{
    return taken(old) > pool->row.capacity && pool->row.capacity < old->row.capacity &&
           (!merge->overbook || pool->row.capacity == 0);
}

static void check_pool(struct merge *merge, const struct pool *pool, const struct pool *old)
{
    assert(taken(old) > 0 && pool->row.index == old->row.index);
    bool was_seats = old->seat_row_count > 0, is_seats = pool->seat_row_count > 0;
    if (was_seats && is_seats) {
        check_seats(merge, pool, old);
    } else if (was_seats != is_seats || is_short(merge, pool, old)) {
        bool one = taken(old) == 1;
        merge_refuse(merge, USHER_IN_USE,
                     usher_arena_format(merge->arena, "%u unit%s of %s %s held, sold or blocked",
                                        taken(old), one ? "" : "s", where(merge, pool),
                                        one ? "is" : "are"));
    }
}

/* Sales are reported and refunded in the currency of the resource. */
static void check_currency(struct merge *merge)
{
    assert(merge->old);
    const char *was = merge->old->row.currency;
    if (!was || strcmp(was, merge->resource->row.currency) == 0)
        return;
    for (uint32_t i = 0; i < merge->old->pool_count; i++)
        if (taken(&merge->old->pools[i]) > 0)
            merge_refuse(
                merge, USHER_IN_USE,
                usher_arena_format(merge->arena, "units of it are held or sold in %s", was));
}

/* Refuses if taken units would disappear, become other seats, or cost other money. */
static void check_use(struct merge *merge)
{
    if (merge->old && merge->old->row.cancelling)
        merge_refuse(merge, USHER_IN_USE, "its bookings are still being cancelled");
    if (merge->old)
        check_currency(merge);
    for (uint32_t i = 0; merge->old && i < merge->old->pool_count; i++) {
        const struct pool *pool = &merge->resource->pools[i];
        if (pool->changed && taken(&merge->old->pools[i]) > 0)
            check_pool(merge, pool, &merge->old->pools[i]);
        if (merge->reason == USHER_IN_USE)
            return;
    }
}

/* ---- the whole ---- */

/* But for the chart, which follows from the pools. */
static bool is_same_row(const struct resource_row *a, const struct resource_row *b)
{
    return same_text(a->name, b->name) && same_text(a->venue, b->venue) &&
           same_text(a->description, b->description) && same_text(a->timezone, b->timezone) &&
           same_text(a->currency, b->currency) && a->state == b->state &&
           a->starts_ms == b->starts_ms && a->ends_ms == b->ends_ms && a->opens_ms == b->opens_ms &&
           a->closes_ms == b->closes_ms && a->hold_ttl_s == b->hold_ttl_s &&
           a->strategy == b->strategy && same_text(a->terms, b->terms);
}

static bool pool_has_seat(struct merge *merge, const struct pool *pool, const char *seat)
{
    bool has = false;
    for (uint32_t unit = 0; !has && pool->seat_row_count > 0 && unit < pool->row.capacity; unit++)
        has = strcmp(names_seat_name(pool, unit, merge->arena), seat) == 0;
    return has;
}

/* A section that the definition does not name stays as it was, which may be in the way. */
static void refuse_seat(struct merge *merge, const char *seat)
{
    const struct pool *found[2] = {NULL, NULL}; /* another one is last */
    for (uint32_t i = 0; i < merge->resource->pool_count; i++)
        if (pool_has_seat(merge, &merge->resource->pools[i], seat))
            found[found[0] != NULL] = &merge->resource->pools[i];
    if (!found[1]) {
        merge_refuse(merge, USHER_BAD_CHART,
                     usher_arena_format(merge->arena, "seat \"%s\" is twice in section \"%s\"",
                                        seat, found[0] ? found[0]->row.name : ""));
        return;
    }
    bool stays = merge->old && (!found[0]->changed || !found[1]->changed);
    merge_refuse(merge, USHER_BAD_CHART,
                 usher_arena_format(merge->arena,
                                    "seat \"%s\" is in section \"%s\" and in section \"%s\"%s",
                                    seat, found[0]->row.name, found[1]->row.name,
                                    stays ? ": sections that a define does not name stay, so to "
                                            "change the hall name all of its sections, those that "
                                            "go with capacity 0"
                                          : ""));
}

static void check_names(struct merge *merge)
{
    const char *twice = names_find_duplicate(merge->resource, merge->arena);
    if (twice)
        refuse_seat(merge, twice);
}

static void refuse_pools(struct merge *merge, uint32_t on_sale)
{
    bool removed = on_sale <= USHER_POOLS_MAX && merge->added < USHER_POOLS_MAX;
    merge_refuse(merge, USHER_LIMIT_EXCEEDED,
                 removed ? usher_arena_format(merge->arena,
                                              "more than the maximum of %d pools, those that were "
                                              "removed among them",
                                              CATALOGUE_POOLS_MAX)
                         : usher_arena_format(merge->arena, "more than the maximum of %d pools",
                                              USHER_POOLS_MAX));
}

/* Limits the size of a resource: all of it is in memory when it is decided upon. */
static void check_size(struct merge *merge)
{
    int64_t units = 0;
    uint32_t on_sale = 0;
    const struct pool *too_large = NULL; /* capacity and overbook may be set one by one */
    for (uint32_t i = 0; i < merge->resource->pool_count; i++) {
        const struct pool *pool = &merge->resource->pools[i];
        units += pool->row.capacity;
        on_sale += pool->row.capacity > 0;
        too_large = pool->row.capacity > USHER_CAPACITY_MAX ? pool : too_large;
    }
    if (too_large) {
        merge_refuse(merge, USHER_LIMIT_EXCEEDED,
                     usher_arena_format(merge->arena, "pool \"%s\" exceeds the maximum of %d units",
                                        too_large->row.name, USHER_CAPACITY_MAX));
    } else if (merge->over_limit || on_sale > USHER_POOLS_MAX) {
        refuse_pools(merge, on_sale);
    } else if (merge->over_calendar || catalogue_calendar(merge->resource) > USHER_CALENDAR_MAX) {
        merge_refuse(merge, USHER_LIMIT_EXCEEDED,
                     usher_arena_format(merge->arena,
                                        "more than the maximum of %d nights from the first to the "
                                        "last of each room type",
                                        USHER_CALENDAR_MAX));
    } else if (units > USHER_RESOURCE_UNITS_MAX) {
        merge_refuse(merge, USHER_LIMIT_EXCEEDED,
                     usher_arena_format(merge->arena, "more than the maximum of %d units",
                                        USHER_RESOURCE_UNITS_MAX));
    }
}

void merge_definition(struct merge *merge, const struct usher_definition *definition)
{
    assert(merge->resource && merge->reason == USHER_REASON_NONE);
    assert(!merge->old || merge->old->row.no == merge->resource->row.no);
    merge_row(merge, definition);
    check_times(merge);
    merge_pools(merge, definition);
    check_names(merge);
    merge_terms(merge, definition);
    check_use(merge);
    check_size(merge);
    merge->same = merge->same && is_same_row(&merge->resource->row, &merge->old->row);
}
