/*
 * Merges pools: sections, rooms per night, products, and their prices. PURE.
 */
#include "worker/rules/merge_pools.h"

#include <string.h>

#include "worker/inventory/catalogue.h"
#include "worker/inventory/shared_catalogue.h"

/* ---- names ---- */

/* Checks that a name is free or of this kind: no two pools of different kinds share a name. */
static bool check_name(struct merge *merge, const char *text, enum usher_kind kind)
{
    const struct pool_name *name = resource_name(merge->resource, text);
    if (!name || name->kind == kind)
        return true;
    merge_refuse(
        merge, USHER_BAD_CHART,
        usher_arena_format(merge->arena, "pool \"%s\" already exists with a different kind", text));
    return false;
}

static void refuse_empty(struct merge *merge, const char *text, const char *lacks)
{
    merge_refuse(merge, USHER_BAD_CHART,
                 usher_arena_format(merge->arena, "new pool \"%s\" has no %s", text, lacks));
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

/* A number of a definition; what is not given stays as it was. */
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
static void set_price(struct pool *pool, struct rates *rates, int64_t price)
{
    if (pool->rates == rates && pool->row.price == price)
        return;
    rates_set(pool, rates);
    pool->row.price = price;
    pool->changed = true;
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
    set_price(pool, rates, rates ? rates->standard->price : pricing->price.number);
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

static bool same_names(const struct seat_row *row, const struct usher_row *given)
{
    bool same = !row->names == !given->names;
    for (uint32_t i = 0; same && row->names && i < row->seats; i++)
        same = strcmp(row->names[i], given->names[i]) == 0;
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
           same_names(row, given) && same_numbers(row->ranks, given->ranks, row->seats) &&
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

void merge_section(struct merge *merge, const struct usher_section *section)
{
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

void merge_room(struct merge *merge, const struct usher_room *room)
{
    bool good = check_name(merge, room->room, USHER_ROOM);
    struct pricing pricing = pricing_of(merge, (struct amount){room->price, room->price_given},
                                        room->rates, room->rate_count);
    for (int32_t night = room->from; good && night < room->to; night++)
        good = merge_night(merge, room, night, &pricing);
}

/* ---- products ---- */

static void set_text(struct merge *merge, struct pool *pool, const char **text, const char *given)
{
    if (!given || same_text(*text, given))
        return;
    *text = resource_text(merge->resource, given);
    pool->changed = true;
}

void merge_product(struct merge *merge, const struct usher_product *product)
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

/* Rows of seats are compared when they are set. */
static bool is_equal(const struct pool *pool, const struct pool *old)
{
    const struct pool_row *a = &pool->row, *b = &old->row;
    return a->kind == b->kind && a->kind != USHER_SEATS && a->capacity == b->capacity &&
           a->overbook == b->overbook && a->price == b->price && same_text(a->rates, b->rates) &&
           same_text(a->title, b->title) && same_text(a->properties, b->properties);
}

void merge_keep_equal(struct merge *merge)
{
    for (uint32_t i = 0; merge->old && i < merge->old->pool_count; i++) {
        struct pool *pool = &merge->resource->pools[i];
        const struct pool *old = &merge->old->pools[i];
        pool->changed = pool->changed && (old->changed || !is_equal(pool, old));
    }
}
