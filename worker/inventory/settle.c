/*
 * Completes a resource after its catalogue changed: units, sums, seat names, chart, terms. PURE.
 */
#include "worker/inventory/settle.h"

#include <assert.h>
#include <string.h>

#include "worker/inventory/catalogue.h"
#include "worker/inventory/names.h"
#include "worker/inventory/seats.h"
#include "worker/inventory/shared_catalogue.h"
#include "worker/inventory/terms.h"

/*
 * Makes the numbered units of the pool's capacity, those that were taken in the state they were in.
 * Of a night there may be `numbers` of them, where some behind the capacity are taken.
 */
static void settle_pool(struct pool *pool, uint32_t numbers, struct usher_arena *arena)
{
    struct units old = pool->units;
    pool->units = (struct units){0};
    if (kind_is_counted(pool->row.kind))
        return;
    uint32_t end = units_taken_end(&old);
    numbers = end > numbers ? end : numbers;
    numbers = pool->row.capacity > numbers ? pool->row.capacity : numbers;
    assert(pool->seat_row_count == 0 || numbers == pool->row.capacity);
    units_init(&pool->units, numbers, arena);
    uint32_t unit = units_next_taken(&old, 0, end);
    while (unit < end) {
        units_take(&pool->units, unit, units_state(&old, unit));
        unit = units_next_taken(&old, unit + 1, end);
    }
    units_set_free(&pool->units, pool_free(pool));
}

void settle_units(struct resource *resource, const uint32_t *numbers)
{
    for (uint32_t i = 0; i < resource->pool_count; i++) {
        settle_pool(&resource->pools[i], numbers ? numbers[i] : 0, resource->arena);
        names_add(resource, &resource->pools[i]);
    }
}

void settle_sums(struct resource *resource)
{
    resource->total = resource->free = resource->held = resource->sold = resource->blocked = 0;
    resource->number_count = 0;
    for (uint32_t i = 0; i < resource->pool_count; i++) {
        struct pool *pool = &resource->pools[i];
        resource->total += pool->row.capacity;
        resource->free += pool_free(pool);
        resource->held += pool->taken.held;
        resource->sold += pool->taken.sold;
        resource->blocked += pool->taken.blocked;
        resource->number_count += pool->units.count;
        if (pool->seat_row_count > 0)
            seats_arrange(pool, resource->arena);
    }
}

static const struct usher_row *rows_of(struct resource *resource, const struct pool *pool)
{
    struct usher_row *rows =
        usher_arena_alloc(resource->arena, pool->seat_row_count * sizeof *rows);
    for (uint32_t i = 0; i < pool->seat_row_count; i++)
        rows[i] = catalogue_row_of(&pool->seat_rows[i]);
    return rows;
}

void settle_set_chart(struct resource *resource, const char *content, size_t size)
{
    resource->chart = (struct chart_row){
        .name = resource->row.chart,
        .content = usher_arena_text(resource->arena, content, size),
        .content_size = size,
    };
}

static void name_chart(struct resource *resource, const struct usher_buffer *json)
{
    char name[72];
    usher_chart_name(json->at, json->size, name);
    if (!resource->row.chart || strcmp(resource->row.chart, name) != 0) {
        resource->row.chart = resource_text(resource, name);
        resource->chart_changed = true;
    }
    settle_set_chart(resource, json->at, json->size);
}

/* Encodes the layout of the sections that have rows. */
static void settle_chart(struct resource *resource)
{
    uint32_t count = 0, seat = 0;
    struct usher_section *sections =
        usher_arena_alloc(resource->arena, resource->pool_count * sizeof *sections);
    for (uint32_t i = 0; i < resource->pool_count; i++) {
        struct pool *pool = &resource->pools[i];
        if (pool->seat_row_count > 0) {
            pool->first_seat = seat;
            seat += pool->row.capacity;
            sections[count++] = (struct usher_section){.section = pool->row.name,
                                                       .rows = rows_of(resource, pool),
                                                       .row_count = pool->seat_row_count};
        }
    }
    resource->chart = (struct chart_row){0};
    if (count == 0) {
        resource->row.chart = NULL;
        resource->chart_changed = false;
        return;
    }
    struct usher_buffer json = {0};
    usher_chart_encode(sections, count, &json);
    name_chart(resource, &json);
    usher_buffer_deinit(&json);
}

void catalogue_settle(struct resource *resource)
{
    settle_units(resource, NULL);
    settle_sums(resource);
    settle_chart(resource);
    bool resolved = terms_resolve(resource);
    assert(resolved);
    catalogue_publish(resource);
}
