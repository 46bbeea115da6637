/*
 * How a resource is put together. Everything but the tables and two growing arrays lives in the
 * arena of its own catalogue, so that a clone can be dropped, or the original, in one go. PURE.
 */
#include "worker/inventory/catalogue.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "producer/base/allocate.h"
#include "worker/base/array.h"
#include "worker/inventory/names.h"
#include "worker/inventory/rate_uses.h"
#include "worker/inventory/shared_catalogue.h"
#include "worker/inventory/terms.h"
#include "worker/inventory/waiting_list.h"

static void copy_row(struct resource *resource, const struct resource_row *row)
{
    resource->row = *row;
    resource->row.id = resource_text(resource, row->id);
    resource->row.name = resource_text(resource, row->name);
    resource->row.venue = resource_text(resource, row->venue);
    resource->row.description = resource_text(resource, row->description);
    resource->row.timezone = resource_text(resource, row->timezone);
    resource->row.currency = resource_text(resource, row->currency);
    resource->row.terms = resource_text(resource, row->terms);
    resource->row.cancelling = resource_text(resource, row->cancelling);
    resource->row.chart = resource_text(resource, row->chart);
    resource->row.by_rate = NULL;
}

struct resource *resource_create(const struct resource_row *row)
{
    struct resource *resource = memory_calloc(1, sizeof *resource);
    resource->catalogue = catalogue_open();
    resource->arena = &resource->catalogue->arena;
    copy_row(resource, row);
    return resource;
}

void resource_destroy(struct resource *resource)
{
    if (!resource)
        return;
    table_deinit(&resource->names_by_text);
    names_deinit(resource);
    tallies_deinit(&resource->tallies);
    waiting_deinit(&resource->waiting);
    free(resource->noted);
    free(resource->pools);
    free(resource->names);
    catalogue_release(resource->catalogue);
    free(resource);
}

static struct pool_name *add_name(struct resource *resource, enum usher_kind kind, const char *text)
{
    assert(!resource_name(resource, text));
    struct pool_name *name = usher_arena_alloc(resource->arena, sizeof *name);
    name->text = resource_text(resource, text);
    name->kind = kind == USHER_SEATS ? USHER_SECTION : kind;
    name->pool = resource->pool_count;
    table_add(&resource->names_by_text, &name->by_text, table_hash_text(text, 0));

    resource->names = array_room(resource->names, resource->name_count, &resource->name_limit,
                                 sizeof(struct pool_name *));
    resource->names[resource->name_count++] = name;
    return name;
}

/* Makes `name->nights` reach from `first` to `end`, and as far again on the side that grew. */
static void widen_nights(struct resource *resource, struct pool_name *name, int64_t first,
                         int64_t end)
{
    assert(first < end);
    int64_t old_first = name->first_night;
    int64_t old_end = old_first + name->night_count;
    first = name->night_count > 0 && old_first < first ? old_first : first;
    end = old_end > end ? old_end : end;
    first -= name->night_count > 0 && first < old_first ? end - first : 0;
    end += end > old_end ? end - first : 0;

    uint32_t *nights = usher_arena_alloc(resource->arena, (size_t)(end - first) * sizeof *nights);
    if (name->night_count > 0)
        memcpy(nights + (old_first - first), name->nights, name->night_count * sizeof *nights);
    name->nights = nights;
    name->first_night = (int32_t)first;
    name->night_count = (uint32_t)(end - first);
}

/* Returns how many nights lie from the first to the last of a room type, with one more. */
static int64_t calendar_with(const struct pool_name *name, int32_t night)
{
    assert(night != NIGHT_NONE);
    if (!name || name->night_count == 0)
        return 1;
    int64_t lowest = night < name->lowest ? night : name->lowest;
    int64_t highest = night > name->highest ? night : name->highest;
    return highest - lowest + 1;
}

/* `pool`: index + 1, 0: none. */
static bool is_on_sale(const struct resource *resource, uint32_t pool)
{
    return pool > 0 && resource->pools[pool - 1].row.capacity > 0;
}

bool catalogue_reaches(const struct resource *resource, const char *room, int32_t night)
{
    const struct pool_name *name = resource_name(resource, room);
    int64_t before = name && name->night_count > 0 ? calendar_with(name, name->lowest) : 0;
    return resource->calendar - before + calendar_with(name, night) <= CATALOGUE_NIGHTS_MAX;
}

int64_t catalogue_calendar(const struct resource *resource)
{
    int64_t calendar = 0;
    for (uint32_t i = 0; i < resource->name_count; i++) {
        const struct pool_name *name = resource->names[i];
        uint32_t first = 0, end = name->night_count;
        while (first < end && !is_on_sale(resource, name->nights[first]))
            first++;
        while (end > first && !is_on_sale(resource, name->nights[end - 1]))
            end--;
        calendar += end - first;
    }
    return calendar;
}

static void note_night(struct resource *resource, struct pool_name *name, int32_t night)
{
    bool first = name->night_count == 0;
    int64_t before = first ? 0 : calendar_with(name, name->lowest);
    resource->calendar += calendar_with(name, night) - before;
    name->lowest = first || night < name->lowest ? night : name->lowest;
    name->highest = first || night > name->highest ? night : name->highest;
}

static void add_night(struct resource *resource, struct pool_name *name, int32_t night,
                      uint32_t pool)
{
    assert(name->kind == USHER_ROOM);
    note_night(resource, name, night);
    if (night < name->first_night || night - (int64_t)name->first_night >= name->night_count)
        widen_nights(resource, name, night, (int64_t)night + 1);
    name->nights[(int64_t)night - name->first_night] = pool + 1;
}

struct pool *catalogue_add(struct resource *resource, enum usher_kind kind, const char *text,
                           int32_t night)
{
    assert((kind == USHER_ROOM) == (night != NIGHT_NONE));
    struct pool_name *name = resource_name(resource, text);
    assert(!name || kind == USHER_ROOM);
    if (!name)
        name = add_name(resource, kind, text);
    if (kind == USHER_ROOM)
        add_night(resource, name, night, resource->pool_count);
    resource->pools = array_room(resource->pools, resource->pool_count, &resource->pool_limit,
                                 sizeof *resource->pools);
    struct pool *pool = &resource->pools[resource->pool_count];
    *pool = (struct pool){
        .row = {.resource_no = resource->row.no,
                .index = resource->pool_count,
                .kind = kind,
                .name = name->text,
                .night = kind == USHER_ROOM ? night : NIGHT_NONE,
                .spares = true,
                .is_new = true},
        .name = name,
        .changed = true,
    };
    resource->pool_count++;
    return pool;
}

/* ---- rows ---- */

static const char *const *copy_texts(struct resource *resource, const char *const *from,
                                     uint32_t count)
{
    if (!from)
        return NULL;
    const char **texts = usher_arena_alloc(resource->arena, count * sizeof *texts);
    for (uint32_t i = 0; i < count; i++)
        texts[i] = resource_text(resource, from[i]);
    return texts;
}

static const void *copy_array(struct resource *resource, const void *from, size_t size)
{
    return from ? memcpy(usher_arena_alloc(resource->arena, size), from, size) : NULL;
}

static const struct usher_row_feature *copy_features(struct resource *resource,
                                                     const struct usher_row *row)
{
    struct usher_row_feature *features =
        usher_arena_alloc(resource->arena, row->feature_count * sizeof *features);
    for (uint32_t i = 0; i < row->feature_count; i++) {
        const struct usher_row_feature *from = &row->features[i];
        features[i] = (struct usher_row_feature){
            .feature = resource_text(resource, from->feature),
            .seats = copy_array(resource, from->seats, from->seat_count * sizeof *from->seats),
            .seat_count = from->seat_count,
        };
    }
    return features;
}

struct usher_row catalogue_row_of(const struct seat_row *row)
{
    return (struct usher_row){
        .row = row->name,
        .seats = row->seats,
        .first = row->first,
        .first_given = row->first == 0,
        .zone = row->zone,
        .names = row->names,
        .numbers = row->numbers,
        .ranks = row->ranks,
        .x = row->x,
        .y = row->y,
        .features = row->features,
        .feature_count = row->feature_count,
    };
}

static struct seat_row copy_seat_row(struct resource *resource, const struct usher_row *row)
{
    size_t size = row->seats * sizeof(int32_t);
    return (struct seat_row){
        .name = resource_text(resource, row->row),
        .first = row->first,
        .seats = row->seats,
        .zone = resource_text(resource, row->zone),
        .names = copy_texts(resource, row->names, row->seats),
        .numbers = copy_texts(resource, row->numbers, row->seats),
        .ranks = copy_array(resource, row->ranks, size),
        .x = copy_array(resource, row->x, size),
        .y = copy_array(resource, row->y, size),
        .features = row->feature_count > 0 ? copy_features(resource, row) : NULL,
        .feature_count = row->feature_count,
    };
}

void catalogue_set_rows(struct resource *resource, struct pool *pool, const struct usher_row *rows,
                        uint32_t row_count)
{
    assert(rows || row_count == 0);
    uint32_t unit = 0;
    pool->seat_rows = usher_arena_alloc(resource->arena, row_count * sizeof *pool->seat_rows);
    pool->seat_row_count = row_count;
    pool->has_numbers = false;
    for (uint32_t i = 0; i < row_count; i++) {
        pool->seat_rows[i] = copy_seat_row(resource, &rows[i]);
        pool->seat_rows[i].first_unit = unit;
        pool->seat_rows[i].pool = pool->row.index;
        unit += rows[i].seats;
        if (rows[i].numbers)
            pool->has_numbers = true;
    }
    pool->row.kind = USHER_SEATS;
    pool->row.capacity = unit;
}

void catalogue_set_capacity(struct pool *pool, uint32_t capacity)
{
    pool->seat_rows = NULL;
    pool->seat_row_count = 0;
    pool->has_numbers = false;
    pool->row.capacity = capacity;
}

/* ---- clones ---- */

static void clone_seat_rows(struct resource *clone, struct pool *pool)
{
    const struct seat_row *rows = pool->seat_rows;
    pool->seat_rows =
        usher_arena_alloc(clone->arena, pool->seat_row_count * sizeof *pool->seat_rows);
    for (uint32_t i = 0; i < pool->seat_row_count; i++) {
        struct usher_row row = catalogue_row_of(&rows[i]);
        pool->seat_rows[i] = copy_seat_row(clone, &row);
        pool->seat_rows[i].first_unit = rows[i].first_unit;
        pool->seat_rows[i].pool = rows[i].pool;
    }
}

static struct pool_name *clone_name(struct resource *clone, const struct pool_name *from)
{
    struct pool_name *name = add_name(clone, from->kind, from->text);
    *name = (struct pool_name){
        .by_text = name->by_text,
        .text = name->text,
        .kind = from->kind,
        .pool = from->pool,
        .first_night = from->first_night,
        .night_count = from->night_count,
        .lowest = from->lowest,
        .highest = from->highest,
        .restricted = from->restricted,
    };
    if (from->nights) {
        size_t size = from->night_count * sizeof *from->nights;
        name->nights = memcpy(usher_arena_room(clone->arena, size), from->nights, size);
    }
    return name;
}

/* Makes the copy of a pool one of the clone; those before it are done. */
static void clone_pool(struct resource *clone, const struct pool *from, bool same_rates)
{
    struct pool *pool = &clone->pools[from->row.index];
    const struct pool_name *name = from->name;
    bool first = name->pool == from->row.index;
    pool->name = first ? clone_name(clone, name) : clone->pools[name->pool].name;
    pool->row.name = pool->name->text;
    pool->row.title = resource_text(clone, from->row.title);
    pool->row.properties = resource_text(clone, from->row.properties);
    pool->noted = false; /* of the clone readers were shown nothing */
    pool->noted_seats = NULL;
    if (!same_rates) {
        rates_set(pool, rates_kept(clone, from->rates));
        restrictions_set(pool, restrictions_kept(clone, from->restrictions));
    }
    rate_uses_copy(clone, pool, from->rate_uses);
    if (from->seat_row_count > 0)
        clone_seat_rows(clone, pool);
}

static void clone_pools(struct resource *clone, const struct resource *resource)
{
    uint32_t count = resource->pool_count;
    bool same_rates = rates_share(clone, resource);
    clone->calendar = resource->calendar;
    clone->pools = memory_realloc(NULL, count, sizeof *clone->pools);
    clone->pool_limit = clone->pool_count = count;
    if (count > 0)
        memcpy(clone->pools, resource->pools, count * sizeof *clone->pools);
    for (uint32_t i = 0; i < count; i++)
        clone_pool(clone, &resource->pools[i], same_rates);
    assert(clone->name_count == resource->name_count);
}

struct resource *resource_clone(const struct resource *resource)
{
    struct resource *clone = resource_create(&resource->row);
    clone->ids_complete = resource->ids_complete;
    clone->bookings_complete = resource->bookings_complete;
    memcpy(clone->cancel_cursor, resource->cancel_cursor, sizeof clone->cancel_cursor);
    clone->batch = resource->batch;
    clone->chart_changed = resource->chart_changed;
    clone->rate_uses_changed = resource->rate_uses_changed;
    clone_pools(clone, resource);
    return clone;
}
