/*
 * Merges pools: sections, rooms per night, products, and their prices. PURE.
 */
#include "worker/rules/merge_pools.h"

#include <string.h>

#include "producer/codec/stored_terms.h"
#include "worker/inventory/catalogue.h"
#include "worker/inventory/rates.h"

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

/* Adds a pool, unless there are too many, or a night too far from the others. */
static struct pool *add_pool(struct merge *merge, enum usher_kind kind, const char *text,
                             int32_t night)
{
    if (merge->resource->pool_count >= USHER_POOLS_MAX) {
        merge->over_limit = true;
        return NULL;
    }
    if (kind == USHER_ROOM && !catalogue_reaches(merge->resource, text, night)) {
        merge->over_calendar = true;
        return NULL;
    }
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

/* The price of a pool in a definition. */
struct pricing {
    struct amount price;
    const struct usher_rate *rates;
    uint32_t rate_count;
};

/* Sets a copy of these rates, and the price that follows from them. */
static void set_rates(struct merge *merge, struct pool *pool, const struct usher_rate *rates,
                      uint32_t count)
{
    struct usher_rate *copy = usher_arena_alloc(merge->resource->arena, count * sizeof *copy);
    for (uint32_t i = 0; i < count; i++)
        copy[i] =
            (struct usher_rate){resource_text(merge->resource, rates[i].rate), rates[i].price};
    struct usher_buffer json = {0};
    stored_rates_encode(copy, count, &json);
    pool->rates = copy;
    pool->rate_count = count;
    pool->row.rates = usher_arena_text(merge->resource->arena, json.at, json.size);
    pool->row.price = rates_default(copy, count)->price;
    pool->changed = true;
    usher_buffer_deinit(&json);
}

/* Sets the standard rate of a pool with named rates; adds it as the first, if there was none. */
static void set_standard(struct merge *merge, struct pool *pool, int64_t price)
{
    uint32_t count = pool->rate_count;
    bool known = rates_find(pool->rates, count, STANDARD_RATE) != NULL;
    struct usher_rate *rates = usher_arena_alloc(merge->arena, (count + 1) * sizeof *rates);
    memcpy(rates + (known ? 0 : 1), pool->rates, count * sizeof *rates);
    if (!known)
        rates[0].rate = STANDARD_RATE;
    for (uint32_t i = 0; i < count + (known ? 0 : 1); i++)
        if (strcmp(rates[i].rate, STANDARD_RATE) == 0)
            rates[i].price = price;
    set_rates(merge, pool, rates, count + (known ? 0 : 1));
}

static void set_pricing(struct merge *merge, struct pool *pool, const struct pricing *pricing)
{
    if (pricing->rate_count > 0) {
        set_rates(merge, pool, pricing->rates, pricing->rate_count);
    } else if (pricing->price.given && pool->rate_count > 0) {
        set_standard(merge, pool, pricing->price.number);
    } else if (pricing->price.given && pricing->price.number != pool->row.price) {
        pool->row.price = pricing->price.number;
        pool->changed = true;
    }
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
    const struct pricing pricing = {
        {section->price, section->price_given}, section->rates, section->rate_count};
    set_pricing(merge, pool, &pricing);
    set_section_units(merge, pool, section);
    check_overbook(merge, pool, section);
}

/* ---- rooms ---- */

/* Merges one night. False: refused, and so are the nights after it. */
static bool merge_night(struct merge *merge, const struct usher_room *room, int32_t night)
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
        const struct pricing pricing = {
            {room->price, room->price_given}, room->rates, room->rate_count};
        set_pricing(merge, pool, &pricing);
        set_capacity(pool, (struct amount){room->capacity, room->capacity_given},
                     (struct amount){room->overbook, room->overbook_given});
    }
    return true;
}

void merge_room(struct merge *merge, const struct usher_room *room)
{
    bool good = check_name(merge, room->room, USHER_ROOM);
    for (int32_t night = room->from; good && night < room->to; night++)
        good = merge_night(merge, room, night);
}

/* ---- products ---- */

void merge_product(struct merge *merge, const struct usher_product *product)
{
    const struct amount capacity = {product->capacity, product->capacity_given};
    struct pool *pool = find_or_add(merge, USHER_PRODUCT, product->product, capacity, "capacity");
    if (!pool)
        return;
    const struct pricing pricing = {
        {product->price, product->price_given}, product->rates, product->rate_count};
    set_pricing(merge, pool, &pricing);
    set_capacity(pool, capacity, (struct amount){product->overbook, product->overbook_given});
    if (product->name)
        pool->row.title = resource_text(merge->resource, product->name);
    if (product->properties)
        pool->row.properties = resource_text(merge->resource, product->properties);
    pool->changed = pool->changed || product->name || product->properties;
}
