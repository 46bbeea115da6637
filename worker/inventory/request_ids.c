/*
 * The request ids that were answered, as far as they are in memory. PURE.
 */
#include "worker/inventory/request_ids.h"

#include <string.h>

#include "worker/inventory/inventory_state.h"

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
