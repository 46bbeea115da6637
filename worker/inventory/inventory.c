/*
 * The memory of one partition: finding, adding and changing what is in it. PURE.
 */
#include "worker/inventory/inventory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "worker/inventory/catalogue.h"
#include "worker/inventory/inventory_state.h"

struct inventory *inventory_create(int32_t partition, const struct inventory_limits *limits,
                                   int64_t last_pool)
{
    struct inventory *inventory = calloc(1, sizeof(*inventory));
    assert(inventory);
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
    for (struct list_node *node; (node = list_take(&inventory->bookings));)
        booking_deinit(ENTRY_OF(node, struct booking, use));
    free_tables(inventory);
    inventory_free_charts(inventory);
    free(inventory->owners);
    free(inventory->loaded_firsts);
    free(inventory->evicted);
    usher_arena_deinit(&inventory->scratch);
    free(inventory);
}

void inventory_committed(struct inventory *inventory, uint64_t number)
{
    assert(number >= inventory->committed);
    inventory->committed = number;
}

const int64_t *inventory_evicted(const struct inventory *inventory, uint32_t *count)
{
    *count = inventory->evicted_count;
    return inventory->evicted;
}

struct inventory_size inventory_size(const struct inventory *inventory)
{
    return (struct inventory_size){
        .bookings = inventory->bookings.count + inventory->waiting,
        .resources = inventory->resources.count,
        .ids = inventory->ids.count,
        .due = inventory->due.count,
        .units = inventory->units,
    };
}

/* ---- resources ---- */

static uint64_t resource_hash(int64_t no)
{
    return table_hash_number((uint64_t)no);
}

struct resource *inventory_resource(struct inventory *inventory, const char *id)
{
    struct table_node *node = table_find(&inventory->resources_by_id, table_hash_text(id, 0));
    for (; node; node = table_find_next(node)) {
        struct resource *resource = ENTRY_OF(node, struct resource, by_id);
        if (strcmp(resource->row.id, id) == 0) {
            list_renew(&inventory->resources, &resource->use);
            return resource;
        }
    }
    return NULL;
}

struct resource *inventory_peek(const struct inventory *inventory, int64_t no)
{
    struct table_node *node = table_find(&inventory->resources_by_no, resource_hash(no));
    for (; node; node = table_find_next(node)) {
        struct resource *resource = ENTRY_OF(node, struct resource, by_no);
        if (resource->row.no == no)
            return resource;
    }
    return NULL;
}

struct resource *inventory_resource_numbered(struct inventory *inventory, int64_t no)
{
    struct resource *resource = inventory_peek(inventory, no);
    if (resource)
        list_renew(&inventory->resources, &resource->use);
    return resource;
}

void inventory_keep_resource(struct inventory *inventory, struct resource *resource)
{
    table_add(&inventory->resources_by_id, &resource->by_id, table_hash_text(resource->row.id, 0));
    table_add(&inventory->resources_by_no, &resource->by_no, resource_hash(resource->row.no));
    list_add(&inventory->resources, &resource->use);
    inventory->units += (uint64_t)resource->total;
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
    if (!resource->tallies.kept && terms_limit_customers(&resource->terms))
        inventory_count_customers(inventory, resource);
}

void inventory_add_resource(struct inventory *inventory, struct resource *resource)
{
    resource->ids_complete = true;
    resource->bookings_complete = true;
    keep_defined(inventory, resource);
}

/* What is no part of the catalogue goes from the old one to its clone. */
static void hand_over(struct inventory *inventory, struct resource *old, struct resource *clone)
{
    if (old->touched) {
        list_replace(&inventory->touched_resources, &old->touch, &clone->touch);
        clone->touched = true;
    }
    if (old->has_work) {
        list_replace(&inventory->work, &old->work, &clone->work);
        clone->has_work = true;
    }
    clone->redraw = old->redraw;
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
    inventory->units -= (uint64_t)old->total;
    hand_over(inventory, old, clone);
    keep_defined(inventory, clone);
    inventory_note_work(inventory, clone);
    resource_destroy(old);
}

void inventory_touch_resource(struct inventory *inventory, struct resource *resource, int64_t rev)
{
    assert(rev > resource->row.rev);
    resource->row.rev = rev;
    if (!resource->touched) {
        resource->touched = true;
        list_add(&inventory->touched_resources, &resource->touch);
    }
}

/* ---- request ids ---- */

static uint64_t id_hash_of(int64_t resource_no, const uint8_t id_hash[USHER_HASH_SIZE])
{
    uint64_t prefix;
    memcpy(&prefix, id_hash, sizeof(prefix));
    return table_hash_number(prefix ^ (uint64_t)resource_no);
}

struct known_id *inventory_id(const struct inventory *inventory, int64_t resource_no,
                              const uint8_t id_hash[USHER_HASH_SIZE])
{
    struct table_node *node = table_find(&inventory->ids_by_hash, id_hash_of(resource_no, id_hash));
    for (; node; node = table_find_next(node)) {
        struct known_id *id = ENTRY_OF(node, struct known_id, by_id);
        if (id->resource_no == resource_no && memcmp(id->id_hash, id_hash, USHER_HASH_SIZE) == 0)
            return id;
    }
    return NULL;
}

void inventory_add_id(struct inventory *inventory, const struct decision_row *first, uint64_t batch)
{
    struct known_id *id = slab_alloc(&inventory->id_slab);
    id->resource_no = first->resource_no;
    memcpy(id->id_hash, first->id_hash, sizeof(id->id_hash));
    memcpy(id->content_hash, first->content_hash, sizeof(id->content_hash));
    id->seq = first->seq;
    id->batch = batch;
    table_add(&inventory->ids_by_hash, &id->by_id, id_hash_of(id->resource_no, id->id_hash));
    list_add(&inventory->ids, &id->age);
}
