/*
 * Merging a definition: texts, then sections, rooms and products; then the checks of the whole.
 * Rules are judged on the merged result, so that later entries may mend earlier ones. PURE.
 */
#include "decide_merge.h"

#include <assert.h>
#include <string.h>

#include "inventory_catalogue.h"

static void refuse(struct merge *merge, enum usher_reason reason, const char *detail)
{
    if (merge->reason == USHER_REASON_NONE || reason < merge->reason) {
        merge->reason = reason;
        merge->detail = detail;
    }
}

/* ---- texts and times ---- */

static void merge_text(struct merge *merge, const char **text, const char *given)
{
    if (given)
        *text = catalogue_text(merge->resource, given);
}

static void merge_number(int64_t *number, int64_t given)
{
    if (given != USHER_ABSENT)
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
    merge_number(&row->hold_ttl_s, definition->hold_ttl_s);
    if (definition->state != USHER_STATE_ABSENT)
        row->state = definition->state;
}

/* ---- pools ---- */

/* Whether the name is free or of this kind already: a name is one pool, whatever its kind. */
static bool check_name(struct merge *merge, const char *text, enum usher_kind kind)
{
    const struct pool_name *name = resource_name(merge->resource, text);
    if (!name || name->kind == kind)
        return true;
    refuse(merge, USHER_BAD_CHART,
           usher_arena_format(merge->arena, "pool \"%s\" is of another kind already", text));
    return false;
}

static void refuse_empty(struct merge *merge, const char *text, const char *needs)
{
    refuse(merge, USHER_BAD_CHART,
           usher_arena_format(merge->arena, "pool \"%s\" is new and has no %s", text, needs));
}

/* Adds a pool, unless there are too many. */
static struct pool *add_pool(struct merge *merge, enum usher_kind kind, const char *text,
                             int32_t night)
{
    if (merge->resource->pool_count >= USHER_POOLS_MAX) {
        merge->over_limit = true;
        return NULL;
    }
    return catalogue_add(merge->resource, kind, text, night);
}

static void set_price(struct pool *pool, int64_t price)
{
    if (price != USHER_ABSENT && price != pool->row.price) {
        pool->row.price = price;
        pool->changed = true;
    }
}

static void set_capacity(struct pool *pool, int64_t capacity)
{
    if (capacity != USHER_ABSENT && capacity != pool->row.capacity) {
        catalogue_set_capacity(pool, (uint32_t)capacity);
        pool->changed = true;
    }
}

/* ---- sections ---- */

static bool has_rows(const struct pool *pool, const struct usher_row *rows, uint32_t count)
{
    bool same = pool->seat_row_count == count;
    for (uint32_t i = 0; same && i < count; i++) {
        const struct seat_row *row = &pool->seat_rows[i];
        same = row->first == rows[i].first && row->seats == rows[i].seats &&
               strcmp(row->name, rows[i].row) == 0;
    }
    return same;
}

static void set_section_units(struct merge *merge, struct pool *pool,
                              const struct usher_section *section)
{
    if (section->rows && !has_rows(pool, section->rows, section->row_count)) {
        catalogue_set_rows(merge->resource, pool, section->rows, section->row_count);
        pool->changed = true;
    } else if (!section->rows && section->capacity != USHER_ABSENT) {
        if (pool->row.kind == USHER_SEATS && section->capacity > 0) {
            catalogue_set_capacity(pool, 0); /* also where there are as many: no longer seats */
            pool->row.kind = USHER_SECTION;
            pool->changed = true;
        }
        set_capacity(pool, section->capacity);
    }
}

static void merge_section(struct merge *merge, const struct usher_section *section)
{
    if (!check_name(merge, section->section, USHER_SECTION))
        return;
    const struct pool_name *name = resource_name(merge->resource, section->section);
    struct pool *pool = name ? &merge->resource->pools[name->pool] : NULL;
    if (!pool && !section->rows && section->capacity == 0)
        return; /* removed what is not there */
    if (!pool && !section->rows && section->capacity == USHER_ABSENT) {
        refuse_empty(merge, section->section, "rows or capacity");
        return;
    }
    if (!pool) {
        pool = add_pool(merge, section->rows ? USHER_SEATS : USHER_SECTION, section->section,
                        NIGHT_NONE);
    }
    if (pool) {
        set_price(pool, section->price);
        set_section_units(merge, pool, section);
    }
}

/* ---- rooms ---- */

/* False: the night cannot be, nor those after it. */
static bool merge_night(struct merge *merge, const struct usher_room *room, int32_t night)
{
    const struct pool_name *name = resource_name(merge->resource, room->room);
    struct pool *pool = name ? resource_night(merge->resource, name, night) : NULL;
    if (!pool && room->capacity == 0)
        return true; /* removed what is not there */
    if (!pool && room->capacity == USHER_ABSENT) {
        refuse_empty(merge, room->room, "capacity for a night");
        return false;
    }
    if (!pool)
        pool = add_pool(merge, USHER_ROOM, room->room, night);
    if (pool) {
        set_price(pool, room->price);
        set_capacity(pool, room->capacity);
    }
    return true;
}

static void merge_room(struct merge *merge, const struct usher_room *room)
{
    bool good = check_name(merge, room->room, USHER_ROOM);
    for (int32_t night = room->from; good && night < room->to; night++)
        good = merge_night(merge, room, night);
}

/* ---- products ---- */

static void merge_product(struct merge *merge, const struct usher_product *product)
{
    if (!check_name(merge, product->product, USHER_PRODUCT))
        return;
    const struct pool_name *name = resource_name(merge->resource, product->product);
    struct pool *pool = name ? &merge->resource->pools[name->pool] : NULL;
    if (!pool && product->capacity == 0)
        return; /* removed what is not there */
    if (!pool && product->capacity == USHER_ABSENT) {
        refuse_empty(merge, product->product, "capacity");
        return;
    }
    if (!pool)
        pool = add_pool(merge, USHER_PRODUCT, product->product, NIGHT_NONE);
    if (pool) {
        set_price(pool, product->price);
        set_capacity(pool, product->capacity);
        if (product->name) {
            pool->row.title = catalogue_text(merge->resource, product->name);
            pool->changed = true;
        }
    }
}

/* ---- the whole ---- */

static bool same_rows(const struct pool *a, const struct pool *b)
{
    bool same = a->seat_row_count == b->seat_row_count;
    for (uint32_t i = 0; same && i < a->seat_row_count; i++) {
        const struct seat_row *left = &a->seat_rows[i], *right = &b->seat_rows[i];
        same = left->first == right->first && left->seats == right->seats &&
               strcmp(left->name, right->name) == 0;
    }
    return same;
}

/* Whether a unit that is taken would go, or become another seat. */
static bool is_in_use(const struct pool *pool, const struct pool *old)
{
    const struct units *units = &old->units;
    if (units->free == units->count)
        return false;
    return !same_rows(pool, old) || units_taken_end(units) > pool->row.capacity;
}

static const char *name_pool(struct merge *merge, const struct pool *pool)
{
    if (pool->row.kind != USHER_ROOM)
        return usher_arena_format(merge->arena, "units of \"%s\" are held or sold", pool->row.name);
    char night[USHER_NIGHT_SIZE];
    usher_night_format(pool->row.night, night);
    return usher_arena_format(merge->arena, "units of \"%s\" on %s are held or sold",
                              pool->row.name, night);
}

static void check_use(struct merge *merge)
{
    for (uint32_t i = 0; merge->old && i < merge->old->pool_count; i++) {
        const struct pool *pool = &merge->resource->pools[i];
        if (pool->changed && is_in_use(pool, &merge->old->pools[i])) {
            refuse(merge, USHER_IN_USE, name_pool(merge, pool));
            return;
        }
    }
}

/* All of a resource is in memory when it is decided upon: there must be an end to it. */
static void check_size(struct merge *merge)
{
    int64_t units = 0;
    for (uint32_t i = 0; i < merge->resource->pool_count; i++)
        units += merge->resource->pools[i].row.capacity;
    if (merge->over_limit) {
        refuse(merge, USHER_LIMIT_EXCEEDED,
               usher_arena_format(merge->arena, "more than %d pools", USHER_POOLS_MAX));
    } else if (units > USHER_RESOURCE_UNITS_MAX) {
        refuse(merge, USHER_LIMIT_EXCEEDED,
               usher_arena_format(merge->arena, "more than %d units", USHER_RESOURCE_UNITS_MAX));
    }
}

void merge_definition(struct merge *merge, const struct usher_definition *definition)
{
    merge_row(merge, definition);
    for (uint32_t i = 0; i < definition->section_count; i++)
        merge_section(merge, &definition->sections[i]);
    for (uint32_t i = 0; i < definition->room_count; i++)
        merge_room(merge, &definition->rooms[i]);
    for (uint32_t i = 0; i < definition->product_count; i++)
        merge_product(merge, &definition->products[i]);
    const char *twice = catalogue_seat_twice(merge->resource, merge->arena);
    if (twice) {
        refuse(merge, USHER_BAD_CHART,
               usher_arena_format(merge->arena, "seat \"%s\" is there twice", twice));
    }
    check_use(merge);
    check_size(merge);
}
