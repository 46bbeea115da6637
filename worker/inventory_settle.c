/*
 * Making a resource whole after its catalogue changed: units, sums, seat names, chart. PURE.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "inventory_catalogue.h"
#include "inventory_seats.h"

static int compare_rows(const void *left, const void *right)
{
    const struct seat_row *a = *(const struct seat_row *const *)left;
    const struct seat_row *b = *(const struct seat_row *const *)right;
    int order = strcmp(a->name, b->name);
    return order != 0 ? order : (a->first > b->first) - (a->first < b->first);
}

const char *catalogue_seat_twice(const struct resource *resource, struct usher_arena *arena)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < resource->pool_count; i++)
        count += resource->pools[i].seat_row_count;
    const struct seat_row **rows = usher_arena_alloc(arena, count * sizeof(struct seat_row *));
    count = 0;
    for (uint32_t i = 0; i < resource->pool_count; i++)
        for (uint32_t j = 0; j < resource->pools[i].seat_row_count; j++)
            rows[count++] = &resource->pools[i].seat_rows[j];
    if (count > 0)
        qsort(rows, count, sizeof(struct seat_row *), compare_rows);
    for (uint32_t i = 1; i < count; i++)
        if (strcmp(rows[i - 1]->name, rows[i]->name) == 0 &&
            rows[i]->first - rows[i - 1]->first < rows[i - 1]->seats)
            return usher_arena_format(arena, "%s-%u", rows[i]->name, rows[i]->first);
    return NULL;
}

/* Makes the units of the pool's capacity, those that were taken in the state they were in. */
static void settle_units(struct pool *pool, struct usher_arena *arena)
{
    struct units old = pool->units;
    assert(units_taken_end(&old) <= pool->row.capacity);
    units_init(&pool->units, pool->row.capacity, arena);
    uint32_t end = old.count < pool->row.capacity ? old.count : pool->row.capacity;
    uint32_t unit = units_next_taken(&old, 0, end);
    while (unit < end) {
        units_take(&pool->units, unit, units_state(&old, unit));
        unit = units_next_taken(&old, unit + 1, end);
    }
}

static void settle_seat_names(struct resource *resource, struct pool *pool)
{
    for (uint32_t i = 0; i < pool->seat_row_count; i++) {
        struct seat_row *row = &pool->seat_rows[i];
        table_add(&resource->seat_rows, &row->by_name, table_hash_text(row->name, 0));
    }
}

void catalogue_make_units(struct resource *resource)
{
    for (uint32_t i = 0; i < resource->pool_count; i++) {
        settle_units(&resource->pools[i], &resource->arena);
        settle_seat_names(resource, &resource->pools[i]);
    }
}

void catalogue_sum(struct resource *resource)
{
    resource->total = resource->free = resource->held = resource->sold = resource->blocked = 0;
    for (uint32_t i = 0; i < resource->pool_count; i++) {
        struct pool *pool = &resource->pools[i];
        resource->total += pool->units.count;
        resource->free += pool->units.free;
        resource->held += pool->units.held;
        resource->sold += pool->units.sold;
        resource->blocked += pool->units.blocked;
        if (pool->seat_row_count > 0)
            seats_arrange(pool, &resource->arena);
    }
}

static const struct usher_row *rows_of(struct resource *resource, const struct pool *pool)
{
    struct usher_row *rows =
        usher_arena_alloc(&resource->arena, pool->seat_row_count * sizeof(*rows));
    for (uint32_t i = 0; i < pool->seat_row_count; i++) {
        const struct seat_row *row = &pool->seat_rows[i];
        rows[i] = (struct usher_row){row->name, row->seats, row->first};
    }
    return rows;
}

void catalogue_set_chart(struct resource *resource, const char *content, size_t size)
{
    resource->chart = (struct chart_row){
        .name = resource->row.chart,
        .content = usher_arena_text(&resource->arena, content, size),
        .content_size = size,
    };
}

static void name_chart(struct resource *resource, const struct usher_buffer *json)
{
    char name[72];
    usher_chart_name(json->at, json->size, name);
    if (!resource->row.chart || strcmp(resource->row.chart, name) != 0) {
        resource->row.chart = catalogue_text(resource, name);
        resource->chart_changed = true;
    }
    catalogue_set_chart(resource, json->at, json->size);
}

/* Encodes the layout of the sections that have rows. */
static void settle_chart(struct resource *resource)
{
    uint32_t count = 0;
    struct usher_section *sections =
        usher_arena_alloc(&resource->arena, resource->pool_count * sizeof(*sections));
    for (uint32_t i = 0; i < resource->pool_count; i++) {
        const struct pool *pool = &resource->pools[i];
        if (pool->seat_row_count > 0) {
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
    catalogue_make_units(resource);
    catalogue_sum(resource);
    settle_chart(resource);
}
