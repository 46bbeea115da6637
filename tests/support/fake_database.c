/* Tables as arrays, searched from one end to the other. Texts are copied into one arena. */
#include "fake_database.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "inventory_booking.h"
#include "lines.h"

void fake_database_close(struct fake_database *database)
{
    for (uint32_t i = 0; i < database->resource_count; i++)
        free(database->resources[i].pools);
    free(database->resources);
    free(database->bookings);
    free(database->allocations);
    free(database->decisions);
    usher_arena_deinit(&database->arena);
    *database = (struct fake_database){0};
}

static void *room(void *array, uint32_t count, uint32_t *limit, size_t size)
{
    if (count == *limit) {
        *limit = 2 * *limit + 64;
        array = realloc(array, *limit * size);
        assert(array);
    }
    return array;
}

static const char *copy(struct usher_arena *arena, const char *text)
{
    return text ? usher_arena_text(arena, text, strlen(text)) : NULL;
}

/* ---- copies ---- */

static struct resource_row copy_resource(struct usher_arena *arena, const struct resource_row *from)
{
    struct resource_row row = *from;
    row.id = copy(arena, row.id);
    row.name = copy(arena, row.name);
    row.venue = copy(arena, row.venue);
    row.description = copy(arena, row.description);
    row.timezone = copy(arena, row.timezone);
    row.currency = copy(arena, row.currency);
    row.chart = copy(arena, row.chart);
    row.is_new = false;
    return row;
}

static struct pool_row copy_pool(struct usher_arena *arena, const struct pool_row *from)
{
    struct pool_row row = *from;
    row.name = copy(arena, row.name);
    row.title = copy(arena, row.title);
    row.is_new = false;
    return row;
}

static struct booking_row copy_booking(struct usher_arena *arena, const struct booking_row *from)
{
    struct booking_row row = *from;
    row.request_id = copy(arena, row.request_id);
    row.client = copy(arena, row.client);
    row.customer = copy(arena, row.customer);
    row.cart = copy(arena, row.cart);
    row.payment = copy(arena, row.payment);
    row.note = copy(arena, row.note);
    row.meta = copy(arena, row.meta);
    row.lines = usher_arena_text(arena, row.lines, row.lines_size);
    return row;
}

static struct decision_row copy_decision(struct usher_arena *arena, const struct decision_row *from)
{
    struct decision_row row = *from;
    row.key = usher_arena_text(arena, row.key, row.key_size);
    row.request_id = copy(arena, row.request_id);
    row.resource = copy(arena, row.resource);
    row.client = copy(arena, row.client);
    row.traceparent = copy(arena, row.traceparent);
    row.body = usher_arena_text(arena, row.body, row.body_size);
    return row;
}

static struct chart_row copy_chart(struct usher_arena *arena, const struct chart_row *from)
{
    struct chart_row row = *from;
    row.name = copy(arena, row.name);
    row.content = row.content ? usher_arena_text(arena, row.content, row.content_size) : NULL;
    return row;
}

/* ---- applying ---- */

static struct fake_resource *resource_numbered(const struct fake_database *database, int64_t no)
{
    for (uint32_t i = 0; i < database->resource_count; i++)
        if (database->resources[i].row.no == no)
            return &database->resources[i];
    return NULL;
}

static struct booking_row *booking_numbered(const struct fake_database *database, int64_t no)
{
    for (uint32_t i = 0; i < database->booking_count; i++)
        if (database->bookings[i].no == no)
            return &database->bookings[i];
    return NULL;
}

static struct allocation_row *allocation_of(const struct fake_database *database, int64_t pool,
                                            int32_t unit)
{
    for (uint32_t i = 0; i < database->allocation_count; i++)
        if (database->allocations[i].pool == pool && database->allocations[i].unit == unit)
            return &database->allocations[i];
    return NULL;
}

static void apply_freed(struct fake_database *database, const struct allocation_row *freed)
{
    struct allocation_row *row = allocation_of(database, freed->pool, freed->unit);
    assert(row && row->booking == freed->booking);
    *row = database->allocations[--database->allocation_count];
}

static void apply_taken(struct fake_database *database, const struct allocation_row *taken)
{
    assert(!allocation_of(database, taken->pool, taken->unit)); /* the primary key */
    database->allocations = room(database->allocations, database->allocation_count,
                                 &database->allocation_limit, sizeof(*taken));
    database->allocations[database->allocation_count++] = *taken;
}

static void apply_resource(struct fake_database *database, const struct resource_row *row)
{
    struct fake_resource *known = resource_numbered(database, row->no);
    assert(row->is_new == !known);
    if (!known) {
        database->resources = room(database->resources, database->resource_count,
                                   &database->resource_limit, sizeof(*known));
        known = &database->resources[database->resource_count++];
        *known = (struct fake_resource){0};
    }
    assert(row->rev > known->row.rev);
    known->row = copy_resource(&database->arena, row);
}

static void apply_chart(struct fake_database *database, const struct batch *batch,
                        const struct chart_row *chart)
{
    bool used = false;
    for (uint32_t i = 0; i < batch->resource_count; i++) {
        if (batch->resources[i].chart && strcmp(batch->resources[i].chart, chart->name) == 0) {
            resource_numbered(database, batch->resources[i].no)->chart =
                copy_chart(&database->arena, chart);
            used = true;
        }
    }
    assert(used);
}

static void apply_pool(struct fake_database *database, const struct pool_row *row)
{
    struct fake_resource *resource = resource_numbered(database, row->resource_no);
    assert(resource && row->no != 0);
    if (row->is_new) {
        assert(row->index == resource->pool_count); /* dense, in order */
        resource->pools =
            room(resource->pools, resource->pool_count, &resource->pool_limit, sizeof(*row));
        resource->pool_count++;
        database->last_pool = row->no & ((INT64_C(1) << 48) - 1);
    }
    assert(row->index < resource->pool_count);
    assert(row->is_new || resource->pools[row->index].no == row->no);
    resource->pools[row->index] = copy_pool(&database->arena, row);
}

static void apply_booking(struct fake_database *database, const struct booking_row *row)
{
    assert(!booking_numbered(database, row->no) && row->from == BOOKING_NONE);
    assert(row->state != BOOKING_HELD || row->expires_ms != USHER_ABSENT);
    database->bookings =
        room(database->bookings, database->booking_count, &database->booking_limit, sizeof(*row));
    database->bookings[database->booking_count++] = copy_booking(&database->arena, row);
}

static void apply_booking_change(struct fake_database *database, const struct booking_row *row)
{
    struct booking_row *known = booking_numbered(database, row->no);
    assert(known && known->state == row->from && row->from != BOOKING_NONE);
    *known = copy_booking(&database->arena, row);
}

static void apply_decision(struct fake_database *database, const struct decision_row *row)
{
    assert(row->seq == (int64_t)database->decision_count + 1 && row->outcome && row->body);
    for (uint32_t i = 0; row->first && i < database->decision_count; i++) {
        const struct decision_row *other = &database->decisions[i];
        assert(!other->first || other->resource_no != row->resource_no ||
               memcmp(other->id_hash, row->id_hash, USHER_HASH_SIZE) != 0);
    }
    database->decisions = room(database->decisions, database->decision_count,
                               &database->decision_limit, sizeof(*row));
    database->decisions[database->decision_count++] = copy_decision(&database->arena, row);
}

void fake_database_apply(struct fake_database *database, const struct batch *batch)
{
    for (uint32_t i = 0; i < batch->freed_count; i++)
        apply_freed(database, &batch->freed[i]);
    for (uint32_t i = 0; i < batch->bookings_changed_count; i++)
        apply_booking_change(database, &batch->bookings_changed[i]);
    for (uint32_t i = 0; i < batch->resource_count; i++)
        apply_resource(database, &batch->resources[i]);
    for (uint32_t i = 0; i < batch->chart_count; i++)
        apply_chart(database, batch, &batch->charts[i]);
    for (uint32_t i = 0; i < batch->pool_count; i++)
        apply_pool(database, &batch->pools[i]);
    for (uint32_t i = 0; i < batch->booking_count; i++)
        apply_booking(database, &batch->bookings[i]);
    for (uint32_t i = 0; i < batch->taken_count; i++)
        apply_taken(database, &batch->taken[i]);
    for (uint32_t i = 0; i < batch->decision_count; i++)
        apply_decision(database, &batch->decisions[i]);
}

/* ---- loading ---- */

static void load_units(const struct fake_database *database, const struct fake_resource *from,
                       struct usher_arena *arena, struct loaded_resource *loaded)
{
    loaded->units = usher_arena_alloc(arena, database->allocation_count * sizeof(*loaded->units));
    for (uint32_t i = 0; i < database->allocation_count; i++) {
        const struct allocation_row *row = &database->allocations[i];
        const struct booking_row *booking = booking_numbered(database, row->booking);
        assert(booking);
        if (booking->resource_no != from->row.no)
            continue;
        uint32_t index = 0;
        while (from->pools[index].no != row->pool)
            index++;
        loaded->units[loaded->unit_count++] =
            (struct loaded_unit){index, row->unit, booking->state};
    }
}

static void load_resource(const struct fake_database *database, const struct fake_resource *from,
                          struct usher_arena *arena, struct load_result *result)
{
    struct loaded_resource *loaded = &result->resources[result->resource_count++];
    *loaded = (struct loaded_resource){
        .row = copy_resource(arena, &from->row),
        .pools = usher_arena_alloc(arena, from->pool_count * sizeof(*loaded->pools)),
        .pool_count = from->pool_count,
    };
    if (from->row.chart)
        loaded->chart = copy_chart(arena, &from->chart);
    for (uint32_t i = 0; i < from->pool_count; i++)
        loaded->pools[i] = copy_pool(arena, &from->pools[i]);
    load_units(database, from, arena, loaded);
}

static bool wants_resource(const struct load_request *request, const struct resource_row *row)
{
    bool wanted = false;
    for (uint32_t i = 0; i < request->resource_count; i++)
        wanted = wanted || strcmp(request->resources[i], row->id) == 0;
    for (uint32_t i = 0; i < request->resource_no_count; i++)
        wanted = wanted || request->resource_nos[i] == row->no;
    return wanted;
}

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

static void load_bookings(const struct fake_database *database, const struct load_request *request,
                          struct usher_arena *arena, struct load_result *result)
{
    result->bookings =
        usher_arena_alloc(arena, database->booking_count * sizeof(*result->bookings));
    for (uint32_t i = 0; request->booking_count > 0 && i < database->booking_count; i++) {
        const struct booking_row *row = &database->bookings[i];
        uint8_t id_hash[USHER_HASH_SIZE];
        usher_id_hash(row->request_id, id_hash);
        if (wants_key(request->bookings, request->booking_count,
                      resource_numbered(database, row->resource_no)->row.id, id_hash))
            result->bookings[result->booking_count++] = copy_booking(arena, row);
    }
}

static int compare_due(const void *left, const void *right)
{
    const struct booking_row *a = left, *b = right;
    if (a->expires_ms != b->expires_ms)
        return a->expires_ms < b->expires_ms ? -1 : 1;
    return (a->no > b->no) - (a->no < b->no);
}

static bool is_due(const struct load_request *request, const struct booking_row *row)
{
    bool after = row->expires_ms > request->due_after_ms ||
                 (row->expires_ms == request->due_after_ms && row->no > request->due_after_no);
    return row->state == BOOKING_HELD && after && row->expires_ms <= request->due_until_ms;
}

static void load_due(const struct fake_database *database, const struct load_request *request,
                     struct usher_arena *arena, struct load_result *result)
{
    result->due = usher_arena_alloc(arena, database->booking_count * sizeof(*result->due));
    for (uint32_t i = 0; request->due && i < database->booking_count; i++)
        if (is_due(request, &database->bookings[i]))
            result->due[result->due_count++] = copy_booking(arena, &database->bookings[i]);
    qsort(result->due, result->due_count, sizeof(*result->due), compare_due);
    if (result->due_count > request->due_limit)
        result->due_count = request->due_limit;
}

void fake_database_load(struct fake_database *database, const struct load_request *request,
                        struct usher_arena *arena, struct load_result *result)
{
    *result = (struct load_result){0};
    database->loads++;
    result->resources =
        usher_arena_alloc(arena, database->resource_count * sizeof(*result->resources));
    for (uint32_t i = 0; i < database->resource_count; i++)
        if (wants_resource(request, &database->resources[i].row))
            load_resource(database, &database->resources[i], arena, result);
    result->firsts = usher_arena_alloc(arena, database->decision_count * sizeof(*result->firsts));
    for (uint32_t i = 0; i < database->decision_count; i++) {
        const struct decision_row *row = &database->decisions[i];
        if (row->first && wants_key(request->ids, request->id_count, row->resource, row->id_hash))
            result->firsts[result->first_count++] = copy_decision(arena, row);
    }
    load_bookings(database, request, arena, result);
    load_due(database, request, arena, result);
}

void fake_database_check(const struct fake_database *database)
{
    uint32_t possessed = 0;
    for (uint32_t i = 0; i < database->booking_count; i++) {
        const struct booking_row *row = &database->bookings[i];
        struct content *content = lines_read(row->lines, row->lines_size);
        const struct fake_resource *resource = resource_numbered(database, row->resource_no);
        assert(content && resource);
        for (uint32_t j = 0; booking_state_possesses(row->state) && j < content->line_count; j++) {
            const struct line *line = &content->lines[j];
            for (uint32_t k = 0; k < line->unit_count; k++) {
                const struct allocation_row *allocation =
                    allocation_of(database, resource->pools[line->pool].no, line->units[k]);
                assert(allocation && allocation->booking == row->no);
                possessed++;
            }
        }
        free(content);
    }
    assert(possessed == database->allocation_count);
}
