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
    inventory->evicted = array_room(inventory->evicted, inventory->evicted_count,
                                    &inventory->evicted_limit, sizeof *inventory->evicted);
    inventory->evicted[inventory->evicted_count++] = resource->row.no;

    waiting_each(resource, evict_party, inventory);
    list_remove(&inventory->resources, &resource->use);
    table_remove(&inventory->resources_by_id, &resource->by_id);
    table_remove(&inventory->resources_by_no, &resource->by_no);
    inventory->units -= resource->number_count;
    resource_destroy(resource);
}

static bool has_many(const struct inventory *inventory)
{
    return inventory->resources.count > inventory->limits.resources ||
           inventory->units > inventory->limits.units;
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
    inventory->evicted_count = 0;
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

const int64_t *inventory_evicted(const struct inventory *inventory, uint32_t *count)
{
    *count = inventory->evicted_count;
    return inventory->evicted;
}
