/*
 * Takes rows of the database into memory. Rows that are there already stay: they may be ahead of
 * what a read beside a commit in flight can see. PURE.
 */
#include "worker/inventory/inventory_load.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "worker/base/array.h"
#include "worker/inventory/booking_lines.h"
#include "worker/inventory/bookings.h"
#include "worker/inventory/charts.h"
#include "worker/inventory/inventory_state.h"
#include "worker/inventory/request_ids.h"
#include "worker/inventory/resource_units.h"
#include "worker/inventory/resources.h"
#include "worker/inventory/restore.h"
#include "worker/inventory/tally.h"
#include "worker/inventory/waiting_list.h"
#include "worker/inventory/work.h"

static enum usher_status halt(struct usher_error *err, const char *what, int64_t no,
                              const char *why)
{
    usher_error_set(err, USHER_EXIT_BUG, "could not load %s %lld: %s", what, (long long)no, why);
    return USHER_HALT;
}

/* ---- bookings ---- */

/* Whether the lines are of pools that are there: as far as that is known without the units. */
static bool lines_fit(struct resource *resource, const struct content *content)
{
    return !resource ||
           resource_count_out(resource, content->lines, content->line_count, BOOKING_NONE);
}

/* What the columns of the table ask for, too. */
static bool is_whole(const struct booking_row *row)
{
    size_t size = row->request_id ? strlen(row->request_id) : 0;
    return size > 0 && size <= USHER_ID_MAX && row->lines && row->state != BOOKING_NONE &&
           row->total >= 0 && (row->state != BOOKING_WAITING || (row->customer && row->ttl_s >= 0));
}

/* Sets `*booking` (`booking` may be NULL) to the one in memory. */
static enum usher_status load_booking(struct inventory *inventory, const struct booking_row *row,
                                      struct booking **booking, struct usher_error *err)
{
    if (!is_whole(row))
        return halt(err, "booking", row->no, "its row is not one of this program");
    struct booking *known = inventory_booking(inventory, row->resource_no, row->request_id);
    if (!known) {
        struct content *content = lines_read(row->lines, row->lines_size);
        if (!content)
            return halt(err, "booking", row->no, "its lines cannot be read");
        if (!lines_fit(inventory_peek(inventory, row->resource_no), content)) {
            free(content);
            return halt(err, "booking", row->no, "its lines are not of the pools of its resource");
        }
        known = inventory_keep_booking(inventory, row, content);
    }
    if (!inventory_join(inventory, known))
        return halt(err, "booking", row->no, "what it waits for cannot be read");
    if (booking)
        *booking = known;
    return USHER_OK;
}

static enum usher_status load_bookings(struct inventory *inventory, const struct booking_row *rows,
                                       uint32_t count, struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    for (uint32_t i = 0; status == USHER_OK && i < count; i++)
        status = load_booking(inventory, &rows[i], NULL, err);
    return status;
}

/* ---- resources ---- */

/* Resumes the work that an earlier owner left: starts a new round through the waiting list. */
static void resume_work(struct inventory *inventory, struct resource *resource)
{
    if (resource->row.unserved) {
        waiting_mark_all_classes(resource);
        waiting_begin(resource);
    }
    inventory_note_work(inventory, resource);
}

static enum usher_status load_resource(struct inventory *inventory,
                                       const struct loaded_resource *loaded,
                                       struct usher_error *err)
{
    if (loaded->row.id && inventory_resource(inventory, loaded->row.id))
        return USHER_OK;
    struct resource *resource = restore_resource(loaded, &inventory->scratch);
    usher_arena_reset(&inventory->scratch);
    if (!resource) {
        usher_error_set(err, USHER_EXIT_BUG,
                        "could not load resource \"%s\": its pools, counters, chart, terms and "
                        "allocations do not fit together",
                        loaded->row.id ? loaded->row.id : "");
        return USHER_HALT;
    }
    inventory_keep_resource(inventory, resource);
    if (resource->chart.content)
        inventory_add_chart(inventory, &resource->chart);
    enum usher_status status =
        load_bookings(inventory, loaded->waiting, loaded->waiting_count, err);
    if (status == USHER_OK)
        resume_work(inventory, resource);
    return status;
}

static enum usher_status load_resources(struct inventory *inventory,
                                        const struct load_request *request,
                                        const struct load_result *result, struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    for (uint32_t i = 0; status == USHER_OK && i < result->resource_count; i++)
        status = load_resource(inventory, &result->resources[i], err);
    uint32_t numbered = request->resource_no_count > 0 ? result->resources_served : 0;
    for (uint32_t i = 0; status == USHER_OK && i < numbered; i++)
        if (!inventory_peek(inventory, request->resource_nos[i]))
            status = halt(err, "resource", request->resource_nos[i], "it is not there");
    if (status == USHER_OK && request->unfinished_limit > 0)
        inventory_list_unfinished(inventory, result->unfinished, result->unfinished_count,
                                  result->unfinished_count < request->unfinished_limit);
    inventory_note_unfinished(inventory);
    return status;
}

/* ---- what customers have ---- */

static bool is_served(const struct load_request *request, const struct load_result *result,
                      int64_t resource_no)
{
    bool asked = false;
    for (uint32_t i = 0; !asked && i < result->tallies_served; i++)
        asked = request->tally_nos[i] == resource_no;
    return asked;
}

static bool same_booking(const struct load_tally *a, const struct load_tally *b)
{
    return a->resource_no == b->resource_no && a->booking == b->booking;
}

static enum usher_status load_tallies(struct inventory *inventory,
                                      const struct load_request *request,
                                      const struct load_result *result, struct usher_error *err)
{
    for (uint32_t i = 0; i < result->tallies_served; i++) {
        struct resource *resource = inventory_peek(inventory, request->tally_nos[i]);
        if (!resource || resource->tallies.kept)
            return halt(err, "customers of resource", request->tally_nos[i], "unrequested row");
        tallies_begin(resource);
    }
    for (uint32_t i = 0; i < result->tally_count; i++) {
        const struct load_tally *row = &result->tallies[i];
        struct resource *resource = is_served(request, result, row->resource_no)
                                        ? inventory_peek(inventory, row->resource_no)
                                        : NULL;
        if (!resource || row->pool >= resource->pool_count)
            return halt(err, "customers of resource", row->resource_no, "pool mismatch");
        bool is_next = i == 0 || !same_booking(row, &result->tallies[i - 1]);
        tally_load(resource, row->customer, row->pool, row->units, row->held && is_next ? 1 : 0);
    }
    return USHER_OK;
}

/* ---- bookings to be cancelled ---- */

static enum usher_status load_owners(struct inventory *inventory,
                                     const struct load_request *request,
                                     const struct load_result *result, struct usher_error *err)
{
    if (request->owners.resource_no == 0)
        return USHER_OK;
    struct resource *resource = inventory_cancelled(inventory);
    assert(resource && resource->row.no == request->owners.resource_no);
    if (inventory->owner_count == 0)
        memcpy(inventory->owners_after, request->owners.after, sizeof request->owners.after);
    enum usher_status status = USHER_OK;
    for (uint32_t i = 0; status == USHER_OK && i < result->owner_count; i++) {
        struct booking *booking = NULL;
        status = load_booking(inventory, &result->owners[i], &booking, err);
        if (status == USHER_OK)
            inventory_add_owner(inventory, booking);
    }
    inventory_set_cancel_cursor(resource, result->owners_remain ? result->owners_end : NULL);
    return status;
}

/* ---- request ids ---- */

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
    inventory->loaded_firsts =
        array_room(inventory->loaded_firsts, inventory->loaded_first_count,
                   &inventory->loaded_first_limit, sizeof(struct known_id *));
    inventory->loaded_firsts[inventory->loaded_first_count++] = id;
}

/* ---- all of it ---- */

/* Moves the horizon to the last one loaded, or to the end of the range that was requested. */
static void move_horizon(struct inventory *inventory, const struct load_request *request,
                         const struct load_result *result)
{
    struct due_key asked = {request->due_after_ms, request->due_after_no};
    struct due_key reached = {request->due_until_ms, INT64_MAX};
    if (due_key_less(inventory->horizon, asked))
        return; /* what was evicted to make room ends before the range that was requested */
    if (result->due_remain) {
        const struct booking_row *last = &result->due[result->due_count - 1];
        reached = (struct due_key){last->expires_ms, last->no};
    }
    if (due_key_less(inventory->horizon, reached))
        inventory->horizon = reached;
}

enum usher_status inventory_load(struct inventory *inventory, const struct load_request *request,
                                 const struct load_result *result, struct usher_error *err)
{
    enum usher_status status = load_resources(inventory, request, result, err);
    if (status == USHER_OK)
        status = load_bookings(inventory, result->bookings, result->booking_count, err);
    if (status == USHER_OK)
        status = load_bookings(inventory, result->of_carts, result->of_cart_count, err);
    if (status == USHER_OK)
        status = load_bookings(inventory, result->due, result->due_count, err);
    if (status == USHER_OK)
        status = load_owners(inventory, request, result, err);
    if (status == USHER_OK)
        status = load_tallies(inventory, request, result, err);
    if (status != USHER_OK)
        return status;
    for (uint32_t i = 0; i < result->chart_count; i++)
        inventory_add_chart(inventory, &result->charts[i]);
    for (uint32_t i = 0; i < result->first_count; i++) {
        const struct decision_row *first = &result->firsts[i];
        if (!first->request_id || !first->body)
            return halt(err, "decision", first->seq, "its row is not one of this program");
        load_first(inventory, first);
    }
    if (request->due)
        move_horizon(inventory, request, result);
    return USHER_OK;
}

void inventory_forget_loaded(struct inventory *inventory)
{
    for (uint32_t i = 0; i < inventory->loaded_first_count; i++)
        inventory->loaded_firsts[i]->first = NULL;
    inventory->loaded_first_count = 0;
    inventory_forget_owners(inventory);
}
