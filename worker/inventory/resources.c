/*
 * The resources in memory, by id and by number. PURE.
 */
#include "worker/inventory/resources.h"

#include <assert.h>
#include <string.h>

#include "worker/inventory/inventory_state.h"

static uint64_t resource_hash(int64_t no)
{
    return table_hash_number((uint64_t)no);
}

static struct resource *used(struct inventory *inventory, struct resource *resource)
{
    list_renew(&inventory->resources, &resource->use);
    resource->needed = inventory->needs;
    return resource;
}

struct resource *inventory_resource(struct inventory *inventory, const char *id)
{
    struct table_node *node = table_find(&inventory->resources_by_id, table_hash_text(id, 0));
    for (; node; node = table_find_next(node)) {
        struct resource *resource = ENTRY_OF(node, struct resource, by_id);
        if (strcmp(resource->row.id, id) == 0)
            return used(inventory, resource);
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
    return resource ? used(inventory, resource) : NULL;
}

void inventory_count_units(struct inventory *inventory, struct resource *resource)
{
    struct unit_sums *sums = &inventory->sums, *counted = &resource->counted;
    sums->free += resource->free - counted->free;
    sums->held += resource->held - counted->held;
    sums->sold += resource->sold - counted->sold;
    sums->blocked += resource->blocked - counted->blocked;
    *counted =
        (struct unit_sums){resource->free, resource->held, resource->sold, resource->blocked};
}

void inventory_drop_units(struct inventory *inventory, const struct resource *resource)
{
    inventory->units -= resource->number_count;
    inventory->pools -= resource->pool_count;
    inventory->sums.free -= resource->counted.free;
    inventory->sums.held -= resource->counted.held;
    inventory->sums.sold -= resource->counted.sold;
    inventory->sums.blocked -= resource->counted.blocked;
}

void inventory_keep_resource(struct inventory *inventory, struct resource *resource)
{
    table_add(&inventory->resources_by_id, &resource->by_id, table_hash_text(resource->row.id, 0));
    table_add(&inventory->resources_by_no, &resource->by_no, resource_hash(resource->row.no));
    list_add(&inventory->resources, &resource->use);
    inventory->units += resource->number_count;
    inventory->pools += resource->pool_count;
    resource->counted = (struct unit_sums){0};
    inventory_count_units(inventory, resource);
    resource->needed = inventory->needs;
}

/* ---- what changes ---- */

static size_t text_size(const char *text)
{
    return text ? strlen(text) : 0;
}

/* Neighbours often have the same rates, in one place. */
static struct unsealed unsealed_pools(const struct resource *resource)
{
    struct unsealed sum = {0};
    const char *rates = NULL;
    size_t rates_size = 0;
    for (uint32_t i = 0; i < resource->pool_count; i++) {
        const struct pool_row *row = &resource->pools[i].row;
        if (!resource->pools[i].changed)
            continue;
        rates_size = row->rates == rates ? rates_size : text_size(row->rates);
        rates = row->rates;
        sum.rows++;
        sum.bytes += sizeof *row + rates_size + text_size(row->name) + text_size(row->title) +
                     text_size(row->properties);
    }
    return sum;
}

/* Of a resource that is written whole. */
static struct unsealed unsealed_whole(const struct resource *resource)
{
    const struct resource_row *row = &resource->row;
    struct unsealed sum = unsealed_pools(resource);
    sum.rows += resource->chart_changed ? 2 : 1;
    sum.bytes += sizeof *row + text_size(row->description) + text_size(row->terms) +
                 (resource->chart_changed ? resource->chart.content_size : 0);
    return sum;
}

void inventory_drop_unsealed(struct inventory *inventory, const struct resource *resource)
{
    inventory->unsealed.rows -= resource->unsealed.rows;
    inventory->unsealed.bytes -= resource->unsealed.bytes;
}

static void note_unsealed(struct inventory *inventory, struct resource *resource)
{
    if (!resource->redraw || resource->unsealed.rows > 0)
        return;
    resource->unsealed = unsealed_whole(resource);
    inventory->unsealed.rows += resource->unsealed.rows;
    inventory->unsealed.bytes += resource->unsealed.bytes;
}

void inventory_touch_resource(struct inventory *inventory, struct resource *resource, int64_t rev)
{
    assert(rev > resource->row.rev);
    resource->row.rev = rev;
    note_unsealed(inventory, resource);
    if (!resource->touched) {
        resource->touched = true;
        list_add(&inventory->touched_resources, &resource->touch);
        inventory->unsealed.rows++;
    }
}
