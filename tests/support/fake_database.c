/* Tables as arrays, searched from one end to the other. Texts are copied into one arena. */
#include "fake_database.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "any_row.h"
#include "worker/inventory/booking.h"
#include "worker/inventory/booking_lines.h"

void fake_database_close(struct fake_database *database)
{
    for (uint32_t i = 0; i < database->resource_count; i++)
        free(database->resources[i].pools);
    free(database->resources);
    free(database->charts);
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

/* ---- applying ---- */

struct fake_resource *fake_resource(const struct fake_database *database, int64_t no)
{
    for (uint32_t i = 0; i < database->resource_count; i++)
        if (database->resources[i].row.no == no)
            return &database->resources[i];
    return NULL;
}

struct booking_row *fake_booking(const struct fake_database *database, int64_t no)
{
    for (uint32_t i = 0; i < database->booking_count; i++)
        if (database->bookings[i].no == no)
            return &database->bookings[i];
    return NULL;
}

struct chart_row *fake_chart(const struct fake_database *database, const char *name)
{
    for (uint32_t i = 0; i < database->chart_count; i++)
        if (strcmp(database->charts[i].name, name) == 0)
            return &database->charts[i];
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

static struct pool_row *pool_of(const struct fake_database *database, int64_t no)
{
    for (uint32_t i = 0; i < database->resource_count; i++)
        for (uint32_t j = 0; j < database->resources[i].pool_count; j++)
            if (database->resources[i].pools[j].no == no)
                return &database->resources[i].pools[j];
    return NULL;
}

static bool counts_equal(struct unit_counts a, struct unit_counts b)
{
    return a.held == b.held && a.sold == b.sold && a.blocked == b.blocked;
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
    const struct pool_row *pool = pool_of(database, taken->pool);
    assert(pool && !kind_is_counted(pool->kind));
    database->allocations = room(database->allocations, database->allocation_count,
                                 &database->allocation_limit, sizeof(*taken));
    database->allocations[database->allocation_count++] = *taken;
}

static void apply_resource(struct fake_database *database, const struct resource_row *row)
{
    struct fake_resource *known = fake_resource(database, row->no);
    assert(row->is_new == !known);
    if (!known) {
        database->resources = room(database->resources, database->resource_count,
                                   &database->resource_limit, sizeof(*known));
        known = &database->resources[database->resource_count++];
        *known = (struct fake_resource){0};
    }
    assert(row->rev > known->row.rev);
    row_copy(&database->arena, PG_ROW_RESOURCE, row, &known->row);
    known->row.is_new = false;
}

static void apply_mark(struct fake_database *database, const struct resource_mark *mark)
{
    struct fake_resource *known = fake_resource(database, mark->no);
    assert(known && mark->rev > known->row.rev);
    known->row.rev = mark->rev;
    known->row.unserved = mark->unserved;
    known->row.takings = mark->takings;
    known->row.promised = mark->promised;
    if (mark->by_rate)
        known->row.by_rate =
            usher_arena_text(&database->arena, mark->by_rate, strlen(mark->by_rate));
    known->row.cancelling = mark->cancelling ? usher_arena_text(&database->arena, mark->cancelling,
                                                                strlen(mark->cancelling))
                                             : NULL;
}

/* It may be there already, then with the same content: that is what it is named by. */
static void apply_chart(struct fake_database *database, const struct chart_row *chart)
{
    const struct chart_row *known = fake_chart(database, chart->name);
    if (known) {
        assert(known->content_size == chart->content_size &&
               memcmp(known->content, chart->content, chart->content_size) == 0);
        return;
    }
    database->charts =
        room(database->charts, database->chart_count, &database->chart_limit, sizeof(*chart));
    row_copy(&database->arena, PG_ROW_CHART, chart, &database->charts[database->chart_count++]);
}

/* The check of the table. */
static void check_counters(const struct pool_row *pool)
{
    uint32_t limit = kind_is_counted(pool->kind) ? pool->capacity + pool->over : 0;
    assert(unit_counts_sum(pool->taken) <= limit);
    assert(pool->over == 0 || (pool->kind != USHER_SEATS && pool->capacity > 0));
}

static void note_pool(struct fake_database *database, int64_t no)
{
    int64_t n = no & ((INT64_C(1) << 48) - 1);
    database->last_pool = n > database->last_pool ? n : database->last_pool;
}

static void apply_pool(struct fake_database *database, const struct pool_row *row)
{
    struct fake_resource *resource = fake_resource(database, row->resource_no);
    assert(resource && row->no != 0);
    if (row->is_new) {
        assert(row->index == resource->pool_count); /* dense, in order */
        resource->pools =
            room(resource->pools, resource->pool_count, &resource->pool_limit, sizeof(*row));
        resource->pool_count++;
        note_pool(database, row->no);
    }
    assert(row->index < resource->pool_count);
    struct pool_row *known = &resource->pools[row->index];
    assert(row->is_new || (known->no == row->no && counts_equal(known->taken, row->was)));
    row_copy(&database->arena, PG_ROW_POOL, row, known);
    known->is_new = false;
    known->was = (struct unit_counts){0};
    check_counters(known);
}

static void apply_move(struct fake_database *database, const struct pool_move *move)
{
    struct pool_row *known = pool_of(database, move->no);
    assert(known && known->resource_no == move->resource_no && known->index == move->index);
    assert(kind_is_counted(known->kind) && counts_equal(known->taken, move->was));
    assert(!counts_equal(move->was, move->taken));
    known->taken = move->taken;
    check_counters(known);
}

/* The constraints of the table, and what the core promises beside them. */
static void check_booking(const struct booking_row *row)
{
    bool is_party = row->state == BOOKING_WAITING || row->state == BOOKING_LEFT;
    bool ends = row->state == BOOKING_WAITING || row->state == BOOKING_HELD;
    bool is_empty = row->lines_size == strlen("[]");
    assert(row->state > BOOKING_NONE && row->state < BOOKING_STATE_COUNT);
    assert(!ends || (row->expires_ms != USHER_ABSENT && row->ttl_s != USHER_ABSENT));
    assert(row->state != BOOKING_WAITING || row->wants);
    assert(!is_party || is_empty);
    assert(!booking_state_owns_units(row->state) || !is_empty);
    assert(row->customer || row->op == USHER_OP_BLOCK);
}

static void apply_booking(struct fake_database *database, const struct booking_row *row)
{
    assert(!fake_booking(database, row->no) && row->from == BOOKING_NONE);
    assert(fake_resource(database, row->resource_no));
    check_booking(row);
    database->bookings =
        room(database->bookings, database->booking_count, &database->booking_limit, sizeof(*row));
    struct booking_row *added = &database->bookings[database->booking_count++];
    row_copy(&database->arena, PG_ROW_BOOKING, row, added);
    added->from = added->state;
}

static void apply_booking_change(struct fake_database *database, const struct booking_row *row,
                                 int64_t now_ms)
{
    struct booking_row *known = fake_booking(database, row->no);
    assert(known && known->state == row->from && row->from != BOOKING_NONE);
    assert(known->resource_no == row->resource_no && known->op == row->op);
    assert(strcmp(known->request_id, row->request_id) == 0);
    check_booking(row);
    bool is_sale = row->state == BOOKING_CONFIRMED && row->from != BOOKING_CONFIRMED;
    int64_t sold_ms = is_sale ? now_ms : known->sold_ms;
    row_copy(&database->arena, PG_ROW_BOOKING, row, known);
    known->from = known->state;
    known->sold_ms = sold_ms;
}

static struct decision_row *add_decision(struct fake_database *database)
{
    database->decisions = room(database->decisions, database->decision_count,
                               &database->decision_limit, sizeof *database->decisions);
    return &database->decisions[database->decision_count++];
}

static void apply_decision(struct fake_database *database, const struct decision_row *row)
{
    assert(row->seq == (int64_t)database->decision_count + 1 && row->outcome && row->body);
    assert(row->body_size <= USHER_ANSWER_SIZE_MAX);
    for (uint32_t i = 0; row->first && i < database->decision_count; i++) {
        const struct decision_row *other = &database->decisions[i];
        assert(!other->first || other->resource_no != row->resource_no ||
               memcmp(other->id_hash, row->id_hash, USHER_HASH_SIZE) != 0);
    }
    row_copy(&database->arena, PG_ROW_DECISION, row, add_decision(database));
}

void fake_database_apply(struct fake_database *database, const struct batch *batch)
{
    for (uint32_t i = 0; i < batch->freed_count; i++)
        apply_freed(database, &batch->freed[i]);
    for (uint32_t i = 0; i < batch->bookings_changed_count; i++)
        apply_booking_change(database, &batch->bookings_changed[i], batch->now_ms);
    for (uint32_t i = 0; i < batch->resource_count; i++)
        apply_resource(database, &batch->resources[i]);
    for (uint32_t i = 0; i < batch->resource_mark_count; i++)
        apply_mark(database, &batch->resource_marks[i]);
    for (uint32_t i = 0; i < batch->chart_count; i++)
        apply_chart(database, &batch->charts[i]);
    for (uint32_t i = 0; i < batch->pool_count; i++)
        apply_pool(database, &batch->pools[i]);
    for (uint32_t i = 0; i < batch->pool_move_count; i++)
        apply_move(database, &batch->pool_moves[i]);
    for (uint32_t i = 0; i < batch->booking_count; i++)
        apply_booking(database, &batch->bookings[i]);
    for (uint32_t i = 0; i < batch->taken_count; i++)
        apply_taken(database, &batch->taken[i]);
    for (uint32_t i = 0; i < batch->resource_count; i++)
        assert(!batch->resources[i].chart || fake_chart(database, batch->resources[i].chart));
    for (uint32_t i = 0; i < batch->decision_count; i++)
        apply_decision(database, &batch->decisions[i]);
}

void fake_database_lose(struct fake_database *database, int64_t until_seq)
{
    for (int64_t seq; (seq = database->decision_count + 1) <= until_seq;)
        *add_decision(database) = (struct decision_row){.seq = seq, .source_offset = OFFSET_NONE};
}

/* ---- pruning ---- */

/* The function usher.prunable, whenever it was over. */
static bool may_change(const struct fake_database *database, const struct resource_row *resource)
{
    bool may = resource->state != USHER_CLOSED || resource->cancelling;
    for (uint32_t i = 0; i < database->booking_count; i++) {
        const struct booking_row *row = &database->bookings[i];
        may = may || (row->resource_no == resource->no &&
                      (row->state == BOOKING_HELD || row->state == BOOKING_WAITING ||
                       (row->state == BOOKING_BLOCKED && row->expires_ms != USHER_ABSENT)));
    }
    return may;
}

/* That made the resource or its bookings, or ended those; repeats, and what could not be read. */
static bool is_about(const struct fake_database *database, const struct decision_row *decision,
                     const struct resource_row *resource)
{
    if (decision->first)
        return decision->resource_no == resource->no;
    if (decision->booking_no == 0)
        return decision->resource && strcmp(decision->resource, resource->id) == 0;
    const struct booking_row *booking = fake_booking(database, decision->booking_no);
    return booking && booking->resource_no == resource->no;
}

/* Its seq and its times stay. */
static void forget_decision(struct decision_row *row)
{
    *row = (struct decision_row){.seq = row->seq,
                                 .source_offset = row->source_offset,
                                 .decided_ms = row->decided_ms,
                                 .appended_ms = row->appended_ms};
}

static void delete_bookings(struct fake_database *database, int64_t resource_no)
{
    for (uint32_t i = database->allocation_count; i-- > 0;)
        if (pool_of(database, database->allocations[i].pool)->resource_no == resource_no)
            database->allocations[i] = database->allocations[--database->allocation_count];
    for (uint32_t i = database->booking_count; i-- > 0;)
        if (database->bookings[i].resource_no == resource_no)
            database->bookings[i] = database->bookings[--database->booking_count];
}

static void delete_resource(struct fake_database *database, struct fake_resource *resource)
{
    free(resource->pools);
    uint32_t at = (uint32_t)(resource - database->resources);
    memmove(resource, resource + 1, (--database->resource_count - at) * sizeof *resource);
    database->last_pool = 0;
    for (uint32_t i = 0; i < database->resource_count; i++)
        for (uint32_t j = 0; j < database->resources[i].pool_count; j++)
            note_pool(database, database->resources[i].pools[j].no);
}

bool fake_database_prune(struct fake_database *database, int64_t no, int64_t published_seq)
{
    struct fake_resource *resource = fake_resource(database, no);
    if (!resource || may_change(database, &resource->row))
        return false;
    for (uint32_t i = 0; i < database->decision_count; i++) {
        const struct decision_row *row = &database->decisions[i];
        if (row->seq > published_seq && row->resource &&
            (row->resource_no == no || strcmp(row->resource, resource->row.id) == 0))
            return false;
    }
    for (uint32_t i = 0; i < database->decision_count; i++)
        if (is_about(database, &database->decisions[i], &resource->row))
            forget_decision(&database->decisions[i]);
    delete_bookings(database, no);
    delete_resource(database, resource);
    return true;
}

/* ---- checking ---- */

static void check_capacity(const struct fake_database *database, const struct pool_row *pool)
{
    uint32_t taken = unit_counts_sum(pool->taken);
    for (uint32_t i = 0; i < database->allocation_count; i++)
        taken += database->allocations[i].pool == pool->no;
    assert(pool->over == (taken > pool->capacity ? taken - pool->capacity : 0));
}

/* Asserts that the units of a line are allocated to its booking; returns how many. */
static uint32_t check_line(const struct fake_database *database, const struct pool_row *pool,
                           const struct line *line, int64_t booking)
{
    for (uint32_t i = 0; i < line->unit_count; i++) {
        const struct allocation_row *allocation = allocation_of(database, pool->no, line->units[i]);
        assert(allocation && allocation->booking == booking);
    }
    return line->unit_count;
}

/* Takes the units of a booking off the counters, and returns how many others it possesses. */
static uint32_t check_units(const struct fake_database *database, const struct booking_row *row,
                            struct unit_counts *const *counters)
{
    uint32_t allocated = 0;
    struct content *content = lines_read(row->lines, row->lines_size);
    const struct fake_resource *resource = fake_resource(database, row->resource_no);
    assert(content && resource);
    for (uint32_t i = 0; booking_state_owns_units(row->state) && i < content->line_count; i++) {
        const struct line *line = &content->lines[i];
        const struct pool_row *pool = &resource->pools[line->pool];
        if (kind_is_counted(pool->kind))
            *unit_counts_in(&counters[resource - database->resources][line->pool], row->state) -=
                line->unit_count;
        else
            allocated += check_line(database, pool, line, row->no);
    }
    free(content);
    return allocated;
}

static struct unit_counts *counters_of(const struct fake_resource *resource)
{
    struct unit_counts *counters = calloc(resource->pool_count + 1, sizeof *counters);
    assert(counters);
    for (uint32_t i = 0; i < resource->pool_count; i++)
        counters[i] = resource->pools[i].taken;
    return counters;
}

static void check_pools(const struct fake_database *database, const struct fake_resource *resource,
                        const struct unit_counts *rest)
{
    for (uint32_t i = 0; i < resource->pool_count; i++) {
        assert(counts_equal(rest[i], (struct unit_counts){0}));
        check_counters(&resource->pools[i]);
        check_capacity(database, &resource->pools[i]);
    }
}

void fake_database_check(const struct fake_database *database)
{
    struct unit_counts **counters = calloc(database->resource_count + 1, sizeof *counters);
    uint32_t allocated = 0;
    assert(counters);
    for (uint32_t i = 0; i < database->resource_count; i++)
        counters[i] = counters_of(&database->resources[i]);
    for (uint32_t i = 0; i < database->booking_count; i++)
        allocated += check_units(database, &database->bookings[i], counters);
    assert(allocated == database->allocation_count);
    for (uint32_t i = 0; i < database->resource_count; i++) {
        check_pools(database, &database->resources[i], counters[i]);
        free(counters[i]);
    }
    free(counters);
}
