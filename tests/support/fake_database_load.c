/* Answers to loads, from what was applied: as the queries of the real record give them. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "any_row.h"
#include "fake_database.h"
#include "producer/codec/stored.h"
#include "worker/inventory/booking.h"
#include "worker/inventory/booking_lines.h"

/* ---- resources ---- */

static uint32_t index_of(const struct fake_resource *resource, int64_t pool)
{
    uint32_t index = 0;
    while (resource->pools[index].no != pool)
        index++;
    return index;
}

static void load_units(const struct fake_database *database, const struct fake_resource *from,
                       struct usher_arena *arena, struct loaded_resource *loaded)
{
    loaded->units = usher_arena_alloc(arena, database->allocation_count * sizeof(*loaded->units));
    for (uint32_t i = 0; i < database->allocation_count; i++) {
        const struct allocation_row *row = &database->allocations[i];
        const struct booking_row *booking = fake_booking(database, row->booking);
        assert(booking);
        if (booking->resource_no == from->row.no)
            loaded->units[loaded->unit_count++] =
                (struct loaded_unit){index_of(from, row->pool), row->unit, booking->state};
    }
}

static int compare_numbers(const void *left, const void *right)
{
    const struct booking_row *a = left, *b = right;
    return (a->no > b->no) - (a->no < b->no);
}

static void load_waiting(const struct fake_database *database, int64_t resource_no,
                         struct usher_arena *arena, struct loaded_resource *loaded)
{
    loaded->waiting = usher_arena_alloc(arena, database->booking_count * sizeof(*loaded->waiting));
    for (uint32_t i = 0; i < database->booking_count; i++) {
        const struct booking_row *row = &database->bookings[i];
        if (row->resource_no == resource_no && row->state == BOOKING_WAITING)
            row_copy(arena, PG_ROW_BOOKING, row, &loaded->waiting[loaded->waiting_count++]);
    }
    qsort(loaded->waiting, loaded->waiting_count, sizeof(*loaded->waiting), compare_numbers);
}

static void load_resource(const struct fake_database *database, const struct fake_resource *from,
                          uint32_t asked, struct usher_arena *arena, struct load_result *result)
{
    struct loaded_resource *loaded = &result->resources[result->resource_count++];
    *loaded = (struct loaded_resource){
        .asked = asked,
        .pools = row_copies(arena, PG_ROW_POOL, from->pools, from->pool_count),
        .pool_count = from->pool_count,
    };
    row_copy(arena, PG_ROW_RESOURCE, &from->row, &loaded->row);
    if (from->row.chart)
        row_copy(arena, PG_ROW_CHART, fake_chart(database, from->row.chart), &loaded->chart);
    load_units(database, from, arena, loaded);
    load_waiting(database, from->row.no, arena, loaded);
}

static void load_resources(const struct fake_database *database, const struct load_request *request,
                           struct usher_arena *arena, struct load_result *result)
{
    uint32_t count = request->resource_count + request->resource_no_count;
    result->resources = usher_arena_alloc(arena, count * sizeof(*result->resources));
    assert(request->resource_count == 0 || request->resource_no_count == 0);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < database->resource_count; j++) {
            const struct fake_resource *from = &database->resources[j];
            if (i < request->resource_count ? strcmp(request->resources[i], from->row.id) == 0
                                            : request->resource_nos[i] == from->row.no)
                load_resource(database, from, i, arena, result);
        }
}

static void load_unfinished(const struct fake_database *database,
                            const struct load_request *request, struct usher_arena *arena,
                            struct load_result *result)
{
    result->unfinished =
        usher_arena_alloc(arena, database->resource_count * sizeof(*result->unfinished));
    for (uint32_t i = 0; i < database->resource_count; i++) {
        const struct resource_row *row = &database->resources[i].row;
        if ((row->unserved || row->cancelling) && row->no > request->unfinished_after_no &&
            result->unfinished_count < request->unfinished_limit)
            result->unfinished[result->unfinished_count++] = row->no;
    }
}

/* ---- bookings ---- */

static bool wants_key(const struct load_key *keys, uint32_t count, const char *resource,
                      const uint8_t id_hash[USHER_HASH_SIZE])
{
    bool wanted = false;
    for (uint32_t i = 0; i < count; i++) {
        wanted = wanted || (strcmp(keys[i].resource, resource) == 0 &&
                            memcmp(keys[i].id_hash, id_hash, USHER_HASH_SIZE) == 0);
    }
    return wanted;
}

static bool wants_cart(const struct load_request *request, const char *resource,
                       const struct booking_row *row)
{
    bool wanted = false;
    for (uint32_t i = 0; row->cart && row->customer && i < request->cart_count; i++) {
        const struct load_cart *cart = &request->carts[i];
        wanted = wanted ||
                 (strcmp(cart->resource, resource) == 0 && strcmp(cart->cart, row->cart) == 0 &&
                  strcmp(cart->customer, row->customer) == 0);
    }
    return wanted;
}

static void load_bookings(const struct fake_database *database, const struct load_request *request,
                          struct usher_arena *arena, struct load_result *result)
{
    size_t size = database->booking_count * sizeof(struct booking_row);
    result->bookings = usher_arena_alloc(arena, size);
    result->of_carts = usher_arena_alloc(arena, size);
    if (request->booking_count + request->cart_count == 0)
        return;
    for (uint32_t i = 0; i < database->booking_count; i++) {
        const struct booking_row *row = &database->bookings[i];
        const char *resource = fake_resource(database, row->resource_no)->row.id;
        uint8_t id_hash[USHER_HASH_SIZE];
        request_id_hash(row->request_id, id_hash);
        if (wants_key(request->bookings, request->booking_count, resource, id_hash))
            row_copy(arena, PG_ROW_BOOKING, row, &result->bookings[result->booking_count++]);
        if (wants_cart(request, resource, row))
            row_copy(arena, PG_ROW_BOOKING, row, &result->of_carts[result->of_cart_count++]);
    }
}

/* ---- what comes due ---- */

static int compare_due(const void *left, const void *right)
{
    const struct booking_row *a = left, *b = right;
    if (a->expires_ms != b->expires_ms)
        return a->expires_ms < b->expires_ms ? -1 : 1;
    return compare_numbers(left, right);
}

static bool is_due(const struct load_request *request, const struct booking_row *row)
{
    bool open = row->state == BOOKING_HELD || row->state == BOOKING_BLOCKED ||
                row->state == BOOKING_WAITING;
    bool after = row->expires_ms > request->due_after_ms ||
                 (row->expires_ms == request->due_after_ms && row->no > request->due_after_no);
    return open && row->expires_ms != USHER_ABSENT && after &&
           row->expires_ms <= request->due_until_ms;
}

static void load_due(const struct fake_database *database, const struct load_request *request,
                     struct usher_arena *arena, struct load_result *result)
{
    result->due = usher_arena_alloc(arena, database->booking_count * sizeof(*result->due));
    for (uint32_t i = 0; request->due && i < database->booking_count; i++)
        if (is_due(request, &database->bookings[i]))
            row_copy(arena, PG_ROW_BOOKING, &database->bookings[i],
                     &result->due[result->due_count++]);
    if (result->due_count > 0)
        qsort(result->due, result->due_count, sizeof(*result->due), compare_due);
    result->due_remain = request->due && result->due_count >= request->due_limit;
    if (result->due_remain)
        result->due_count = request->due_limit;
}

/* ---- bookings to be cancelled ---- */

static int compare_hashes(const void *left, const void *right)
{
    const struct decision_row *const *a = left, *const *b = right;
    return memcmp((*a)->id_hash, (*b)->id_hash, USHER_HASH_SIZE);
}

/* The first decisions of request ids behind the asked one, by their hashes. */
static uint32_t firsts_behind(const struct fake_database *database,
                              const struct load_owners *owners, const struct decision_row **firsts)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < database->decision_count; i++) {
        const struct decision_row *row = &database->decisions[i];
        if (row->first && row->resource_no == owners->resource_no &&
            memcmp(row->id_hash, owners->after, USHER_HASH_SIZE) > 0)
            firsts[count++] = row;
    }
    if (count > 0)
        qsort(firsts, count, sizeof(const struct decision_row *), compare_hashes);
    return count < owners->limit ? count : owners->limit;
}

static void load_owners(const struct fake_database *database, const struct load_request *request,
                        struct usher_arena *arena, struct load_result *result)
{
    const struct load_owners *owners = &request->owners;
    if (owners->resource_no == 0)
        return;
    const struct decision_row **firsts =
        usher_arena_alloc(arena, database->decision_count * sizeof(const struct decision_row *));
    uint32_t count = firsts_behind(database, owners, firsts);
    result->owners = usher_arena_alloc(arena, count * sizeof(*result->owners));
    for (uint32_t i = 0; i < count; i++) {
        int64_t no = row_number(row_partition(owners->resource_no), firsts[i]->seq);
        const struct booking_row *row = fake_booking(database, no);
        if (row && (row->state == BOOKING_HELD || row->state == BOOKING_CONFIRMED))
            row_copy(arena, PG_ROW_BOOKING, row, &result->owners[result->owner_count++]);
    }
    result->owners_remain = count == owners->limit;
    if (result->owners_remain)
        memcpy(result->owners_end, firsts[count - 1]->id_hash, USHER_HASH_SIZE);
}

/* ---- what customers have ---- */

static int compare_tallies(const void *left, const void *right)
{
    const struct load_tally *a = left, *b = right;
    if (a->resource_no != b->resource_no)
        return a->resource_no < b->resource_no ? -1 : 1;
    int order = strcmp(a->customer, b->customer);
    if (order != 0 || a->booking != b->booking)
        return order != 0 ? order : (a->booking > b->booking) - (a->booking < b->booking);
    return (a->pool > b->pool) - (a->pool < b->pool);
}

static bool wants_tally(const struct load_request *request, const struct booking_row *row)
{
    bool wanted = false;
    for (uint32_t i = 0; i < request->tally_count; i++)
        wanted = wanted || request->tally_nos[i] == row->resource_no;
    return wanted && row->customer &&
           (row->state == BOOKING_HELD || row->state == BOOKING_CONFIRMED);
}

static void add_numbers(struct load_tally *tally, const struct line *line,
                        struct usher_arena *arena)
{
    if (!tally->held || !line->units)
        return;
    int32_t *numbers =
        usher_arena_alloc(arena, (tally->units + line->unit_count) * sizeof *numbers);
    if (tally->units > 0)
        memcpy(numbers, tally->numbers, tally->units * sizeof *numbers);
    memcpy(numbers + tally->units, line->units, line->unit_count * sizeof *numbers);
    tally->numbers = numbers;
}

/* Adds the units of a booking up by pool. */
static void tally_booking(const struct booking_row *row, struct usher_arena *arena,
                          struct load_result *result)
{
    struct content *content = lines_read(row->lines, row->lines_size);
    uint32_t first = result->tally_count;
    assert(content);
    for (uint32_t i = 0; i < content->line_count; i++) {
        const struct line *line = &content->lines[i];
        uint32_t at = first;
        while (at < result->tally_count && result->tallies[at].pool != line->pool)
            at++;
        if (at == result->tally_count)
            result->tallies[result->tally_count++] = (struct load_tally){
                .resource_no = row->resource_no,
                .customer = usher_arena_text(arena, row->customer, strlen(row->customer)),
                .booking = row->no,
                .held = row->state == BOOKING_HELD,
                .pool = line->pool,
                .request_id = usher_arena_text(arena, row->request_id, strlen(row->request_id)),
            };
        add_numbers(&result->tallies[at], line, arena);
        result->tallies[at].units += line->unit_count;
    }
    free(content);
}

static uint32_t pools_in_all(const struct fake_database *database)
{
    uint32_t pools = 0;
    for (uint32_t i = 0; i < database->resource_count; i++)
        pools += database->resources[i].pool_count;
    return pools;
}

static void load_tallies(const struct fake_database *database, const struct load_request *request,
                         struct usher_arena *arena, struct load_result *result)
{
    if (request->tally_count == 0)
        return;
    size_t limit = (size_t)database->booking_count * pools_in_all(database);
    result->tallies = usher_arena_alloc(arena, limit * sizeof *result->tallies);
    for (uint32_t i = 0; i < database->booking_count; i++)
        if (wants_tally(request, &database->bookings[i]))
            tally_booking(&database->bookings[i], arena, result);
    if (result->tally_count > 0)
        qsort(result->tallies, result->tally_count, sizeof(*result->tallies), compare_tallies);
}

/* ---- the others ---- */

static void load_charts(const struct fake_database *database, const struct load_request *request,
                        struct usher_arena *arena, struct load_result *result)
{
    result->charts = usher_arena_alloc(arena, request->chart_count * sizeof(*result->charts));
    for (uint32_t i = 0; i < request->chart_count; i++) {
        const struct chart_row *chart = fake_chart(database, request->charts[i]);
        if (chart)
            row_copy(arena, PG_ROW_CHART, chart, &result->charts[result->chart_count++]);
    }
}

static void load_firsts(const struct fake_database *database, const struct load_request *request,
                        struct usher_arena *arena, struct load_result *result)
{
    result->firsts = usher_arena_alloc(arena, database->decision_count * sizeof(*result->firsts));
    for (uint32_t i = 0; request->id_count > 0 && i < database->decision_count; i++) {
        const struct decision_row *row = &database->decisions[i];
        if (row->first && wants_key(request->ids, request->id_count, row->resource, row->id_hash))
            row_copy(arena, PG_ROW_DECISION, row, &result->firsts[result->first_count++]);
    }
}

/* How many of a list are served. */
static uint32_t served(struct fake_database *database, uint32_t count, uint32_t least)
{
    if (database->leaves == 0 || count <= least)
        return count;
    database->leaves = database->leaves * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return least + (uint32_t)(database->leaves >> 33) % (count - least + 1);
}

void fake_database_load(struct fake_database *database, const struct load_request *request,
                        struct usher_arena *arena, struct load_result *result)
{
    struct load_request part = *request;
    part.resource_count = served(database, request->resource_count, 1);
    part.resource_no_count = served(database, request->resource_no_count, 1);
    part.id_count = served(database, request->id_count, 1);
    part.booking_count = served(database, request->booking_count, 2);
    part.cart_count = served(database, request->cart_count, 1);
    part.chart_count = served(database, request->chart_count, 1);
    part.tally_count = served(database, request->tally_count, 1);
    *result = (struct load_result){
        .resources_served = part.resource_count + part.resource_no_count,
        .ids_served = part.id_count,
        .bookings_served = part.booking_count,
        .carts_served = part.cart_count,
        .charts_served = part.chart_count,
        .tallies_served = part.tally_count,
    };
    database->loads++;
    load_resources(database, &part, arena, result);
    load_unfinished(database, &part, arena, result);
    load_bookings(database, &part, arena, result);
    load_due(database, &part, arena, result);
    load_owners(database, &part, arena, result);
    load_tallies(database, &part, arena, result);
    load_charts(database, &part, arena, result);
    load_firsts(database, &part, arena, result);
}

/* ---- pages ---- */

/* All rows of a list that is read page by page, in an order. */
struct paged {
    const void *rows;
    uint32_t count;
    size_t size;
    int (*compare)(const void *left, const void *right);
};

static int compare_units(const void *left, const void *right)
{
    const struct loaded_unit *a = left, *b = right;
    if (a->pool != b->pool)
        return a->pool < b->pool ? -1 : 1;
    return (a->unit > b->unit) - (a->unit < b->unit);
}

/*
 * Returns the rows that came before with so many more of `all`, which are behind the last of them;
 * `*remain`: there are others.
 */
static void *add_rows(const void *before, uint32_t *count, const struct paged *all, uint32_t most,
                      struct usher_arena *arena, bool *remain)
{
    char *rows = usher_arena_alloc(arena, (*count + most) * all->size);
    if (*count > 0)
        memcpy(rows, before, *count * all->size);
    uint32_t added = 0;
    *remain = false;
    for (uint32_t i = 0; i < all->count && !*remain; i++) {
        const char *row = (const char *)all->rows + i * all->size;
        if (*count > 0 && all->compare(row, rows + (*count - 1) * all->size) <= 0)
            continue;
        *remain = added++ == most;
        if (!*remain)
            memcpy(rows + (*count)++ * all->size, row, all->size);
    }
    return rows;
}

/* The lists of the first resource. */
static void add_to_resource(const struct loaded_resource *from, uint32_t rows,
                            struct usher_arena *arena, struct load_result *result)
{
    struct loaded_resource *to = &result->resources[0];
    struct load_cursor *cursor = &result->cursor;
    const struct paged units = {from->units, from->unit_count, sizeof *from->units, compare_units},
                       waiting = {from->waiting, from->waiting_count, sizeof *from->waiting,
                                  compare_numbers};
    if (from->unit_count > 0)
        qsort(from->units, from->unit_count, sizeof *from->units, compare_units);
    to->units = add_rows(to->units, &to->unit_count, &units, rows, arena, &cursor->units);
    to->waiting =
        add_rows(to->waiting, &to->waiting_count, &waiting, rows, arena, &cursor->waiting);
}

void fake_database_add_page(const struct fake_database *database,
                            const struct load_request *request, uint32_t rows,
                            struct usher_arena *arena, struct load_result *result)
{
    struct load_request first = {.tally_nos = request->tally_nos,
                                 .tally_count = result->cursor.tallies};
    struct load_result whole = {0};
    if (result->cursor.tallies) {
        load_tallies(database, &first, arena, &whole);
        const struct paged tallies = {whole.tallies, whole.tally_count, sizeof *whole.tallies,
                                      compare_tallies};
        result->tallies = add_rows(result->tallies, &result->tally_count, &tallies, rows, arena,
                                   &result->cursor.tallies);
        return;
    }
    first.resources = request->resources;
    first.resource_count = request->resource_count > 0;
    first.resource_nos = request->resource_nos;
    first.resource_no_count = request->resource_no_count > 0;
    load_resources(database, &first, arena, &whole);
    if (whole.resource_count > 0)
        add_to_resource(&whole.resources[0], rows, arena, result);
    else
        result->cursor = (struct load_cursor){0};
}

void fake_database_cut(const struct fake_database *database, const struct load_request *request,
                       uint32_t rows, struct usher_arena *arena, struct load_result *result)
{
    struct loaded_resource *first = result->resource_count > 0 ? result->resources : NULL;
    uint32_t tallies = 0;
    for (uint32_t i = 0; i < result->tally_count; i++)
        tallies += result->tallies[i].resource_no == request->tally_nos[0];
    if (first && first->asked == 0 && (first->unit_count > rows || first->waiting_count > rows)) {
        first->unit_count = first->waiting_count = 0;
        result->resource_count = result->resources_served = 1;
    } else if (tallies > rows) {
        result->cursor.tallies = true;
        result->tally_count = 0;
        result->tallies_served = 1;
    } else {
        return;
    }
    fake_database_add_page(database, request, rows, arena, result);
}
