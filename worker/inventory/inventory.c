/*
 * The memory of one partition: created, destroyed; resources added and replaced. PURE.
 */
#include "worker/inventory/inventory.h"

#include <assert.h>
#include <stdlib.h>

#include "producer/base/allocate.h"
#include "worker/inventory/bookings.h"
#include "worker/inventory/catalogue.h"
#include "worker/inventory/inventory_state.h"
#include "worker/inventory/terms.h"
#include "worker/inventory/waiting_list.h"
#include "worker/inventory/work.h"

struct inventory *inventory_create(int32_t partition, const struct inventory_limits *limits,
                                   int64_t last_pool)
{
    struct inventory *inventory = memory_calloc(1, sizeof *inventory);
    inventory->partition = partition;
    inventory->limits = *limits;
    inventory->last_pool = last_pool;
    inventory->booking_slab.size = sizeof(struct booking);
    inventory->id_slab.size = sizeof(struct known_id);
    inventory->horizon = (struct due_key){INT64_MIN, INT64_MAX};
    return inventory;
}

static void free_waiting(struct booking *booking, void *self)
{
    (void)self;
    booking_deinit(booking);
}

static void free_tables(struct inventory *inventory)
{
    table_deinit(&inventory->resources_by_id);
    table_deinit(&inventory->resources_by_no);
    table_deinit(&inventory->bookings_by_id);
    table_deinit(&inventory->bookings_by_cart);
    table_deinit(&inventory->ids_by_hash);
    slab_deinit(&inventory->booking_slab);
    slab_deinit(&inventory->id_slab);
    due_deinit(&inventory->due);
}

void inventory_destroy(struct inventory *inventory)
{
    if (!inventory)
        return;
    for (struct list_node *node; (node = list_take(&inventory->resources));) {
        struct resource *resource = ENTRY_OF(node, struct resource, use);
        waiting_each(resource, free_waiting, NULL);
        resource_destroy(resource);
    }
    for (struct list_node *node; (node = list_take(&inventory->evicted));)
        resource_destroy(ENTRY_OF(node, struct resource, use));
    for (struct list_node *node; (node = list_take(&inventory->bookings));)
        booking_deinit(ENTRY_OF(node, struct booking, use));
    free_tables(inventory);
    inventory_free_charts(inventory);
    free(inventory->owners);
    free(inventory->loaded_firsts);
    free(inventory->unfinished);
    usher_arena_deinit(&inventory->scratch);
    free(inventory);
}

void inventory_empty(struct inventory **inventory)
{
    struct inventory *old = *inventory;
    *inventory = inventory_create(old->partition, &old->limits, old->last_pool);
    inventory_destroy(old);
}

void inventory_committed(struct inventory *inventory, uint64_t number)
{
    assert(number >= inventory->committed);
    inventory->committed = number;
}

bool inventory_is_settled(const struct inventory *inventory, const struct resource *resource)
{
    return !resource->touched && resource->batch <= inventory->committed;
}

enum usher_status inventory_fault(const struct inventory *inventory, struct usher_error *err)
{
    if (inventory->fault.text[0] == '\0')
        return USHER_OK;
    *err = inventory->fault;
    return USHER_HALT;
}

struct inventory_size inventory_size(const struct inventory *inventory)
{
    return (struct inventory_size){
        .bookings = inventory->bookings.count + inventory->waiting,
        .resources = inventory->resources.count,
        .ids = inventory->ids.count,
        .due = inventory->due.count,
        .units = inventory->units,
        .pools = inventory->pools,
        .sums = inventory->sums,
    };
}

struct unsealed inventory_unsealed(const struct inventory *inventory)
{
    return inventory->unsealed;
}

/* ---- resources that were defined ---- */

void inventory_pin_begin(struct inventory *inventory)
{
    inventory->needs++;
}

int64_t inventory_pool_number(struct inventory *inventory)
{
    return row_number(inventory->partition, ++inventory->last_pool);
}

static void keep_defined(struct inventory *inventory, struct resource *resource)
{
    inventory_keep_resource(inventory, resource);
    if (resource->chart.content)
        inventory_add_chart(inventory, &resource->chart);
    if (!resource->tallies.kept && resource->terms.limits_customers)
        inventory_count_customers(inventory, resource);
}

void inventory_add_resource(struct inventory *inventory, struct resource *resource)
{
    resource->ids_complete = true;
    resource->bookings_complete = true;
    keep_defined(inventory, resource);
}

/* Moves the parts that are not of the catalogue from the old one to its clone. */
static void hand_over(struct inventory *inventory, struct resource *old, struct resource *clone)
{
    assert(!clone->touched && !clone->has_work);
    if (old->touched) {
        list_replace(&inventory->touched_resources, &old->touch, &clone->touch);
        clone->touched = true;
    }
    if (old->has_work) {
        list_replace(&inventory->work, &old->work, &clone->work);
        clone->has_work = true;
    }
    clone->redefined = old->redefined;
    clone->tallies = old->tallies;
    clone->waiting = old->waiting;
    old->tallies = (struct tallies){0};
    old->waiting = (struct waiting_list){0};
}

void inventory_replace_resource(struct inventory *inventory, struct resource *old,
                                struct resource *clone)
{
    assert(clone->row.no == old->row.no);
    table_remove(&inventory->resources_by_id, &old->by_id);
    table_remove(&inventory->resources_by_no, &old->by_no);
    list_remove(&inventory->resources, &old->use);
    inventory_drop_units(inventory, old);
    inventory_drop_unsealed(inventory, old);
    hand_over(inventory, old, clone);
    keep_defined(inventory, clone);
    inventory_note_work(inventory, clone);
    resource_destroy(old);
}
