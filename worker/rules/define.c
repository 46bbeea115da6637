/*
 * define, open, close: what is sold, and whether it is on sale. A define works on a clone of the
 * resource, which takes its place once every check has passed. PURE.
 */
#include "worker/rules/define.h"

#include "worker/inventory/catalogue.h"
#include "worker/inventory/charts.h"
#include "worker/inventory/inventory.h"
#include "worker/inventory/settle.h"
#include "worker/inventory/tally.h"
#include "worker/inventory/terms.h"
#include "worker/inventory/wake.h"
#include "worker/inventory/work.h"
#include "worker/rules/merge.h"

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
        .opens_ms = USHER_ABSENT,
        .closes_ms = USHER_ABSENT,
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

/* While its bookings are being cancelled a resource stays as it is. False: refused. */
static bool may_change(struct decision *decision)
{
    if (!decision->resource || !decision->resource->row.cancelling)
        return true;
    decision_refuse(decision, USHER_IN_USE, "its bookings are still being cancelled");
    return false;
}

/* The layout named, or an empty one; false: it is not known here. */
static bool find_chart(struct decision *decision, struct merge *merge)
{
    const char *name = decision->request->definition->chart;
    const struct chart_row *chart = name ? inventory_chart(decision->inventory, name) : NULL;
    if (name && !chart) {
        decision_refuse(decision, USHER_UNKNOWN_CHART, NULL);
        return false;
    }
    merge->chart = chart;
    return true;
}

static void put(struct decision *decision, struct resource *clone)
{
    catalogue_settle(clone);
    number_pools(decision->inventory, clone);
    if (decision->resource) {
        inventory_replace_resource(decision->inventory, decision->resource, clone);
    } else {
        if (terms_limit_customers(&clone->terms))
            tallies_begin(clone);
        inventory_add_resource(decision->inventory, clone);
    }
    if (clone->chart.content)
        inventory_add_chart(decision->inventory, &clone->chart);
    clone->redraw = true;
    decision->resource = clone;
}

void define_decide(struct decision *decision)
{
    struct merge merge = {.old = decision->resource, .arena = decision_arena(decision)};
    if (decision->request->definition->fault) {
        decision_refuse(decision, USHER_BAD_CHART, decision->request->definition->fault);
        return;
    }
    if (!find_chart(decision, &merge))
        return;
    merge.resource = begin(decision);
    merge_definition(&merge, decision->request->definition);
    if (merge.reason != USHER_REASON_NONE) {
        resource_destroy(merge.resource);
        decision_refuse(decision, merge.reason, merge.detail);
        return;
    }
    /* From here on nothing can fail. */
    put(decision, merge.resource);
    decision->answer.chart = decision->resource->row.chart;
    decision_succeed(decision, USHER_DEFINED);
}

/* Whether the state changed. */
static bool set_state(struct resource *resource, enum usher_sale_state state)
{
    bool changes = resource->row.state != state;
    resource->row.state = state;
    resource->redraw = resource->redraw || changes;
    return changes;
}

void define_decide_open(struct decision *decision)
{
    if (!may_change(decision))
        return;
    decision->answer.outcome = USHER_DEFINED;
    if (set_state(decision->resource, USHER_OPEN))
        decision_succeed(decision, USHER_DEFINED);
}

/* With cancel_bookings the work begins that ends all of them, batch by batch (cancelling.c). */
void define_decide_close(struct decision *decision)
{
    const struct usher_request *request = decision->request;
    struct resource *resource = decision->resource;
    bool cancels = request->cancel_bookings && wake_cancelling_remains(resource);
    decision->answer.outcome = USHER_DEFINED;
    if (cancels) {
        resource->row.cancelling = resource_text(resource, request->note ? request->note : "");
        resource->cancel_at.pool = 0;
        resource->cancel_at.unit = 0;
        inventory_note_work(decision->inventory, resource);
    }
    if (set_state(resource, USHER_CLOSED) || cancels)
        decision_succeed(decision, USHER_DEFINED);
}
