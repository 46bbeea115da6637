/*
 * Changes what is sold, and whether it is on sale. A define works on a clone of the resource, which
 * takes its place once every check has passed. PURE.
 */
#include "worker/rules/define.h"

#include <assert.h>
#include <inttypes.h>

#include "worker/inventory/catalogue.h"
#include "worker/inventory/inventory.h"
#include "worker/inventory/inventory_load.h"
#include "worker/inventory/inventory_state.h"
#include "worker/inventory/terms.h"
#include "worker/inventory/work.h"
#include "worker/rules/merge.h"
#include "worker/rules/sale.h"

static struct resource *create_draft(const struct decision *decision)
{
    assert(!decision->resource);
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

/* Adds a merged resource, or replaces the one that it was cloned from. */
static void put(struct decision *decision, struct resource *resource)
{
    assert(!decision->resource || decision->resource->row.no == resource->row.no);
    catalogue_settle(resource);
    for (uint32_t i = 0; i < resource->pool_count; i++)
        if (resource->pools[i].row.no == 0)
            resource->pools[i].row.no = inventory_pool_number(decision->inventory);
    if (decision->resource) {
        inventory_replace_resource(decision->inventory, decision->resource, resource);
    } else {
        if (resource->terms.limits_customers)
            tallies_begin(resource);
        inventory_add_resource(decision->inventory, resource);
    }
    if (resource->chart.content)
        inventory_add_chart(decision->inventory, &resource->chart);
    resource->redefined = true;
    decision->resource = resource;
}

/* How many seats have no place in a drawing that has others; NULL: none, or nothing is drawn. */
static const char *gap_in_drawing(const struct resource *resource, struct usher_arena *arena)
{
    uint32_t placed = 0, missing = 0;
    for (uint32_t i = 0; i < resource->pool_count; i++) {
        const struct pool *pool = &resource->pools[i];
        for (uint32_t k = 0; k < pool->seat_row_count; k++) {
            const struct seat_row *row = &pool->seat_rows[k];
            *(row->x && row->y ? &placed : &missing) += row->seats;
        }
    }
    if (placed == 0 || missing == 0)
        return NULL;
    return usher_arena_format(arena, "%" PRIu32 " seat%s no place in the drawing", missing,
                              missing == 1 ? " has" : "s have");
}

void define_decide(struct decision *decision)
{
    assert(decision->request->definition);
    const struct usher_definition *definition = decision->request->definition;
    struct merge merge = {.old = decision->resource,
                          .arena = decision_arena(decision),
                          .overbook = decision->request->overbook};
    if (merge.old && decision->request->only == USHER_ONLY_NEW) {
        decision_refuse(decision, USHER_ALREADY_EXISTS, NULL);
        return;
    }
    if (definition->fault) {
        decision_refuse(decision, USHER_BAD_CHART, definition->fault);
        return;
    }
    if (definition->chart)
        merge.chart = inventory_chart(decision->inventory, definition->chart);
    if (definition->chart && !merge.chart) {
        decision_refuse(decision, USHER_UNKNOWN_CHART, NULL);
        return;
    }
    merge.resource = merge.old ? resource_clone(merge.old) : create_draft(decision);
    merge_definition(&merge, definition);
    if (merge.reason != USHER_REASON_NONE) {
        resource_destroy(merge.resource);
        decision_refuse(decision, merge.reason, merge.detail);
        return;
    }
    /* From here on nothing can fail. */
    decision->answer.outcome = USHER_DEFINED;
    decision->answer.change = !merge.old ? USHER_CREATED : merge.same ? USHER_SAME : USHER_CHANGED;
    if (merge.same) {
        resource_destroy(merge.resource);
    } else {
        put(decision, merge.resource);
        decision_succeed_asked(decision);
    }
    assert(decision->resource);
    decision->answer.chart = decision->resource->row.chart;
    const char *never = sale_never(decision);
    decision->answer.detail =
        never ? never : gap_in_drawing(decision->resource, decision_arena(decision));
}

/* Sets the state of the sale; returns whether it changed. */
static bool set_state(struct resource *resource, enum usher_sale_state state)
{
    assert(state == USHER_OPEN || state == USHER_CLOSED);
    bool changes = resource->row.state != state;
    resource->row.state = state;
    resource->redefined = resource->redefined || changes;
    return changes;
}

void define_decide_open(struct decision *decision)
{
    assert(decision->resource);
    if (decision->resource->row.cancelling) {
        decision_refuse(decision, USHER_IN_USE, "its bookings are still being cancelled");
        return;
    }
    decision->answer.outcome = USHER_DEFINED;
    if (set_state(decision->resource, USHER_OPEN))
        decision_succeed_asked(decision);
}

/* With cancel_bookings, begins to cancel all bookings, batch by batch (waiting.c). */
void define_decide_close(struct decision *decision)
{
    assert(decision->resource);
    const struct usher_request *request = decision->request;
    struct resource *resource = decision->resource;
    bool cancels = request->cancel_bookings && wake_cancelling_remains(resource);
    decision->answer.outcome = USHER_DEFINED;
    if (cancels)
        wake_cancelling(decision->inventory, resource, request->note ? request->note : "");
    if (set_state(resource, USHER_CLOSED) || cancels)
        decision_succeed_asked(decision);
}
