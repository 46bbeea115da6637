/*
 * Finding pools and nights of a resource. PURE.
 */
#include "worker/inventory/resource.h"

#include <assert.h>
#include <string.h>

const char *resource_text(struct resource *resource, const char *text)
{
    return text ? usher_arena_text(resource->arena, text, strlen(text)) : NULL;
}

struct pool_name *resource_name(const struct resource *resource, const char *text)
{
    struct table_node *node = table_find(&resource->names_by_text, table_hash_text(text, 0));
    for (; node; node = table_find_next(node)) {
        struct pool_name *name = ENTRY_OF(node, struct pool_name, by_text);
        if (strcmp(name->text, text) == 0)
            return name;
    }
    return NULL;
}

struct pool *resource_night(const struct resource *resource, const struct pool_name *name,
                            int32_t night)
{
    assert(name->kind == USHER_ROOM);
    int64_t at = (int64_t)night - name->first_night;
    if (at < 0 || at >= name->night_count || name->nights[at] == 0)
        return NULL;
    return &resource->pools[name->nights[at] - 1];
}
