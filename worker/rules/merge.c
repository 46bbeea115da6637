/*
 * Merges texts, then charts and pools, then terms, and checks the whole. Only the merged result is
 * judged, so that a later entry may correct an earlier one. PURE.
 */
#include "worker/rules/merge.h"

#include "worker/inventory/catalogue.h"
#include "worker/inventory/names.h"
#include "worker/rules/merge_pools.h"
#include "worker/rules/merge_terms.h"
#include "worker/rules/merge_use.h"

/* ---- texts and times ---- */

static void merge_text(struct merge *merge, const char **text, const char *given)
{
    if (given)
        *text = resource_text(merge->resource, given);
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

/* Limits the size of a resource: all of it is in memory when it is decided upon. */
static void check_size(struct merge *merge)
{
    int64_t units = 0;
    const struct pool *too_large = NULL; /* capacity and overbook may be set one by one */
    for (uint32_t i = 0; i < merge->resource->pool_count; i++) {
        const struct pool *pool = &merge->resource->pools[i];
        units += pool->row.capacity;
        too_large = pool->row.capacity > USHER_CAPACITY_MAX ? pool : too_large;
    }
    if (too_large) {
        merge_refuse(merge, USHER_LIMIT_EXCEEDED,
                     usher_arena_format(merge->arena, "pool \"%s\" exceeds the maximum of %d units",
                                        too_large->row.name, USHER_CAPACITY_MAX));
    } else if (merge->over_limit) {
        merge_refuse(
            merge, USHER_LIMIT_EXCEEDED,
            usher_arena_format(merge->arena, "more than the maximum of %d pools", USHER_POOLS_MAX));
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
    merge_check_use(merge);
    check_size(merge);
}
