/*
 * Merges texts, then charts and pools, then terms, and checks the whole. Only the merged result is
 * judged, so that a later entry may correct an earlier one. PURE.
 */
#include "worker/rules/merge.h"

#include <string.h>

#include "worker/inventory/catalogue.h"
#include "worker/inventory/names.h"
#include "worker/rules/merge_pools.h"
#include "worker/rules/merge_terms.h"

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
                     usher_arena_format(merge->arena, "seat \"%s\" of %s is held, sold or blocked",
                                        seat, where(merge, pool)));
    }
}

static uint32_t taken(const struct pool *pool)
{
    return unit_counts_sum(pool->taken);
}

static void check_pool(struct merge *merge, const struct pool *pool, const struct pool *old)
{
    bool was_seats = old->seat_row_count > 0, is_seats = pool->seat_row_count > 0;
    if (was_seats && is_seats) {
        check_seats(merge, pool, old);
    } else if (was_seats != is_seats || taken(old) > pool->row.capacity) {
        bool one = taken(old) == 1;
        merge_refuse(merge, USHER_IN_USE,
                     usher_arena_format(merge->arena, "%u unit%s of %s %s held, sold or blocked",
                                        taken(old), one ? "" : "s", where(merge, pool),
                                        one ? "is" : "are"));
    }
}

/* What is sold is told, and paid back, in the currency of the resource. */
static void check_currency(struct merge *merge)
{
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

static void check_names(struct merge *merge)
{
    const char *twice = names_find_duplicate(merge->resource, merge->arena);
    if (twice) {
        merge_refuse(merge, USHER_BAD_CHART,
                     usher_arena_format(merge->arena, "duplicate seat \"%s\"", twice));
    }
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
    merge_row(merge, definition);
    merge_pools(merge, definition);
    check_names(merge);
    merge_terms(merge, definition);
    check_use(merge);
    check_size(merge);
}
