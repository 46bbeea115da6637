/*
 * Publishes the catalogue of a resource: its texts, rates and chart stay where they are, in the
 * arena that the catalogue owns and the book that it holds. PURE.
 */
#include "worker/inventory/shared_catalogue.h"

#include <assert.h>

#include "worker/inventory/rates.h"
#include "worker/inventory/resource.h"

struct catalogue *catalogue_open(void)
{
    struct usher_arena arena = {0};
    struct catalogue *catalogue = usher_arena_alloc(&arena, sizeof *catalogue);
    catalogue->arena = arena;
    atomic_init(&catalogue->holders, 1);
    return catalogue;
}

static void publish_pool(struct catalogue *catalogue, const struct pool *pool)
{
    const struct pool_row *row = &pool->row;
    bool has_seats = pool->seat_row_count > 0;
    catalogue->pools[row->index] = (struct catalogue_pool){
        .name = row->name,
        .title = row->title,
        .kind = row->kind,
        .night = row->night,
        .capacity = row->capacity,
        .price = row->price,
        .overbook = row->overbook,
        .rates = pool->rates ? pool->rates->at : NULL,
        .rate_count = pool->rates ? pool->rates->count : 0,
        .first_seat = has_seats ? (int32_t)pool->first_seat : CATALOGUE_NO_SEATS,
        .properties = row->properties,
    };
    catalogue->seat_count += has_seats ? row->capacity : 0;
    catalogue->total += row->capacity;
    catalogue->overbook += row->overbook;
    catalogue->shown_count += row->capacity > 0;
}

void catalogue_publish(struct resource *resource)
{
    struct catalogue *catalogue = resource->catalogue;
    const struct resource_row *row = &resource->row;
    assert(atomic_load(&catalogue->holders) == 1);
    catalogue->no = row->no;
    catalogue->id = row->id;
    catalogue->name = row->name;
    catalogue->venue = row->venue;
    catalogue->timezone = row->timezone;
    catalogue->currency = row->currency;
    catalogue->chart_name = row->chart;
    catalogue->starts_ms = row->starts_ms;
    catalogue->ends_ms = row->ends_ms;
    catalogue->opens_ms = row->opens_ms;
    catalogue->closes_ms = row->closes_ms;
    catalogue->chart = resource->chart.content;
    catalogue->chart_size = resource->chart.content_size;
    catalogue->pools =
        usher_arena_alloc(resource->arena, resource->pool_count * sizeof *catalogue->pools);
    catalogue->pool_count = resource->pool_count;
    catalogue->shown_count = catalogue->seat_count = 0;
    catalogue->total = catalogue->overbook = 0;
    struct quotas *quotas = usher_arena_alloc(resource->arena, sizeof *quotas);
    *quotas = resource->terms.quotas;
    catalogue->quotas = quotas;
    for (uint32_t i = 0; i < resource->pool_count; i++)
        publish_pool(catalogue, &resource->pools[i]);
}

struct catalogue *catalogue_hold(struct catalogue *catalogue)
{
    atomic_fetch_add_explicit(&catalogue->holders, 1, memory_order_relaxed);
    return catalogue;
}

/* It lies in its own arena, so that this is taken out of it first. */
void catalogue_release(struct catalogue *catalogue)
{
    if (catalogue && atomic_fetch_sub_explicit(&catalogue->holders, 1, memory_order_acq_rel) == 1) {
        struct usher_arena arena = catalogue->arena;
        rates_release(catalogue->rates);
        usher_arena_deinit(&arena);
    }
}
