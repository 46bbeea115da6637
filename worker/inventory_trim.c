/*
 * What leaves memory: the least recently used above the limits, but never what a batch changed
 * that is not yet known to be committed. PURE.
 */
#include <assert.h>
#include <stdlib.h>

#include "inventory_catalogue.h"
#include "inventory_state.h"

static bool may_go(const struct inventory *inventory, uint64_t batch)
{
    return batch <= inventory->committed;
}

static void forget_firsts(struct inventory *inventory)
{
    for (uint32_t i = 0; i < inventory->loaded_first_count; i++)
        inventory->loaded_firsts[i]->first = NULL;
    inventory->loaded_first_count = 0;
}

/* Without counting as a use, unlike inventory_resource_numbered. */
static struct resource *peek(const struct inventory *inventory, int64_t no)
{
    struct table_node *node =
        table_find(&inventory->resources_by_no, table_hash_number((uint64_t)no));
    for (; node; node = table_find_next(node)) {
        struct resource *resource = ENTRY_OF(node, struct resource, by_no);
        if (resource->row.no == no)
            return resource;
    }
    return NULL;
}

static void trim_ids(struct inventory *inventory)
{
    while (inventory->ids.count > inventory->limits.ids) {
        struct known_id *id = ENTRY_OF(inventory->ids.oldest, struct known_id, age);
        if (!may_go(inventory, id->batch))
            break;
        struct resource *resource = peek(inventory, id->resource_no);
        if (resource)
            resource->ids_complete = false;
        list_remove(&inventory->ids, &id->age);
        table_remove(&inventory->ids_by_hash, &id->by_id);
        slab_free(&inventory->id_slab, id);
    }
}

static void evict_booking(struct inventory *inventory, struct booking *booking)
{
    if (booking->state == BOOKING_HELD) {
        /* From now on holds from this one on may be in the database only. */
        struct due_key before = {booking->expires_ms, booking->no - 1};
        if (due_key_less(before, inventory->horizon))
            inventory->horizon = before;
        due_remove(&inventory->due, booking);
    }
    list_remove(&inventory->bookings, &booking->use);
    table_remove(&inventory->bookings_by_id, &booking->by_id);
    booking_deinit(booking);
    slab_free(&inventory->booking_slab, booking);
}

static void trim_bookings(struct inventory *inventory)
{
    while (inventory->bookings.count > inventory->limits.bookings) {
        struct booking *booking = ENTRY_OF(inventory->bookings.oldest, struct booking, use);
        if (!may_go(inventory, booking->batch))
            break;
        assert(!booking->touched);
        evict_booking(inventory, booking);
    }
}

static void evict_resource(struct inventory *inventory, struct resource *resource)
{
    if (inventory->evicted_count == inventory->evicted_limit) {
        inventory->evicted_limit = 2 * inventory->evicted_limit + 16;
        inventory->evicted =
            realloc(inventory->evicted, inventory->evicted_limit * sizeof(*inventory->evicted));
        assert(inventory->evicted);
    }
    inventory->evicted[inventory->evicted_count++] = resource->row.no;

    list_remove(&inventory->resources, &resource->use);
    table_remove(&inventory->resources_by_id, &resource->by_id);
    table_remove(&inventory->resources_by_no, &resource->by_no);
    inventory->units -= (uint64_t)resource->total;
    resource_destroy(resource);
}

/* The one used last stays, however large: it would only be loaded again for the next batch. */
static void trim_resources(struct inventory *inventory)
{
    while (inventory->resources.count > 1 &&
           (inventory->resources.count > inventory->limits.resources ||
            inventory->units > inventory->limits.units)) {
        struct resource *resource = ENTRY_OF(inventory->resources.oldest, struct resource, use);
        if (!may_go(inventory, resource->batch))
            break;
        assert(!resource->touched);
        evict_resource(inventory, resource);
    }
}

void inventory_trim(struct inventory *inventory)
{
    inventory->evicted_count = 0;
    forget_firsts(inventory);
    trim_ids(inventory);
    trim_bookings(inventory);
    trim_resources(inventory);
}
