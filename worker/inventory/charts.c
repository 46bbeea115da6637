/*
 * Layouts by name: those that resources have, and those that a definition named. One that a batch
 * in flight made is not in the database yet, so it stays until that is committed. PURE.
 */
#include "worker/inventory/charts.h"

#include <stdlib.h>
#include <string.h>

#include "producer/base/allocate.h"
#include "worker/inventory/inventory_state.h"

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
