/*
 * How a resource is put together. Everything but the tables and two growing arrays lives in the
 * resource's own arena, so that a clone can be dropped, or the original, in one go. PURE.
 */
#include "inventory_catalogue.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "inventory_booking.h"
#include "inventory_seats.h"

const char *catalogue_text(struct resource *resource, const char *text)
{
    return text ? usher_arena_text(&resource->arena, text, strlen(text)) : NULL;
}

static void copy_row(struct resource *resource, const struct resource_row *row)
{
    resource->row = *row;
    resource->row.id = catalogue_text(resource, row->id);
    resource->row.name = catalogue_text(resource, row->name);
    resource->row.venue = catalogue_text(resource, row->venue);
    resource->row.description = catalogue_text(resource, row->description);
    resource->row.timezone = catalogue_text(resource, row->timezone);
    resource->row.currency = catalogue_text(resource, row->currency);
    resource->row.chart = catalogue_text(resource, row->chart);
}

struct resource *resource_create(const struct resource_row *row)
{
    struct resource *resource = calloc(1, sizeof(*resource));
    assert(resource);
    copy_row(resource, row);
    return resource;
}

void resource_destroy(struct resource *resource)
{
    if (!resource) {
        return;
    }
    table_deinit(&resource->names_by_text);
    table_deinit(&resource->seat_rows);
    free(resource->pools);
    free(resource->names);
    usher_arena_deinit(&resource->arena);
    free(resource);
}

/* Makes room for one more in an array that doubles. */
static void *grown(void *array, uint32_t count, uint32_t *limit, size_t size)
{
    if (count < *limit) {
        return array;
    }
    *limit = *limit ? 2 * *limit : 4;
    array = realloc(array, *limit * size);
    assert(array);
    return array;
}

static struct pool_name *add_name(struct resource *resource, enum usher_kind kind, const char *text)
{
    struct pool_name *name = usher_arena_alloc(&resource->arena, sizeof(*name));
    name->text = catalogue_text(resource, text);
    name->kind = kind == USHER_SEATS ? USHER_SECTION : kind;
    name->pool = resource->pool_count;
    table_add(&resource->names_by_text, &name->by_text, table_hash_text(text, 0));

    resource->names = grown(resource->names, resource->name_count, &resource->name_limit,
                            sizeof(struct pool_name *));
    resource->names[resource->name_count++] = name;
    return name;
}

/* Makes `name->nights` reach from `first` to `end`, and as far again on the side that grew. */
static void widen_nights(struct resource *resource, struct pool_name *name, int64_t first,
                         int64_t end)
{
    int64_t old_first = name->first_night;
    int64_t old_end = old_first + name->night_count;
    first = name->night_count > 0 && old_first < first ? old_first : first;
    end = old_end > end ? old_end : end;
    first -= name->night_count > 0 && first < old_first ? end - first : 0;
    end += end > old_end ? end - first : 0;

    uint32_t *nights = usher_arena_alloc(&resource->arena, (size_t)(end - first) * sizeof(*nights));
    if (name->night_count > 0) {
        memcpy(nights + (old_first - first), name->nights, name->night_count * sizeof(*nights));
    }
    name->nights = nights;
    name->first_night = (int32_t)first;
    name->night_count = (uint32_t)(end - first);
}

static void add_night(struct resource *resource, struct pool_name *name, int32_t night,
                      uint32_t pool)
{
    if (night < name->first_night || night - (int64_t)name->first_night >= name->night_count) {
        widen_nights(resource, name, night, (int64_t)night + 1);
    }
    name->nights[(int64_t)night - name->first_night] = pool + 1;
}

struct pool *catalogue_add(struct resource *resource, enum usher_kind kind, const char *text,
                           int32_t night)
{
    struct pool_name *name = resource_name(resource, text);
    if (!name) {
        name = add_name(resource, kind, text);
    }
    if (kind == USHER_ROOM) {
        add_night(resource, name, night, resource->pool_count);
    }
    resource->pools = grown(resource->pools, resource->pool_count, &resource->pool_limit,
                            sizeof(*resource->pools));
    struct pool *pool = &resource->pools[resource->pool_count];
    *pool = (struct pool){
        .row = {.resource_no = resource->row.no,
                .index = resource->pool_count,
                .kind = kind,
                .name = name->text,
                .night = kind == USHER_ROOM ? night : NIGHT_NONE,
                .is_new = true},
        .changed = true,
    };
    resource->pool_count++;
    return pool;
}

void catalogue_set_rows(struct resource *resource, struct pool *pool, const struct usher_row *rows,
                        uint32_t row_count)
{
    uint32_t unit = 0;
    pool->seat_rows = usher_arena_alloc(&resource->arena, row_count * sizeof(*pool->seat_rows));
    pool->seat_row_count = row_count;
    for (uint32_t i = 0; i < row_count; i++) {
        pool->seat_rows[i] = (struct seat_row){.name = catalogue_text(resource, rows[i].row),
                                               .first = rows[i].first,
                                               .seats = rows[i].seats,
                                               .first_unit = unit,
                                               .pool = pool->row.index};
        unit += rows[i].seats;
    }
    pool->row.kind = USHER_SEATS;
    pool->row.capacity = unit;
    pool->layout = seats_layout(pool->seat_rows, row_count);
}

void catalogue_set_capacity(struct pool *pool, uint32_t capacity)
{
    pool->seat_rows = NULL;
    pool->seat_row_count = 0;
    pool->layout = 0;
    pool->row.capacity = capacity;
}

static void clone_seat_rows(struct resource *clone, struct pool *pool)
{
    const struct seat_row *rows = pool->seat_rows;
    pool->seat_rows =
        usher_arena_alloc(&clone->arena, pool->seat_row_count * sizeof(*pool->seat_rows));
    for (uint32_t i = 0; i < pool->seat_row_count; i++) {
        pool->seat_rows[i] = rows[i];
        pool->seat_rows[i].name = catalogue_text(clone, rows[i].name);
    }
}

struct resource *resource_clone(const struct resource *resource)
{
    struct resource *clone = resource_create(&resource->row);
    clone->ids_complete = resource->ids_complete;
    clone->batch = resource->batch;
    clone->chart_changed = resource->chart_changed;
    for (uint32_t i = 0; i < resource->pool_count; i++) {
        const struct pool *from = &resource->pools[i];
        struct pool *pool = catalogue_add(clone, from->row.kind, from->row.name, from->row.night);
        const char *name = pool->row.name;
        *pool = *from;
        pool->row.name = name;
        pool->row.title = catalogue_text(clone, from->row.title);
        if (from->seat_row_count > 0) {
            clone_seat_rows(clone, pool);
        }
    }
    return clone;
}

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
    for (uint32_t i = 0; i < resource->pool_count; i++) {
        count += resource->pools[i].seat_row_count;
    }
    const struct seat_row **rows = usher_arena_alloc(arena, count * sizeof(struct seat_row *));
    count = 0;
    for (uint32_t i = 0; i < resource->pool_count; i++) {
        for (uint32_t j = 0; j < resource->pools[i].seat_row_count; j++) {
            rows[count++] = &resource->pools[i].seat_rows[j];
        }
    }
    if (count > 0) {
        qsort(rows, count, sizeof(struct seat_row *), compare_rows);
    }
    for (uint32_t i = 1; i < count; i++) {
        if (strcmp(rows[i - 1]->name, rows[i]->name) == 0 &&
            rows[i]->first - rows[i - 1]->first < rows[i - 1]->seats) {
            return usher_arena_format(arena, "%s-%u", rows[i]->name, rows[i]->first);
        }
    }
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

/* Counts and trees from the units as they are. */
static void settle_sums(struct resource *resource)
{
    resource->total = resource->free = resource->held = resource->sold = resource->blocked = 0;
    for (uint32_t i = 0; i < resource->pool_count; i++) {
        struct pool *pool = &resource->pools[i];
        resource->total += pool->units.count;
        resource->free += pool->units.free;
        resource->held += pool->units.held;
        resource->sold += pool->units.sold;
        resource->blocked += pool->units.blocked;
        if (pool->seat_row_count > 0) {
            seats_arrange(pool, &resource->arena);
        }
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

static void set_chart(struct resource *resource, const char *content, size_t size)
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
    set_chart(resource, json->at, json->size);
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
    for (uint32_t i = 0; i < resource->pool_count; i++) {
        settle_units(&resource->pools[i], &resource->arena);
        settle_seat_names(resource, &resource->pools[i]);
    }
    settle_sums(resource);
    settle_chart(resource);
}

static bool load_section(struct resource *resource, const struct usher_section *section)
{
    const struct pool_name *name = resource_name(resource, section->section);
    if (!name || name->kind != USHER_SECTION) {
        return false;
    }
    struct pool *pool = &resource->pools[name->pool];
    uint32_t capacity = pool->row.capacity;
    if (pool->row.kind != USHER_SEATS) {
        return false;
    }
    catalogue_set_rows(resource, pool, section->rows, section->row_count);
    return pool->row.capacity == capacity;
}

/* The rows of each section from the chart; false: they are not those of the pools. */
static bool load_chart(struct resource *resource, const struct chart_row *chart,
                       struct usher_arena *scratch)
{
    const struct usher_section *sections;
    uint32_t count;
    struct usher_error err;
    if (usher_chart_decode(chart->content, chart->content_size, scratch, &sections, &count, &err) !=
        USHER_OK) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!load_section(resource, &sections[i])) {
            return false;
        }
    }
    set_chart(resource, chart->content, chart->content_size);
    return true;
}

static void load_pool(struct resource *resource, const struct pool_row *row)
{
    struct pool *pool = catalogue_add(resource, row->kind, row->name, row->night);
    const char *name = pool->row.name;
    pool->row = *row;
    pool->row.name = name;
    pool->row.title = catalogue_text(resource, row->title);
    pool->row.is_new = false;
    pool->changed = false;
}

static bool load_pools(struct resource *resource, const struct loaded_resource *loaded,
                       struct usher_arena *scratch)
{
    for (uint32_t i = 0; i < loaded->pool_count; i++) {
        load_pool(resource, &loaded->pools[i]);
    }
    if (loaded->chart.content && !load_chart(resource, &loaded->chart, scratch)) {
        return false;
    }
    for (uint32_t i = 0; i < resource->pool_count; i++) {
        struct pool *pool = &resource->pools[i];
        if (pool->row.kind == USHER_SEATS && pool->row.capacity > 0 && pool->seat_row_count == 0) {
            return false;
        }
        settle_units(pool, &resource->arena);
        settle_seat_names(resource, pool);
    }
    return true;
}

static bool load_unit(struct resource *resource, const struct loaded_unit *unit)
{
    struct units *units =
        unit->pool < resource->pool_count ? &resource->pools[unit->pool].units : NULL;
    if (!units || (uint32_t)unit->unit >= units->count ||
        !units_is_free(units, (uint32_t)unit->unit) || !booking_state_possesses(unit->state)) {
        return false;
    }
    units_take(units, (uint32_t)unit->unit, unit->state);
    return true;
}

struct resource *resource_load(const struct loaded_resource *loaded, struct usher_arena *scratch)
{
    struct resource *resource = resource_create(&loaded->row);
    resource->row.is_new = false;
    bool good = load_pools(resource, loaded, scratch);
    for (uint32_t i = 0; good && i < loaded->unit_count; i++) {
        good = load_unit(resource, &loaded->units[i]);
    }
    if (!good) {
        resource_destroy(resource);
        return NULL;
    }
    settle_sums(resource);
    return resource;
}
