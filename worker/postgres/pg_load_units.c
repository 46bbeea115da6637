/*
 * Pools that were defined together have numbers that follow each other, and are read as one range:
 * what is not taken costs nothing. How many units a page may have is told from the capacities;
 * where it ends, from what came.
 */
#include "worker/postgres/pg_load_units.h"

#include <inttypes.h>
#include <stdlib.h>

#include "producer/base/allocate.h"
#include "worker/postgres/pg_value.h"

/* A pool among those of the resources, and a unit of it. */
struct place {
    uint32_t resource, pool;
    int32_t unit;
};

struct page {
    const struct pg_lookup_reading *reading;
    struct loaded_resource *resources;
    uint32_t count;
    struct place at; /* up to here it is known what is taken */
};

/* ---- places ---- */

/* The pool of a place, or the first one behind it; NULL: all lie before it. */
static const struct pool_row *pool_at(const struct page *page, struct place *at)
{
    while (at->resource < page->count && at->pool >= page->resources[at->resource].pool_count)
        *at = (struct place){.resource = at->resource + 1};
    return at->resource < page->count ? &page->resources[at->resource].pools[at->pool] : NULL;
}

static void step(struct place *at)
{
    at->pool++;
    at->unit = 0;
}

/* Moves on to a pool. False: it does not follow. */
static bool seek(const struct page *page, struct place *at, int64_t no)
{
    const struct pool_row *pool;
    while ((pool = pool_at(page, at)) && pool->no != no)
        step(at);
    return pool;
}

/* ---- what is asked ---- */

/* A range of pools, of the first one from a unit on. */
struct range {
    int64_t first, last;
    int32_t unit;
    bool is_open;
};

static void add_range(struct pg_lookup_lists *lists, struct range *range)
{
    if (range->is_open) {
        pg_array_int8(&lists->lists[0], range->first);
        pg_array_int4(&lists->lists[1], range->unit);
        pg_array_int8(&lists->lists[2], range->last);
    }
    range->is_open = false;
}

/* How many numbers a pool may have in a page. */
static uint32_t numbers_of(const struct pool_row *pool, uint32_t limit)
{
    uint32_t capacity = kind_is_counted(pool->kind) ? 0 : (uint32_t)pool->capacity;
    return capacity < limit ? capacity : limit;
}

/* Fills the lists with ranges from `page->at` on; the page ends with the pool that passes the
 * limit. Returns where it ends; `*asks`: there is something to ask for. */
static struct place fill_ranges(const struct page *page, bool *asks)
{
    struct pg_lookup_lists *lists = page->reading->lists;
    const uint32_t limit = lists->limits.units;
    struct range range = {.is_open = false};
    struct place at = page->at;
    uint64_t numbers = 0;
    pg_array_begin(&lists->lists[0], PG_TYPE_INT8);
    pg_array_begin(&lists->lists[1], PG_TYPE_INT4);
    pg_array_begin(&lists->lists[2], PG_TYPE_INT8);
    for (const struct pool_row *pool; (pool = pool_at(page, &at)); step(&at)) {
        uint32_t more = numbers_of(pool, limit);
        if (more > 0 && numbers >= limit)
            break;
        if (more > 0 && !(range.is_open && pool->no == range.last + 1)) {
            add_range(lists, &range);
            range = (struct range){.first = pool->no, .unit = at.unit, .is_open = true};
        }
        if (more > 0)
            range.last = pool->no;
        numbers += more;
    }
    add_range(lists, &range);
    *asks = numbers > 0;
    return at;
}

static enum usher_status ask(const struct page *page, const char *statement, PGresult **rows,
                             struct usher_error *err)
{
    struct pg_params params = {0};
    struct pg_lookup_lists *lists = page->reading->lists;
    for (int i = 0; i < 3; i++)
        pg_params_array(&params, &lists->lists[i]);
    pg_params_int8(&params, lists->limits.units);
    return pg_lookup_ask(page->reading, statement, &params, rows, err);
}

/* ---- what came ---- */

enum {
    COLUMN_ORD,
    COLUMN_POOL,
    COLUMN_UNITS,
};

static struct pg_row row_at(const struct page *page, const PGresult *rows, int row, int column)
{
    struct pg_row at = pg_row_of(rows, row, page->reading->arena);
    at.column = column;
    return at;
}

static int64_t pool_of(const struct page *page, const PGresult *rows, int row)
{
    struct pg_row at = row_at(page, rows, row, COLUMN_POOL);
    return pg_row_int8(&at, 0);
}

static uint32_t unit_count(const struct page *page, const PGresult *rows, int row)
{
    struct pg_row at = row_at(page, rows, row, COLUMN_UNITS);
    return pg_row_int4_count(&at);
}

/* Counts the rows up to the end of the first range that has as many units as one may have:
 * behind them more may be missing. `*cut`: there is such a range. */
static int count_known(const struct page *page, const PGresult *rows, bool *cut)
{
    int32_t ord = 0;
    uint32_t units = 0;
    int row = 0;
    *cut = false;
    for (; row < PQntuples(rows) && !*cut; row++) {
        struct pg_row at = row_at(page, rows, row, COLUMN_ORD);
        int32_t of = pg_row_int4(&at, 0);
        units = (of == ord ? units : 0) + unit_count(page, rows, row);
        ord = of;
        *cut = units >= page->reading->lists->limits.units;
    }
    return row;
}

/* Adds the units of a row to those of its resource, which has room for them. */
static void add_units(struct page *page, const PGresult *rows, int row, int32_t *numbers)
{
    struct loaded_resource *resource = &page->resources[page->at.resource];
    struct pg_row at = row_at(page, rows, row, COLUMN_UNITS);
    uint32_t count = pg_row_int4_count(&at);
    pg_row_int4s(&at, numbers);
    for (uint32_t i = 0; i < count; i++)
        resource->units[resource->unit_count++] = (struct loaded_unit){
            resource->pools[page->at.pool].index, numbers[i], BOOKING_CONFIRMED};
}

/* Makes room for the units of the next rows, as far as they are of the resource that the page is
 * at. Returns the row behind them. */
static int make_room(const struct page *page, const PGresult *rows, int first, int end,
                     uint32_t *most)
{
    struct place at = page->at;
    struct loaded_resource *resource = &page->resources[at.resource];
    uint32_t more = 0, room = 0;
    int row = first;
    for (;
         row < end && seek(page, &at, pool_of(page, rows, row)) && at.resource == page->at.resource;
         row++) {
        uint32_t count = unit_count(page, rows, row);
        *most = count > *most ? count : *most;
        more += count;
    }
    uint32_t *room_of = page->at.resource == 0 ? &page->reading->result->rest.unit_room : &room;
    resource->units = pg_lookup_extend(page->reading->arena, resource->units, resource->unit_count,
                                       more, room_of, sizeof *resource->units);
    return row;
}

static enum usher_status read_rows(struct page *page, const PGresult *rows, int count,
                                   struct usher_error *err)
{
    for (int row = 0; row < count;) {
        uint32_t most = 0;
        if (!seek(page, &page->at, pool_of(page, rows, row))) {
            usher_error_set(err, USHER_EXIT_BUG,
                            "could not load the units of pool %" PRId64 ": it was not asked for",
                            pool_of(page, rows, row));
            return USHER_HALT;
        }
        int end = make_room(page, rows, row, count, &most);
        int32_t *numbers = memory_calloc(most + 1, sizeof *numbers);
        for (; row < end && seek(page, &page->at, pool_of(page, rows, row)); row++)
            add_units(page, rows, row, numbers);
        free(numbers);
    }
    return USHER_OK;
}

/* The page ends at `end`, unless more is missing of its last range. */
static enum usher_status read(struct page *page, const PGresult *rows, const struct place *end,
                              struct usher_error *err)
{
    bool cut;
    enum usher_status status = read_rows(page, rows, count_known(page, rows, &cut), err);
    if (status != USHER_OK)
        return status;
    if (cut) {
        const struct loaded_resource *resource = &page->resources[page->at.resource];
        page->at.unit = resource->units[resource->unit_count - 1].unit;
        if (page->at.unit == INT32_MAX)
            step(&page->at);
        else
            page->at.unit++;
    } else {
        page->at = *end;
    }
    return USHER_OK;
}

enum usher_status pg_load_units(const struct pg_lookup_reading *reading, const char *statement,
                                struct loaded_resource *resources, uint32_t count,
                                uint32_t *complete, struct usher_error *err)
{
    bool asks;
    PGresult *rows = NULL;
    struct load_rest *rest = &reading->result->rest;
    struct page page = {reading, resources, count, {0, rest->unit_pool, rest->unit_from}};
    const struct place end = fill_ranges(&page, &asks);
    enum usher_status status = asks ? ask(&page, statement, &rows, err) : USHER_OK;
    if (status == USHER_OK)
        status = read(&page, rows, &end, err);
    PQclear(rows);
    rest->unit_pool = page.at.pool;
    rest->unit_from = page.at.unit;
    *complete = page.at.resource;
    return status;
}
