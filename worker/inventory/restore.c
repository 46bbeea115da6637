/*
 * Builds a resource from the rows of the database; inconsistent rows are refused. PURE.
 */
#include "worker/inventory/restore.h"

#include <string.h>

#include "producer/codec/calendar.h"
#include "worker/inventory/booking.h"
#include "worker/inventory/catalogue.h"
#include "worker/inventory/settle.h"
#include "worker/inventory/shared_catalogue.h"
#include "worker/inventory/terms.h"

static bool load_section(struct resource *resource, const struct usher_section *section,
                         uint32_t *seat)
{
    const struct pool_name *name = resource_name(resource, section->section);
    if (!name || name->kind != USHER_SECTION)
        return false;
    struct pool *pool = &resource->pools[name->pool];
    uint32_t capacity = pool->row.capacity;
    if (pool->row.kind != USHER_SEATS || pool->seat_row_count > 0)
        return false;
    catalogue_set_rows(resource, pool, section->rows, section->row_count);
    pool->first_seat = *seat;
    *seat += pool->row.capacity;
    return pool->row.capacity == capacity;
}

/* The rows of each section from the chart, whose order is that of all seats; false: they are not
 * those of the pools. */
static bool load_chart(struct resource *resource, const struct chart_row *chart,
                       struct usher_arena *scratch)
{
    static const char hash[] = "sha256:";
    const struct usher_section *sections;
    uint32_t count, seat = 0;
    struct usher_error err;
    if (!chart->name || strncmp(chart->name, hash, sizeof hash - 1) != 0 ||
        usher_chart_decode(chart->content, chart->content_size, scratch, &sections, &count, &err) !=
            USHER_OK)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!load_section(resource, &sections[i], &seat))
            return false;
    settle_set_chart(resource, chart->content, chart->content_size);
    return true;
}

/* The nights of a room type follow each other: most often it is the list of the one before. */
static bool load_rates(struct resource *resource, struct pool *pool, const char *json)
{
    const struct pool *before = pool > resource->pools ? pool - 1 : NULL;
    bool same = json && before && before->rates && strcmp(json, before->row.rates) == 0;
    struct rates *rates = same ? before->rates : json ? rates_read(resource, json) : NULL;
    rates_set(pool, rates);
    return rates || !json;
}

/* A name is of one pool, or of the nights of one room type. */
static bool name_fits(const struct resource *resource, const struct pool_row *row)
{
    size_t size = row->name ? strlen(row->name) : 0;
    if (size == 0 || size > USHER_NAME_MAX)
        return false;
    const struct pool_name *name = resource_name(resource, row->name);
    if (row->kind != USHER_ROOM)
        return !name && row->night == NIGHT_NONE;
    return row->night >= 0 && row->night <= CALENDAR_LAST_DAY &&
           (!name || (name->kind == USHER_ROOM && !resource_night(resource, name, row->night))) &&
           catalogue_reaches(resource, row->name, row->night);
}

static bool load_pool(struct resource *resource, const struct pool_row *row)
{
    if (!name_fits(resource, row) || row->index != resource->pool_count ||
        row->capacity > USHER_CAPACITY_MAX || row->price < 0 || row->price > USHER_PRICE_MAX)
        return false;
    struct pool *pool = catalogue_add(resource, row->kind, row->name, row->night);
    const char *name = pool->row.name;
    pool->row = *row;
    pool->row.name = name;
    pool->row.title = resource_text(resource, row->title);
    pool->row.properties = resource_text(resource, row->properties);
    pool->row.is_new = false;
    pool->taken = row->taken;
    pool->changed = false;
    return load_rates(resource, pool, row->rates);
}

/* Of each night, one more than the highest number that is taken: it may be anywhere. */
static const uint32_t *count_numbers(const struct resource *resource,
                                     const struct loaded_resource *loaded,
                                     struct usher_arena *scratch)
{
    uint32_t *numbers = usher_arena_alloc(scratch, resource->pool_count * sizeof *numbers);
    for (uint32_t i = 0; i < loaded->unit_count; i++) {
        const struct loaded_unit *unit = &loaded->units[i];
        if (unit->pool < resource->pool_count &&
            resource->pools[unit->pool].row.kind == USHER_ROOM && unit->unit >= 0 &&
            unit->unit < USHER_CAPACITY_MAX && (uint32_t)unit->unit >= numbers[unit->pool])
            numbers[unit->pool] = (uint32_t)unit->unit + 1;
    }
    return numbers;
}

/* The pools, with their rows. */
static bool load_catalogue(struct resource *resource, const struct loaded_resource *loaded,
                           struct usher_arena *scratch)
{
    for (uint32_t i = 0; i < loaded->pool_count; i++)
        if (!load_pool(resource, &loaded->pools[i]))
            return false;
    if (loaded->chart.content && !load_chart(resource, &loaded->chart, scratch))
        return false;
    for (uint32_t i = 0; i < resource->pool_count; i++) {
        const struct pool *pool = &resource->pools[i];
        if (pool->row.kind == USHER_SEATS && pool->row.capacity > 0 && pool->seat_row_count == 0)
            return false;
    }
    return true;
}

/* The counts in the row are those of a counted pool, and there are as many units. */
static bool counts_fit(const struct pool *pool)
{
    int64_t taken = (int64_t)pool->taken.held + pool->taken.sold + pool->taken.blocked;
    return taken <= (kind_is_counted(pool->row.kind) ? (int64_t)pool->row.capacity : 0);
}

static bool load_unit(struct resource *resource, const struct loaded_unit *unit)
{
    struct pool *pool = unit->pool < resource->pool_count ? &resource->pools[unit->pool] : NULL;
    if (!pool || (uint32_t)unit->unit >= pool->units.count ||
        units_state(&pool->units, (uint32_t)unit->unit) != BOOKING_NONE || pool_free(pool) == 0 ||
        !booking_state_owns_units(unit->state))
        return false;
    units_take(&pool->units, (uint32_t)unit->unit, unit->state);
    (*unit_counts_in(&pool->taken, unit->state))++;
    return true;
}

static bool row_fits(const struct resource_row *row)
{
    return row->id && (row->hold_ttl_s == USHER_ABSENT ||
                       (row->hold_ttl_s >= 0 && row->hold_ttl_s <= INT32_MAX));
}

struct resource *restore_resource(const struct loaded_resource *loaded, struct usher_arena *scratch)
{
    if (!row_fits(&loaded->row))
        return NULL;
    struct resource *resource = resource_create(&loaded->row);
    resource->row.is_new = false;
    bool good = load_catalogue(resource, loaded, scratch) && terms_resolve(resource);
    for (uint32_t i = 0; good && i < resource->pool_count; i++)
        good = counts_fit(&resource->pools[i]);
    if (good) {
        settle_units(resource, count_numbers(resource, loaded, scratch));
        catalogue_publish(resource);
    }
    for (uint32_t i = 0; good && i < loaded->unit_count; i++)
        good = load_unit(resource, &loaded->units[i]);
    if (!good) {
        resource_destroy(resource);
        return NULL;
    }
    settle_sums(resource);
    return resource;
}

/* ---- what readers are shown ---- */

/* Without their bits: numbers come in order. */
static bool units_fit(struct resource *resource, const struct loaded_resource *loaded)
{
    for (uint32_t i = 0; i < loaded->unit_count; i++) {
        const struct loaded_unit *unit = &loaded->units[i], *before = unit - 1;
        struct pool *pool = unit->pool < resource->pool_count ? &resource->pools[unit->pool] : NULL;
        if (!pool || kind_is_counted(pool->row.kind) || !booking_state_owns_units(unit->state) ||
            unit->unit < 0 || pool_free(pool) == 0 ||
            (pool->row.kind == USHER_SEATS && (uint32_t)unit->unit >= pool->row.capacity) ||
            (i > 0 && before->pool == unit->pool && before->unit == unit->unit))
            return false;
        (*unit_counts_in(&pool->taken, unit->state))++;
    }
    return true;
}

struct catalogue *restore_catalogue(const struct loaded_resource *loaded)
{
    struct usher_arena scratch = {0};
    struct catalogue *catalogue = NULL;
    struct resource *resource = resource_create(&loaded->row);
    bool good = load_catalogue(resource, loaded, &scratch);
    for (uint32_t i = 0; good && i < resource->pool_count; i++)
        good = counts_fit(&resource->pools[i]);
    if (good && units_fit(resource, loaded)) {
        (void)terms_resolve(resource); /* those that cannot be read limit nothing here */
        catalogue_publish(resource);
        catalogue = catalogue_hold(resource->catalogue);
    }
    resource_destroy(resource);
    usher_arena_deinit(&scratch);
    return catalogue;
}
