/* Loading rows of the database into memory. PURE. */
#include "worker/inventory/inventory_load.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "producer/base/calendar.h"
#include "worker/base/array.h"
#include "worker/inventory/booking.h"
#include "worker/inventory/booking_lines.h"
#include "worker/inventory/bookings.h"
#include "worker/inventory/catalogue.h"
#include "worker/inventory/inventory_state.h"
#include "worker/inventory/names.h"
#include "worker/inventory/rate_uses.h"
#include "worker/inventory/seats.h"
#include "worker/inventory/shared_catalogue.h"
#include "worker/inventory/terms.h"
#include "worker/inventory/waiting_list.h"
#include "worker/inventory/work.h"

/* ==== Loading ==== */

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
        waiting_judge_all(resource);
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

/* The first rows are the lines of a hold. */
static void load_hold(struct inventory *inventory, struct resource *resource,
                      const struct load_tally *rows, uint32_t row_count)
{
    uint32_t count = 1;
    while (count < row_count && same_booking(&rows[count], rows))
        count++;
    struct line *lines = usher_arena_alloc(&inventory->scratch, count * sizeof *lines);
    for (uint32_t i = 0; i < count; i++)
        lines[i] = (struct line){
            .pool = rows[i].pool, .unit_count = rows[i].units, .units = rows[i].numbers};
    tally_load_hold(resource, rows->customer, rows->booking, rows->request_id, lines, count);
    usher_arena_reset(&inventory->scratch);
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
        if (!resource || row->pool >= resource->pool_count || (row->held && !row->request_id))
            return halt(err, "customers of resource", row->resource_no, "pool mismatch");
        tally_load(resource, row->customer, row->pool, row->units);
        if (row->held && (i == 0 || !same_booking(row, &result->tallies[i - 1])))
            load_hold(inventory, resource, row, result->tally_count - i);
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
    assert(id);
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
    assert(request->due && (!result->due_remain || result->due_count > 0));
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

/* ==== Settling ==== */

/*
 * Makes the numbered units of the pool's capacity, those that were taken in the state they were in.
 * Of a night there may be `numbers` of them, where some behind the capacity are taken.
 */
static void settle_pool(struct pool *pool, uint32_t numbers, struct usher_arena *arena)
{
    struct units old = pool->units;
    pool->units = (struct units){0};
    if (kind_is_counted(pool->row.kind))
        return;
    uint32_t end = units_taken_end(&old);
    numbers = end > numbers ? end : numbers;
    numbers = pool->row.capacity > numbers ? pool->row.capacity : numbers;
    assert(pool->seat_row_count == 0 || numbers == pool->row.capacity);
    units_init(&pool->units, numbers, arena);
    uint32_t unit = units_next_taken(&old, 0, end);
    while (unit < end) {
        units_take(&pool->units, unit, units_state(&old, unit));
        unit = units_next_taken(&old, unit + 1, end);
    }
    units_set_free(&pool->units, pool_free(pool), pool_over(pool));
}

/*
 * Its parts: the units, of nights at least `numbers` (of each pool; NULL: 0) of them,
 * and seat names; counts and runs of seats from the units as they are …
 */
static void settle_units(struct resource *resource, const uint32_t *numbers)
{
    for (uint32_t i = 0; i < resource->pool_count; i++) {
        settle_pool(&resource->pools[i], numbers ? numbers[i] : 0, resource->arena);
        names_add(resource, &resource->pools[i]);
    }
}

static void settle_sums(struct resource *resource)
{
    resource->total = resource->free = resource->held = resource->sold = resource->blocked = 0;
    resource->number_count = 0;
    for (uint32_t i = 0; i < resource->pool_count; i++) {
        struct pool *pool = &resource->pools[i];
        resource->total += pool->row.capacity;
        resource->free += pool_free(pool);
        resource->held += pool->taken.held;
        resource->sold += pool->taken.sold;
        resource->blocked += pool->taken.blocked;
        resource->number_count += pool->units.count;
        if (pool->seat_row_count > 0)
            seats_arrange(pool, resource->arena);
    }
}

static const struct usher_row *rows_of(struct resource *resource, const struct pool *pool)
{
    struct usher_row *rows =
        usher_arena_alloc(resource->arena, pool->seat_row_count * sizeof *rows);
    for (uint32_t i = 0; i < pool->seat_row_count; i++)
        rows[i] = catalogue_row_of(&pool->seat_rows[i]);
    return rows;
}

/* … and a copy of the chart, under the name in resource->row. */
static void settle_set_chart(struct resource *resource, const char *content, size_t size)
{
    resource->chart = (struct chart_row){
        .name = resource->row.chart,
        .content = usher_arena_text(resource->arena, content, size),
        .content_size = size,
    };
}

static void name_chart(struct resource *resource, const struct usher_buffer *json)
{
    char name[72];
    usher_chart_name(json->at, json->size, name);
    if (!resource->row.chart || strcmp(resource->row.chart, name) != 0) {
        resource->row.chart = resource_text(resource, name);
        resource->chart_changed = true;
    }
    settle_set_chart(resource, json->at, json->size);
}

/* Encodes the layout of the sections that have rows. */
static void settle_chart(struct resource *resource)
{
    uint32_t count = 0, seat = 0;
    struct usher_section *sections =
        usher_arena_alloc(resource->arena, resource->pool_count * sizeof *sections);
    for (uint32_t i = 0; i < resource->pool_count; i++) {
        struct pool *pool = &resource->pools[i];
        if (pool->seat_row_count > 0) {
            pool->first_seat = seat;
            seat += pool->row.capacity;
            sections[count++] = (struct usher_section){.section = pool->row.name,
                                                       .rows = rows_of(resource, pool),
                                                       .row_count = pool->seat_row_count};
        }
    }
    resource->chart = (struct chart_row){0};
    if (count == 0) {
        resource->row.chart = NULL;
        resource->chart_changed = false;
        return;
    }
    struct usher_buffer json = {0};
    usher_chart_encode(sections, count, &json);
    name_chart(resource, &json);
    usher_buffer_deinit(&json);
}

void catalogue_settle(struct resource *resource)
{
    settle_units(resource, NULL);
    for (uint32_t i = 0; i < resource->pool_count; i++) {
        resource->pools[i].over = pool_over(&resource->pools[i]);
        resource->may_be_over |= resource->pools[i].over > 0;
    }
    settle_sums(resource);
    settle_chart(resource);
    bool resolved = terms_resolve(resource);
    assert(resolved);
    catalogue_publish(resource);
}

/* ==== Restoring ==== */

static bool load_section(struct resource *resource, const struct usher_section *section,
                         uint32_t *seat)
{
    const struct pool_name *name = resource_name(resource, section->section);
    if (!name || name->kind != USHER_SECTION)
        return false;
    struct pool *pool = &resource->pools[name->pool];
    uint32_t capacity = pool->row.capacity;
    if (pool->row.kind != USHER_SEATS || pool->seat_row_count > 0)
        return false;
    catalogue_set_rows(resource, pool, section->rows, section->row_count);
    pool->first_seat = *seat;
    *seat += pool->row.capacity;
    return pool->row.capacity == capacity;
}

/* The rows of each section from the chart, whose order is that of all seats; false: they are not
 * those of the pools. */
static bool load_chart(struct resource *resource, const struct chart_row *chart,
                       struct usher_arena *scratch)
{
    static const char hash[] = "sha256:";
    const struct usher_section *sections;
    uint32_t count, seat = 0;
    struct usher_error err;
    if (!chart->name || strncmp(chart->name, hash, sizeof hash - 1) != 0 ||
        usher_chart_decode(chart->content, chart->content_size, scratch, &sections, &count, &err) !=
            USHER_OK)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!load_section(resource, &sections[i], &seat))
            return false;
    settle_set_chart(resource, chart->content, chart->content_size);
    return true;
}

/* The nights of a room type follow each other: most often it is the list of the one before. */
static bool load_rates(struct resource *resource, struct pool *pool, const char *json)
{
    const struct pool *before = pool > resource->pools ? pool - 1 : NULL;
    bool same = json && before && before->rates && strcmp(json, before->row.rates) == 0;
    struct rates *rates = same ? before->rates : json ? rates_read(resource, json) : NULL;
    rates_set(pool, rates);
    return rates || !json;
}

/* Likewise. Nights alone have restrictions. */
static bool load_restrictions(struct resource *resource, struct pool *pool, const char *json)
{
    const struct pool *before = pool > resource->pools ? pool - 1 : NULL;
    bool same =
        json && before && before->restrictions && strcmp(json, before->row.restrictions) == 0;
    struct restrictions *restrictions = same   ? before->restrictions
                                        : json ? restrictions_read(resource, json)
                                               : NULL;
    restrictions_set(pool, restrictions);
    return !json || (restrictions && pool->row.kind == USHER_ROOM);
}

/* A name is of one pool, or of the nights of one room type. */
static bool name_fits(const struct resource *resource, const struct pool_row *row)
{
    size_t size = row->name ? strlen(row->name) : 0;
    if (size == 0 || size > USHER_NAME_MAX)
        return false;
    const struct pool_name *name = resource_name(resource, row->name);
    if (row->kind != USHER_ROOM)
        return !name && row->night == NIGHT_NONE;
    return row->night >= 0 && row->night <= CALENDAR_LAST_DAY &&
           (!name || (name->kind == USHER_ROOM && !resource_night(resource, name, row->night))) &&
           catalogue_reaches(resource, row->name, row->night);
}

static bool load_pool(struct resource *resource, const struct pool_row *row)
{
    if (!name_fits(resource, row) || row->index != resource->pool_count ||
        row->capacity > USHER_CAPACITY_MAX || row->price < 0 || row->price > USHER_PRICE_MAX)
        return false;
    struct pool *pool = catalogue_add(resource, row->kind, row->name, row->night);
    const char *name = pool->row.name;
    pool->row = *row;
    pool->row.name = name;
    pool->row.title = resource_text(resource, row->title);
    pool->row.properties = resource_text(resource, row->properties);
    pool->row.is_new = false;
    pool->taken = row->taken;
    pool->over = row->over;
    resource->may_be_over |= row->over > 0;
    pool->changed = false;
    return load_rates(resource, pool, row->rates) &&
           load_restrictions(resource, pool, row->restrictions);
}

/* Of each night, one more than the highest number that is taken: it may be anywhere. */
static const uint32_t *count_numbers(const struct resource *resource,
                                     const struct loaded_resource *loaded,
                                     struct usher_arena *scratch)
{
    uint32_t *numbers = usher_arena_alloc(scratch, resource->pool_count * sizeof *numbers);
    for (uint32_t i = 0; i < loaded->unit_count; i++) {
        const struct loaded_unit *unit = &loaded->units[i];
        if (unit->pool < resource->pool_count &&
            resource->pools[unit->pool].row.kind == USHER_ROOM && unit->unit >= 0 &&
            unit->unit < USHER_CAPACITY_MAX && (uint32_t)unit->unit >= numbers[unit->pool])
            numbers[unit->pool] = (uint32_t)unit->unit + 1;
    }
    return numbers;
}

/* The pools, with their rows. */
static bool load_catalogue(struct resource *resource, const struct loaded_resource *loaded,
                           struct usher_arena *scratch)
{
    for (uint32_t i = 0; i < loaded->pool_count; i++)
        if (!load_pool(resource, &loaded->pools[i]))
            return false;
    if (loaded->chart.content && !load_chart(resource, &loaded->chart, scratch))
        return false;
    for (uint32_t i = 0; i < resource->pool_count; i++) {
        const struct pool *pool = &resource->pools[i];
        if (pool->row.kind == USHER_SEATS && pool->row.capacity > 0 && pool->seat_row_count == 0)
            return false;
    }
    return true;
}

/*
 * The counts in the row are those of a counted pool, and there are as many units, but for those
 * that the house took beyond them. Seats and removed pools have none of these.
 */
static bool counts_fit(const struct pool *pool)
{
    int64_t taken = (int64_t)pool->taken.held + pool->taken.sold + pool->taken.blocked;
    if (pool->over > 0 && (pool->row.kind == USHER_SEATS || pool->row.capacity == 0 ||
                           pool->over > USHER_CAPACITY_MAX - pool->row.capacity))
        return false;
    int64_t limit = (int64_t)pool->row.capacity + pool->over;
    return taken <= (kind_is_counted(pool->row.kind) ? limit : 0);
}

static bool load_unit(struct resource *resource, const struct loaded_unit *unit)
{
    struct pool *pool = unit->pool < resource->pool_count ? &resource->pools[unit->pool] : NULL;
    if (!pool || (uint32_t)unit->unit >= pool->units.count ||
        units_state(&pool->units, (uint32_t)unit->unit) != BOOKING_NONE ||
        (pool_free(pool) == 0 && pool_over(pool) == pool->over) ||
        !booking_state_owns_units(unit->state))
        return false;
    units_take(&pool->units, (uint32_t)unit->unit, unit->state);
    (*unit_counts_in(&pool->taken, unit->state))++;
    return true;
}

static bool row_fits(const struct resource_row *row)
{
    return row->id && (row->hold_ttl_s == USHER_ABSENT ||
                       (row->hold_ttl_s >= 0 && row->hold_ttl_s <= INT32_MAX));
}

struct resource *restore_resource(const struct loaded_resource *loaded, struct usher_arena *scratch)
{
    if (!row_fits(&loaded->row))
        return NULL;
    struct resource *resource = resource_create(&loaded->row);
    resource->row.is_new = false;
    bool good = load_catalogue(resource, loaded, scratch) && terms_resolve(resource);
    for (uint32_t i = 0; good && i < resource->pool_count; i++)
        good = counts_fit(&resource->pools[i]);
    if (good) {
        settle_units(resource, count_numbers(resource, loaded, scratch));
        catalogue_publish(resource);
    }
    for (uint32_t i = 0; good && i < loaded->unit_count; i++)
        good = load_unit(resource, &loaded->units[i]);
    if (!good) {
        resource_destroy(resource);
        return NULL;
    }
    settle_sums(resource);
    if (!rate_uses_read(resource, loaded->row.by_rate) || !rate_uses_fit(resource)) {
        resource_destroy(resource);
        return NULL;
    }
    return resource;
}
