/*
 * Rows of the database into memory. What is there already stays: it may be ahead of what a read
 * beside a commit in flight can see. PURE.
 */
#include <assert.h>
#include <stdlib.h>

#include "inventory_catalogue.h"
#include "inventory_state.h"
#include "lines.h"

static enum usher_status load_resource(struct inventory *inventory,
                                       const struct loaded_resource *loaded,
                                       struct usher_error *err)
{
    if (inventory_resource(inventory, loaded->row.id))
        return USHER_OK;
    struct resource *resource = resource_load(loaded, &inventory->scratch);
    usher_arena_reset(&inventory->scratch);
    if (!resource) {
        usher_error_set(err, USHER_EXIT_BUG,
                        "could not load resource \"%s\": its pools, chart and allocations do not "
                        "fit together",
                        loaded->row.id);
        return USHER_HALT;
    }
    inventory_keep_resource(inventory, resource);
    return USHER_OK;
}

static enum usher_status load_booking(struct inventory *inventory, const struct booking_row *row,
                                      struct usher_error *err)
{
    if (inventory_booking(inventory, row->resource_no, row->request_id))
        return USHER_OK;
    struct content *content = lines_read(row->lines, row->lines_size);
    if (!content) {
        usher_error_set(err, USHER_EXIT_BUG,
                        "could not load booking %lld: its lines cannot be read",
                        (long long)row->no);
        return USHER_HALT;
    }
    (void)inventory_keep_booking(inventory, row, content);
    return USHER_OK;
}

static void load_first(struct inventory *inventory, const struct decision_row *first)
{
    struct known_id *id = inventory_id(inventory, first->resource_no, first->id_hash);
    if (!id) {
        inventory_add_id(inventory, first, 0);
        id = inventory_id(inventory, first->resource_no, first->id_hash);
    }
    if (id->first)
        return;
    id->first = first;
    if (inventory->loaded_first_count == inventory->loaded_first_limit) {
        inventory->loaded_first_limit = 2 * inventory->loaded_first_limit + 16;
        inventory->loaded_firsts = realloc(inventory->loaded_firsts, inventory->loaded_first_limit *
                                                                         sizeof(struct known_id *));
        assert(inventory->loaded_firsts);
    }
    inventory->loaded_firsts[inventory->loaded_first_count++] = id;
}

/* Holds up to the last one loaded, or up to the end of the question, are all in memory now. */
static void move_horizon(struct inventory *inventory, const struct load_request *request,
                         const struct load_result *result)
{
    struct due_key reached = {request->due_until_ms, INT64_MAX};
    if (result->due_count >= request->due_limit) {
        const struct booking_row *last = &result->due[result->due_count - 1];
        reached = (struct due_key){last->expires_ms, last->no};
    }
    if (due_key_less(inventory->horizon, reached))
        inventory->horizon = reached;
}

enum usher_status inventory_load(struct inventory *inventory, const struct load_request *request,
                                 const struct load_result *result, struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    for (uint32_t i = 0; status == USHER_OK && i < result->resource_count; i++)
        status = load_resource(inventory, &result->resources[i], err);
    for (uint32_t i = 0; status == USHER_OK && i < result->booking_count; i++)
        status = load_booking(inventory, &result->bookings[i], err);
    for (uint32_t i = 0; status == USHER_OK && i < result->due_count; i++)
        status = load_booking(inventory, &result->due[i], err);
    for (uint32_t i = 0; status == USHER_OK && i < result->first_count; i++)
        load_first(inventory, &result->firsts[i]);
    if (status == USHER_OK && result->resource_count < request->resource_no_count) {
        usher_error_set(err, USHER_EXIT_BUG, "could not load the resource of a hold: not there");
        status = USHER_HALT;
    }
    if (status == USHER_OK && request->due)
        move_horizon(inventory, request, result);
    return status;
}
