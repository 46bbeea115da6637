/*
 * Finding pools and nights of a resource, and what of it changed since readers were shown it. PURE.
 */
#include "worker/inventory/resource.h"

#include <assert.h>
#include <string.h>

#include "worker/base/array.h"
#include "worker/base/bits.h"

/* ==== What changed ==== */

/* What was never shown is shown whole. */
static bool is_drawn(const struct resource *resource)
{
    return resource->snapshot_rev != 0;
}

void resource_note(struct resource *resource, uint32_t index)
{
    struct pool *pool = &resource->pools[index];
    assert(index < resource->pool_count);
    if (!is_drawn(resource) || pool->noted)
        return;
    resource->noted = array_room(resource->noted, resource->noted_count, &resource->noted_limit,
                                 sizeof *resource->noted);
    resource->noted[resource->noted_count++] = index;
    pool->noted = true;
}

void resource_note_unit(struct resource *resource, uint32_t index, uint32_t unit)
{
    struct pool *pool = &resource->pools[index];
    resource_note(resource, index);
    if (!is_drawn(resource) || pool->seat_row_count == 0)
        return; /* of rooms readers are shown how many, not which */
    assert(unit < pool->units.count);
    if (!pool->noted_seats)
        pool->noted_seats = usher_arena_alloc(resource->arena, bits_words(pool->units.count) *
                                                                   sizeof *pool->noted_seats);
    bits_set(pool->noted_seats, unit);
}

void resource_note_snapshot(struct resource *resource)
{
    for (uint32_t i = 0; i < resource->noted_count; i++) {
        struct pool *pool = &resource->pools[resource->noted[i]];
        assert(pool->noted);
        pool->noted = false;
        if (pool->noted_seats)
            memset(pool->noted_seats, 0, bits_words(pool->units.count) * sizeof *pool->noted_seats);
    }
    resource->noted_count = 0;
    resource->snapshot_rev = resource->row.rev;
}

/* ==== Names ==== */

const char *resource_text(struct resource *resource, const char *text)
{
    return text ? usher_arena_text(resource->arena, text, strlen(text)) : NULL;
}

struct pool_name *resource_name(const struct resource *resource, const char *text)
{
    struct table_node *node = table_find(&resource->names_by_text, table_hash_text(text, 0));
    for (; node; node = table_find_next(node)) {
        struct pool_name *name = ENTRY_OF(node, struct pool_name, by_text);
        if (strcmp(name->text, text) == 0)
            return name;
    }
    return NULL;
}

struct pool *resource_night(const struct resource *resource, const struct pool_name *name,
                            int32_t night)
{
    assert(name->kind == USHER_ROOM);
    int64_t at = (int64_t)night - name->first_night;
    if (at < 0 || at >= name->night_count || name->nights[at] == 0)
        return NULL;
    assert(name->nights[at] <= resource->pool_count);
    return &resource->pools[name->nights[at] - 1];
}
