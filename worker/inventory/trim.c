/*
 * Evicts the least recently used above the limits, but never what a batch changed that is not yet
 * known to be committed. PURE.
 */
#include "worker/inventory/trim.h"

#include <assert.h>

#include "worker/base/array.h"
#include "worker/inventory/bookings.h"
#include "worker/inventory/catalogue.h"
#include "worker/inventory/charts.h"
#include "worker/inventory/inventory_load.h"
#include "worker/inventory/inventory_state.h"
#include "worker/inventory/request_ids.h"
#include "worker/inventory/resources.h"
#include "worker/inventory/waiting_list.h"

static bool may_go(const struct inventory *inventory, uint64_t batch)
{
    return batch <= inventory->committed;
}

static void trim_ids(struct inventory *inventory)
{
    while (inventory->ids.count > inventory->limits.ids) {
        struct known_id *id = ENTRY_OF(inventory->ids.oldest, struct known_id, age);
        if (!may_go(inventory, id->batch))
            break;
        struct resource *resource = inventory_peek(inventory, id->resource_no);
        if (resource)
            resource->ids_complete = false;
        list_remove(&inventory->ids, &id->age);
        table_remove(&inventory->ids_by_hash, &id->by_id);
        slab_free(&inventory->id_slab, id);
    }
}

static void trim_bookings(struct inventory *inventory)
{
    while (inventory->bookings.count > inventory->limits.bookings) {
        struct booking *booking = ENTRY_OF(inventory->bookings.oldest, struct booking, use);
        if (!may_go(inventory, booking->batch))
            break;
        inventory_evict_booking(inventory, booking);
    }
}

/* Its parties changed with it, so that they are committed if it is. */
static void evict_party(struct booking *booking, void *self)
{
    struct inventory *inventory = self;
    assert(may_go(inventory, booking->batch));
    inventory_evict_booking(inventory, booking);
}

static void evict_resource(struct inventory *inventory, struct resource *resource)
{
    if (inventory->evicted_told)
        inventory->evicted_count = 0;
    inventory->evicted_told = false;
    inventory->evicted = array_room(inventory->evicted, inventory->evicted_count,
                                    &inventory->evicted_limit, sizeof *inventory->evicted);
    inventory->evicted[inventory->evicted_count++] = resource->row.no;

    waiting_each(resource, evict_party, inventory);
    list_remove(&inventory->resources, &resource->use);
    table_remove(&inventory->resources_by_id, &resource->by_id);
    table_remove(&inventory->resources_by_no, &resource->by_no);
    inventory_drop_units(inventory, resource);
    resource_destroy(resource);
}

static bool has_many(const struct inventory *inventory)
{
    return inventory->resources.count > inventory->limits.resources ||
           inventory->units > inventory->limits.units || inventory->pools > inventory->limits.pools;
}

/*
 * The one used last stays, however large: it would only be loaded again for the next batch. So do
 * those with unfinished work: it would be forgotten.
 */
static void trim_resources(struct inventory *inventory)
{
    struct list_node *node = inventory->resources.oldest;
    for (struct list_node *newer; node && node->newer && has_many(inventory); node = newer) {
        struct resource *resource = ENTRY_OF(node, struct resource, use);
        newer = node->newer;
        if (!may_go(inventory, resource->batch))
            break;
        assert(!resource->touched);
        if (!resource->has_work)
            evict_resource(inventory, resource);
    }
}

void inventory_trim(struct inventory *inventory)
{
    inventory_forget_loaded(inventory);
    trim_ids(inventory);
    trim_bookings(inventory);
    trim_resources(inventory);
    inventory_trim_charts(inventory);
}

void inventory_limit(struct inventory *inventory, const struct inventory_limits *limits)
{
    inventory->limits = *limits;
}

void inventory_return_memory(struct inventory *inventory)
{
    slab_shrink(&inventory->booking_slab);
    slab_shrink(&inventory->id_slab);
}

const int64_t *inventory_evicted(struct inventory *inventory, uint32_t *count)
{
    *count = inventory->evicted_told ? 0 : inventory->evicted_count;
    inventory->evicted_told = true;
    return inventory->evicted;
}

/* ---- room for what was loaded ---- */

/* What loaded resources bring. */
struct room {
    uint64_t units, pools;
};

/* Adds the units with a number and the pools of the resource, unless it is in memory: then its rows
 * are dropped. */
static void add_loaded(struct room *room, const struct inventory *inventory,
                       const struct loaded_resource *loaded)
{
    if (inventory_peek(inventory, loaded->row.no))
        return;
    room->pools += loaded->pool_count;
    for (uint32_t i = 0; i < loaded->pool_count; i++)
        if (!kind_is_counted(loaded->pools[i].kind))
            room->units += loaded->pools[i].capacity;
}

/* Neither changed by a batch that may fail, nor used by the one being filled, nor at work. */
static bool is_cold(const struct inventory *inventory, const struct resource *resource)
{
    return may_go(inventory, resource->batch) && !resource->touched && !resource->has_work &&
           resource->needed < inventory->needs;
}

static bool has_room(const struct inventory *inventory, const struct room *room)
{
    return inventory->units + room->units <= inventory->limits.units &&
           inventory->pools + room->pools <= inventory->limits.pools;
}

/* Evicts what is cold, the least recently used first, until there is room for that much. */
static bool evict_for(struct inventory *inventory, const struct room *room)
{
    struct list_node *node = inventory->resources.oldest;
    for (struct list_node *newer; node && !has_room(inventory, room); node = newer) {
        struct resource *resource = ENTRY_OF(node, struct resource, use);
        newer = node->newer;
        if (is_cold(inventory, resource))
            evict_resource(inventory, resource);
    }
    return has_room(inventory, room);
}

void inventory_make_room(struct inventory *inventory, struct load_result *result)
{
    struct room room = {0};
    for (uint32_t i = 0; i < result->resource_count; i++) {
        add_loaded(&room, inventory, &result->resources[i]);
        if (!evict_for(inventory, &room) && i > 0) {
            result->resources_served = result->resources[i].asked;
            result->resource_count = i;
        }
    }
}
