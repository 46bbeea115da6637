/*
 * define, open, close: what is sold, and whether it is on sale. A define works on a clone of the
 * resource, which takes its place once every check has passed. PURE.
 */
#include "decide_merge.h"
#include "decide_parts.h"
#include "inventory_catalogue.h"

/* A new resource, in draft and without pools; or a clone of the one that is there. */
static struct resource *begin(const struct decision *decision)
{
    if (decision->resource)
        return resource_clone(decision->resource);
    const struct resource_row row = {
        .no = row_number(decision->rules->partition, decision->row->seq),
        .id = decision->request->resource,
        .state = USHER_DRAFT,
        .starts_ms = USHER_ABSENT,
        .ends_ms = USHER_ABSENT,
        .hold_ttl_s = USHER_ABSENT,
        .is_new = true,
    };
    return resource_create(&row);
}

static void number_pools(struct inventory *inventory, struct resource *resource)
{
    for (uint32_t i = 0; i < resource->pool_count; i++) {
        struct pool *pool = &resource->pools[i];
        if (pool->row.no == 0)
            pool->row.no = inventory_pool_number(inventory);
    }
}

void decide_define(struct decision *decision)
{
    struct resource *clone = begin(decision);
    struct merge merge = {
        .resource = clone, .old = decision->resource, .arena = &decision->batch->arena};
    merge_definition(&merge, decision->request->definition);
    if (merge.reason != USHER_REASON_NONE) {
        resource_destroy(clone);
        decision_refuse(decision, merge.reason, merge.detail);
        return;
    }
    /* From here on nothing can fail. */
    catalogue_settle(clone);
    number_pools(decision->inventory, clone);
    if (decision->resource)
        inventory_replace_resource(decision->inventory, decision->resource, clone);
    else
        inventory_add_resource(decision->inventory, clone);
    clone->redraw = true;
    decision->resource = clone;
    decision->answer.chart = clone->row.chart;
    decision_succeed(decision, USHER_DEFINED);
}

void decide_open(struct decision *decision)
{
    struct resource *resource = decision->resource;
    enum usher_sale_state state =
        decision->request->op == USHER_OP_OPEN ? USHER_OPEN : USHER_CLOSED;
    decision->answer.outcome = USHER_DEFINED;
    if (resource->row.state != state) {
        resource->row.state = state;
        resource->redraw = true;
        decision_succeed(decision, USHER_DEFINED);
    }
}
