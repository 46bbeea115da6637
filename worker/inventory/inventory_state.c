/* See inventory_state.h. PURE. */
#include "worker/inventory/inventory_state.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "producer/base/allocate.h"

/* ==== Resources ==== */

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
    assert(inventory->units >= resource->number_count);
    assert(inventory->pools >= resource->pool_count);
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

static size_t bytes_without_lists(const struct pool_row *row)
{
    return sizeof *row + text_size(row->name) + text_size(row->title) + text_size(row->properties);
}

size_t inventory_pool_bytes(const struct pool_row *row)
{
    return bytes_without_lists(row) + text_size(row->rates) + text_size(row->restrictions);
}

/* Neighbours often have the same rates, in one place. */
static struct unsealed unsealed_pools(const struct resource *resource)
{
    struct unsealed sum = {0};
    const char *rates = NULL, *restrictions = NULL;
    size_t rates_size = 0, restrictions_size = 0;
    for (uint32_t i = 0; i < resource->pool_count; i++) {
        const struct pool_row *row = &resource->pools[i].row;
        if (!resource->pools[i].changed)
            continue;
        rates_size = row->rates == rates ? rates_size : text_size(row->rates);
        rates = row->rates;
        restrictions_size =
            row->restrictions == restrictions ? restrictions_size : text_size(row->restrictions);
        restrictions = row->restrictions;
        sum.rows++;
        sum.bytes += bytes_without_lists(row) + rates_size + restrictions_size;
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
    assert(inventory->unsealed.rows >= resource->unsealed.rows);
    assert(inventory->unsealed.bytes >= resource->unsealed.bytes);
    inventory->unsealed.rows -= resource->unsealed.rows;
    inventory->unsealed.bytes -= resource->unsealed.bytes;
}

static void note_unsealed(struct inventory *inventory, struct resource *resource)
{
    if (!resource->redefined || resource->unsealed.rows > 0)
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

/* ==== Request ids ==== */

static uint64_t id_hash_of(int64_t resource_no, const uint8_t id_hash[USHER_HASH_SIZE])
{
    uint64_t prefix;
    memcpy(&prefix, id_hash, sizeof prefix);
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
    memcpy(id->id_hash, first->id_hash, sizeof id->id_hash);
    memcpy(id->content_hash, first->content_hash, sizeof id->content_hash);
    id->seq = first->seq;
    id->batch = batch;
    table_add(&inventory->ids_by_hash, &id->by_id, id_hash_of(id->resource_no, id->id_hash));
    list_add(&inventory->ids, &id->age);
}

bool inventory_lacks_first(const struct inventory *inventory, const struct known_id *id)
{
    return !id->first && id->batch <= inventory->committed;
}

/* ==== Charts ==== */

enum {
    CHARTS_MAX = 16 /* that are kept once they are cold and committed */
};

struct chart_entry {
    struct list_node use;
    struct chart_row row;
    bool is_new; /* added since the last seal */
    uint64_t batch;
};

static struct chart_entry *find(const struct inventory *inventory, const char *name)
{
    for (struct list_node *node = inventory->charts.newest; node; node = node->older) {
        struct chart_entry *entry = ENTRY_OF(node, struct chart_entry, use);
        if (strcmp(entry->row.name, name) == 0)
            return entry;
    }
    return NULL;
}

const struct chart_row *inventory_chart(struct inventory *inventory, const char *name)
{
    assert(name);
    struct chart_entry *entry = find(inventory, name);
    if (!entry)
        return NULL;
    list_renew(&inventory->charts, &entry->use);
    return &entry->row;
}

void inventory_add_chart(struct inventory *inventory, const struct chart_row *chart)
{
    if (inventory_chart(inventory, chart->name))
        return;
    size_t name_size = strlen(chart->name) + 1;
    struct chart_entry *entry = memory_alloc(sizeof *entry + name_size + chart->content_size + 1);
    char *name = (char *)(entry + 1);
    char *content = name + name_size;
    memcpy(name, chart->name, name_size);
    memcpy(content, chart->content, chart->content_size);
    content[chart->content_size] = '\0';
    *entry = (struct chart_entry){.row = {name, content, chart->content_size}, .is_new = true};
    list_add(&inventory->charts, &entry->use);
}

void inventory_seal_charts(struct inventory *inventory, uint64_t batch)
{
    for (struct list_node *node = inventory->charts.oldest; node; node = node->newer) {
        struct chart_entry *entry = ENTRY_OF(node, struct chart_entry, use);
        entry->batch = entry->is_new ? batch : entry->batch;
        entry->is_new = false;
    }
}

void inventory_trim_charts(struct inventory *inventory)
{
    struct list_node *node = inventory->charts.oldest;
    for (struct list_node *newer; node && inventory->charts.count > CHARTS_MAX; node = newer) {
        struct chart_entry *entry = ENTRY_OF(node, struct chart_entry, use);
        newer = node->newer;
        if (entry->batch > inventory->committed)
            continue;
        list_remove(&inventory->charts, node);
        free(entry);
    }
}

void inventory_free_charts(struct inventory *inventory)
{
    for (struct list_node *node = inventory->charts.oldest, *newer; node; node = newer) {
        newer = node->newer;
        free(ENTRY_OF(node, struct chart_entry, use));
    }
}
