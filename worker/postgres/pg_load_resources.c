/* The look-ups of resources, and of the units, bookings, charts and work that belong to them. */
#include "worker/postgres/pg_load_resources.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "postgres_sql.h"
#include "producer/base/allocate.h"
#include "worker/inventory/booking_lines.h"
#include "worker/postgres/pg_rows.h"
#include "worker/postgres/pg_value.h"

/*
 * ==== Units ====
 *
 * The numbered units that are taken of the pools of resources, page by page.
 */

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
        pg_array_int8(&lists->lists[0], PG_TYPE_INT8, range->first);
        pg_array_int4(&lists->lists[1], PG_TYPE_INT4, range->unit);
        pg_array_int8(&lists->lists[2], PG_TYPE_INT8, range->last);
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
    uint32_t *room_of = page->at.resource == 0 ? &page->reading->result->cursor.unit_room : &room;
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
                            "could not load the units of pool %" PRId64 ": not requested",
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
static enum usher_status read_page(struct page *page, const PGresult *rows, const struct place *end,
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

/*
 * Asks the prepared `statement` (load.sql: units) for a page of the units of `count` resources,
 * which have all of their pools, and adds them to these, as sold ones. It begins where the rest of
 * the result says. `*complete`: so many of the resources have all units now; if the first has not,
 * the rest says where its next page begins. HALT: there are units of a pool that was not asked for.
 */
static enum usher_status pg_load_units(const struct pg_lookup_reading *reading,
                                       const char *statement, struct loaded_resource *resources,
                                       uint32_t count, uint32_t *complete, struct usher_error *err)
{
    bool asks;
    PGresult *rows = NULL;
    struct load_cursor *cursor = &reading->result->cursor;
    struct page page = {reading, resources, count, {0, cursor->unit_pool, cursor->unit_from}};
    const struct place end = fill_ranges(&page, &asks);
    enum usher_status status = asks ? ask(&page, statement, &rows, err) : USHER_OK;
    if (status == USHER_OK)
        status = read_page(&page, rows, &end, err);
    PQclear(rows);
    cursor->unit_pool = page.at.pool;
    cursor->unit_from = page.at.unit;
    *complete = page.at.resource;
    return status;
}

/* ==== Bookings ==== */

/* Reads all bookings of a result into the arena. NULL: HALT, as pg_rows_read_all. */
static struct booking_row *pg_load_read_bookings(const PGresult *result, struct usher_arena *arena,
                                                 uint32_t *count, struct usher_error *err)
{
    struct booking_row *bookings = pg_rows_read_all(result, PG_ROW_BOOKING, arena, count, err);
    for (uint32_t i = 0; bookings && i < *count; i++)
        bookings[i].from = bookings[i].state;
    return bookings;
}

/* ---- by request id ---- */

static bool fill_firsts(struct pg_lookup_lists *lists, const struct load_request *request,
                        uint32_t statement, struct pg_params *params)
{
    (void)statement;
    if (request->id_count > 0)
        pg_lookup_fill_keys(lists, request->ids, request->id_count, params);
    pg_params_int8(params, lists->limits.bytes);
    return request->id_count > 0;
}

static enum usher_status read_firsts(const struct pg_lookup_reading *reading, PGresult *const *rows,
                                     struct usher_error *err)
{
    struct load_result *result = reading->result;
    result->firsts =
        pg_rows_read_all(rows[0], PG_ROW_DECISION, reading->arena, &result->first_count, err);
    result->ids_served = pg_lookup_served(rows[0], reading->request->id_count);
    return result->firsts ? USHER_OK : USHER_HALT;
}

static bool fill_named(struct pg_lookup_lists *lists, const struct load_request *request,
                       uint32_t statement, struct pg_params *params)
{
    (void)statement;
    if (request->booking_count > 0)
        pg_lookup_fill_keys(lists, request->bookings, request->booking_count, params);
    pg_params_int8(params, lists->limits.bytes);
    return request->booking_count > 0;
}

static enum usher_status read_named(const struct pg_lookup_reading *reading, PGresult *const *rows,
                                    struct usher_error *err)
{
    struct load_result *result = reading->result;
    result->bookings = pg_load_read_bookings(rows[0], reading->arena, &result->booking_count, err);
    result->bookings_served = pg_lookup_served(rows[0], reading->request->booking_count);
    return result->bookings ? USHER_OK : USHER_HALT;
}

/* ---- by cart ---- */

static bool fill_carts(struct pg_lookup_lists *lists, const struct load_request *request,
                       uint32_t statement, struct pg_params *params)
{
    (void)statement;
    struct pg_array *resources = &lists->lists[0];
    struct pg_array *customers = &lists->lists[1];
    struct pg_array *carts = &lists->lists[2];
    pg_array_begin(resources, PG_TYPE_TEXT);
    pg_array_begin(customers, PG_TYPE_TEXT);
    pg_array_begin(carts, PG_TYPE_TEXT);
    for (uint32_t i = 0; i < request->cart_count; i++) {
        pg_array_text(resources, request->carts[i].resource);
        pg_array_text(customers, request->carts[i].customer);
        pg_array_text(carts, request->carts[i].cart);
    }
    pg_params_array(params, resources);
    pg_params_array(params, customers);
    pg_params_array(params, carts);
    pg_params_int4(params, lists->partition);
    pg_params_int8(params, lists->limits.bytes);
    return request->cart_count > 0;
}

static enum usher_status read_carts(const struct pg_lookup_reading *reading, PGresult *const *rows,
                                    struct usher_error *err)
{
    struct load_result *result = reading->result;
    result->of_carts = pg_load_read_bookings(rows[0], reading->arena, &result->of_cart_count, err);
    result->carts_served = pg_lookup_served(rows[0], reading->request->cart_count);
    return result->of_carts ? USHER_OK : USHER_HALT;
}

/* ---- by their resource ---- */

enum {
    OWNERS = 0, /* the statements */
    OWNERS_END,

    LEAST_PAGE = 16 /* of owners and of what is due: fewer at once would not be quicker */
};

static bool fill_owners(struct pg_lookup_lists *lists, const struct load_request *request,
                        uint32_t statement, struct pg_params *params)
{
    const struct load_owners *owners = &request->owners;
    pg_params_int8(params, owners->resource_no);
    pg_params_uuid(params, owners->after);
    pg_params_int8(params, pg_lookup_shrunk(owners->limit, request->halvings, LEAST_PAGE));
    if (statement == OWNERS)
        pg_params_int8(params, lists->limits.bytes);
    return owners->resource_no != 0;
}

/* They end where the bookings were cut for their size, else with the last id that was looked at. */
static enum usher_status read_owners(const struct pg_lookup_reading *reading, PGresult *const *rows,
                                     struct usher_error *err)
{
    struct load_result *result = reading->result;
    bool is_cut = pg_lookup_is_cut(rows[OWNERS], 0);
    const PGresult *end = rows[is_cut ? OWNERS : OWNERS_END];
    result->owners = pg_load_read_bookings(rows[OWNERS], reading->arena, &result->owner_count, err);
    result->owners_remain = PQntuples(end) > 0;
    if (result->owners_remain) {
        struct pg_row row = pg_row_of(end, PQntuples(end) - 1, reading->arena);
        row.column = PQfnumber(end, "id_hash");
        pg_row_uuid(&row, result->owners_end);
    }
    return result->owners ? USHER_OK : USHER_HALT;
}

/* ---- by the time at which they expire ---- */

static uint32_t due_limit(const struct load_request *request)
{
    return (uint32_t)pg_lookup_shrunk(request->due_limit, request->halvings, LEAST_PAGE);
}

static bool fill_due(struct pg_lookup_lists *lists, const struct load_request *request,
                     uint32_t statement, struct pg_params *params)
{
    (void)statement;
    pg_params_int4(params, lists->partition);
    pg_params_timestamp(params, request->due_after_ms, USHER_ABSENT);
    pg_params_int8(params, request->due_after_no);
    pg_params_timestamp(params, request->due_until_ms, USHER_ABSENT);
    pg_params_int8(params, due_limit(request));
    pg_params_int8(params, lists->limits.bytes);
    return request->due;
}

static enum usher_status read_due(const struct pg_lookup_reading *reading, PGresult *const *rows,
                                  struct usher_error *err)
{
    struct load_result *result = reading->result;
    result->due = pg_load_read_bookings(rows[0], reading->arena, &result->due_count, err);
    result->due_remain = pg_lookup_is_cut(rows[0], due_limit(reading->request));
    return result->due ? USHER_OK : USHER_HALT;
}

/* ---- the look-ups ---- */

static const struct pg_statement firsts_statement = {"ids", load_firsts_sql};

static const struct pg_statement named_statement = {"bookings", load_bookings_sql};

static const struct pg_statement carts_statement = {"carts", load_carts_sql};

static const struct pg_statement owners_statements[] = {
    {"owners", load_owners_sql},
    {"owners_end", load_owners_end_sql},
};

static const struct pg_statement due_statement = {"due", load_due_sql};

const struct pg_lookup pg_load_firsts = {&firsts_statement, 1, 0, fill_firsts, read_firsts};

const struct pg_lookup pg_load_bookings = {&named_statement, 1, 0, fill_named, read_named};

const struct pg_lookup pg_load_carts = {&carts_statement, 1, 0, fill_carts, read_carts};

const struct pg_lookup pg_load_owners = {owners_statements, 2, 0, fill_owners, read_owners};

const struct pg_lookup pg_load_due = {&due_statement, 1, 0, fill_due, read_due};

/* ==== Resources ==== */

/* The statements, in the order in which they are sent; the last one is asked page by page only. */
enum {
    RESOURCES,
    POOLS,
    CLAIMS,
    WAITING,
    UNITS,
    SENT_COUNT = UNITS
};

static const struct pg_statement statements[] = {
    [RESOURCES] = {"resources", load_resources_sql},
    [POOLS] = {"pools", load_pools_sql},
    [CLAIMS] = {"claims", load_claims_sql},
    [WAITING] = {"waiting", load_waiting_sql},
    [UNITS] = {"units", load_units_sql}, /* pg_load_units */
};

/* ---- parameters ---- */

/* What one statement is asked for: the page behind `after`, an index or a number of a booking. */
static void fill_page(struct pg_lookup_lists *lists, uint32_t statement, int64_t after,
                      struct pg_params *params)
{
    const struct pg_load_limits *limits = &lists->limits;
    pg_params_int4(params, lists->partition);
    if (statement == POOLS)
        pg_params_int4(params, (int32_t)after);
    else if (statement != RESOURCES)
        pg_params_int8(params, after);
    if (statement != RESOURCES)
        pg_params_int8(params, limits->rows);
    if (statement != POOLS)
        pg_params_int8(params, limits->bytes);
}

static bool fill(struct pg_lookup_lists *lists, const struct load_request *request,
                 uint32_t statement, struct pg_params *params)
{
    struct pg_array *ids = &lists->lists[0];
    pg_array_begin(ids, PG_TYPE_TEXT);
    for (uint32_t i = 0; i < request->resource_count; i++)
        pg_array_text(ids, request->resources[i]);
    pg_params_array(params, ids);
    pg_lookup_fill_numbers(&lists->lists[1], request->resource_nos, request->resource_no_count,
                           params);
    fill_page(lists, statement, statement == POOLS ? -1 : 0, params);
    return request->resource_count > 0 || request->resource_no_count > 0;
}

/* Asks for the next page of one resource. */
static enum usher_status ask_page(const struct pg_lookup_reading *reading, uint32_t statement,
                                  int64_t resource_no, int64_t after, PGresult **rows,
                                  struct usher_error *err)
{
    struct pg_params params = {0};
    struct pg_array *ids = &reading->lists->lists[0];
    pg_array_begin(ids, PG_TYPE_TEXT);
    pg_params_array(&params, ids);
    pg_lookup_fill_numbers(&reading->lists->lists[1], &resource_no, 1, &params);
    fill_page(reading->lists, statement, after, &params);
    return pg_lookup_ask(reading, statements[statement].name, &params, rows, err);
}

/* ---- results ---- */

/* The resources that are read, and the one that the last row read belongs to. */
struct reader {
    const struct pg_lookup_reading *reading;
    struct loaded_resource *resources;
    uint32_t count, at;
};

/* Moves on to a resource; rows come in the order of resources. NULL: it is left for another load.
 */
static struct loaded_resource *find(struct reader *reader, int64_t no)
{
    while (reader->at < reader->count && reader->resources[reader->at].row.no != no)
        reader->at++;
    return reader->at < reader->count ? &reader->resources[reader->at] : NULL;
}

/* The content of the chart is in a column beside those of the resource. */
static enum usher_status read_resources(const struct pg_lookup_reading *reading,
                                        const PGresult *rows, struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    struct load_result *result = reading->result;
    struct pg_rows of = pg_rows_of(rows, PG_ROW_RESOURCE, reading->arena);
    result->resource_count = (uint32_t)PQntuples(rows);
    result->resources =
        usher_arena_alloc(reading->arena, result->resource_count * sizeof *result->resources);
    for (uint32_t i = 0; i < result->resource_count && status == USHER_OK; i++) {
        struct loaded_resource *resource = &result->resources[i];
        struct pg_row row = pg_row_of(rows, (int)i, reading->arena);

        status = pg_rows_read(&of, (int)i, &resource->row, err);
        row.column = PQfnumber(rows, "ord");
        resource->asked = (uint32_t)pg_row_int4(&row, 0) - 1;
        row.column = PQfnumber(rows, "content");
        resource->chart.name = resource->row.chart;
        resource->chart.content = pg_row_text(&row, &resource->chart.content_size);
    }
    return status;
}

static enum usher_status gap(const struct loaded_resource *resource, const struct pool_row *pool,
                             struct usher_error *err)
{
    usher_error_set(err, USHER_EXIT_BUG,
                    "could not load resource \"%s\": its pools have a gap at \"%s\"",
                    resource->row.id, pool->name);
    return USHER_HALT;
}

/* ---- pools ---- */

/* Adds the pools of one resource from `first` on to it; returns the row behind them, or -1: HALT.
 */
static int add_pools(const struct reader *reader, struct loaded_resource *resource,
                     struct pool_row *pools, int first, int count, struct usher_error *err)
{
    int end = first;
    uint32_t had = resource->pool_count;
    while (end < count && pools[end].resource_no == resource->row.no) {
        if (pools[end].index != resource->pool_count++) {
            (void)gap(resource, &pools[end], err);
            return -1;
        }
        end++;
    }
    uint32_t more = (uint32_t)(end - first);
    if (had == 0) {
        resource->pools = &pools[first];
    } else {
        resource->pools =
            pg_lookup_extend(reader->reading->arena, resource->pools, had, more,
                             &reader->reading->result->cursor.pool_room, sizeof *resource->pools);
        memcpy(resource->pools + had, pools + first, more * sizeof *pools);
    }
    return end;
}

/* Takes in a page of pools. `*full`: there may be more of the last resource, and of others. */
static enum usher_status read_pools(struct reader *reader, const PGresult *rows, bool *full,
                                    struct usher_error *err)
{
    uint32_t count;
    struct pool_row *pools =
        pg_rows_read_all(rows, PG_ROW_POOL, reader->reading->arena, &count, err);
    if (!pools)
        return USHER_HALT;
    *full = count == reader->reading->lists->limits.rows;
    for (int i = 0; i < (int)count;) {
        struct loaded_resource *resource = find(reader, pools[i].resource_no);
        if (!resource)
            break;
        i = add_pools(reader, resource, pools, i, (int)count, err);
        if (i < 0)
            return USHER_HALT;
    }
    return USHER_OK;
}

/* ---- claims: bookings that hold or block units ---- */

static int compare_units(const void *left, const void *right)
{
    const struct loaded_unit *a = left, *b = right;
    if (a->pool != b->pool)
        return a->pool < b->pool ? -1 : 1;
    return (a->unit > b->unit) - (a->unit < b->unit);
}

/* What is not allocated has no claim on it, and what was counted has no numbers. */
static void set_states(struct loaded_resource *resource, const struct line *line,
                       enum booking_state state)
{
    for (uint32_t i = 0; line->units && i < line->unit_count && resource->unit_count > 0; i++) {
        const struct loaded_unit key = {.pool = line->pool, .unit = line->units[i]};
        struct loaded_unit *unit =
            bsearch(&key, resource->units, resource->unit_count, sizeof key, compare_units);
        if (unit)
            unit->state = state;
    }
}

static bool apply_claim(struct loaded_resource *resource, const PGresult *rows, int row)
{
    const char *state = PQgetvalue(rows, row, PQfnumber(rows, "state"));
    int lines = PQfnumber(rows, "lines");
    struct content *content =
        lines_read(PQgetvalue(rows, row, lines), (size_t)PQgetlength(rows, row, lines));
    for (uint32_t i = 0; content && i < content->line_count; i++)
        set_states(resource, &content->lines[i],
                   strcmp(state, "held") == 0 ? BOOKING_HELD : BOOKING_BLOCKED);
    free(content);
    return content;
}

static int64_t number_in(const PGresult *rows, int row, const char *column)
{
    struct pg_row at = pg_row_of(rows, row, NULL);
    at.column = PQfnumber(rows, column);
    return pg_row_int8(&at, 0);
}

/* `resources` have all of their units. */
static enum usher_status apply_claims(struct reader *reader, const PGresult *rows,
                                      struct usher_error *err)
{
    reader->at = 0;
    for (int i = 0; i < PQntuples(rows); i++) {
        struct loaded_resource *resource = find(reader, number_in(rows, i, "resource_no"));
        if (!resource)
            return USHER_OK;
        if (!apply_claim(resource, rows, i)) {
            usher_error_set(err, USHER_EXIT_BUG,
                            "could not load booking %lld: its lines cannot be read",
                            (long long)number_in(rows, i, "no"));
            return USHER_HALT;
        }
    }
    return USHER_OK;
}

/* ---- the waiting list ---- */

/* They come in the order of resources and numbers. */
static enum usher_status read_waiting(struct reader *reader, const PGresult *rows, bool *full,
                                      struct usher_error *err)
{
    uint32_t count;
    struct usher_arena *arena = reader->reading->arena;
    struct booking_row *parties = pg_load_read_bookings(rows, arena, &count, err);
    if (!parties)
        return USHER_HALT;
    *full = pg_lookup_is_cut(rows, reader->reading->lists->limits.rows);
    reader->at = 0;
    for (uint32_t i = 0, end; i < count; i = end) {
        struct loaded_resource *resource = find(reader, parties[i].resource_no);
        for (end = i; end < count && parties[end].resource_no == parties[i].resource_no;)
            end++;
        if (!resource)
            break;
        struct booking_row *all =
            pg_lookup_extend(arena, resource->waiting, resource->waiting_count, end - i,
                             &reader->reading->result->cursor.waiting_room, sizeof *all);
        memcpy(all + resource->waiting_count, parties + i, (end - i) * sizeof *all);
        resource->waiting = all;
        resource->waiting_count += end - i;
    }
    return USHER_OK;
}

/* ---- all of it ---- */

/* The place of the resource that a page broke off in: it and those behind it are not complete. */
static uint32_t broken_at(struct reader *reader, const PGresult *rows, bool full)
{
    reader->at = 0;
    if (full)
        (void)find(reader, number_in(rows, PQntuples(rows) - 1, "resource_no"));
    return full ? reader->at : reader->count;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Leaves those behind the first `count` for another load. */
static void keep(struct reader *reader, uint32_t count)
{
    struct load_result *result = reader->reading->result;
    if (count < reader->count)
        result->resources_served = reader->resources[count].asked;
    result->resource_count = reader->count = count;
}

/* Of resources whose pools are all there. `*complete`: so many of them have all units now. */
static enum usher_status read_units(const struct reader *reader, uint32_t *complete,
                                    struct usher_error *err)
{
    return pg_load_units(reader->reading, statements[UNITS].name, reader->resources, reader->count,
                         complete, err);
}

static enum usher_status read(const struct pg_lookup_reading *reading, PGresult *const *rows,
                              struct usher_error *err)
{
    const struct load_request *request = reading->request;
    enum usher_status status = read_resources(reading, rows[RESOURCES], err);
    struct reader reader = {reading, reading->result->resources, reading->result->resource_count,
                            0};
    reading->result->resources_served =
        pg_lookup_served(rows[RESOURCES], request->resource_count + request->resource_no_count);
    bool pools = false, waiting = false;
    bool claims = pg_lookup_is_cut(rows[CLAIMS], reading->lists->limits.rows);
    if (status == USHER_OK)
        status = read_pools(&reader, rows[POOLS], &pools, err);
    if (status == USHER_OK)
        status = read_waiting(&reader, rows[WAITING], &waiting, err);
    if (status != USHER_OK || reader.count == 0)
        return status;
    uint32_t pools_at = broken_at(&reader, rows[POOLS], pools);
    uint32_t claims_at = broken_at(&reader, rows[CLAIMS], claims);
    uint32_t waiting_at = broken_at(&reader, rows[WAITING], waiting);
    uint32_t complete = least(pools_at, least(claims_at, waiting_at));
    struct load_cursor *cursor = &reading->result->cursor;
    *cursor = (struct load_cursor){0};
    if (complete > 0) {
        keep(&reader, complete);
        status = read_units(&reader, &complete, err);
    }
    keep(&reader, complete > 0 ? complete : 1);
    if (status == USHER_OK && complete > 0)
        return apply_claims(&reader, rows[CLAIMS], err);
    cursor->pools = pools_at == 0;
    cursor->waiting = waiting_at == 0;
    cursor->units = cursor->claims = true;
    return status;
}

/* ---- the rest of a resource that is larger than a page ---- */

static enum usher_status read_more_units(struct reader *reader, struct usher_error *err)
{
    uint32_t complete;
    enum usher_status status = read_units(reader, &complete, err);
    reader->reading->result->cursor.units = status == USHER_OK && complete == 0;
    return status;
}

static enum usher_status read_more_waiting(struct reader *reader, const PGresult *rows,
                                           struct usher_error *err)
{
    return read_waiting(reader, rows, &reader->reading->result->cursor.waiting, err);
}

static enum usher_status read_more_claims(struct reader *reader, const PGresult *rows,
                                          struct usher_error *err)
{
    struct load_cursor *cursor = &reader->reading->result->cursor;
    cursor->claims = pg_lookup_is_cut(rows, reader->reading->lists->limits.rows);
    if (cursor->claims)
        cursor->claims_after = number_in(rows, PQntuples(rows) - 1, "no");
    return apply_claims(reader, rows, err);
}

/* Units need their pools; claims come last: they say in which state the units are. */
enum usher_status pg_load_resource_page(const struct pg_lookup_reading *reading,
                                        struct usher_error *err)
{
    struct reader reader = {reading, reading->result->resources, 1, 0};
    const struct loaded_resource *resource = &reader.resources[0];
    struct load_cursor *cursor = &reading->result->cursor;
    if (cursor->units && !cursor->pools)
        return read_more_units(&reader, err);
    uint32_t statement = cursor->pools ? POOLS : cursor->waiting ? WAITING : CLAIMS;
    int64_t after = cursor->pools     ? (int64_t)resource->pool_count - 1
                    : cursor->waiting ? resource->waiting[resource->waiting_count - 1].no
                                      : cursor->claims_after;
    PGresult *rows;
    enum usher_status status = ask_page(reading, statement, resource->row.no, after, &rows, err);
    if (status == USHER_OK)
        status = cursor->pools     ? read_pools(&reader, rows, &cursor->pools, err)
                 : cursor->waiting ? read_more_waiting(&reader, rows, err)
                                   : read_more_claims(&reader, rows, err);
    PQclear(rows);
    return status;
}

const struct pg_lookup pg_load_resources = {statements, SENT_COUNT, 1, fill, read};

/* ==== Charts and unfinished work ==== */

/* ---- charts ---- */

static bool fill_charts(struct pg_lookup_lists *lists, const struct load_request *request,
                        uint32_t statement, struct pg_params *params)
{
    (void)statement;
    struct pg_array *names = &lists->lists[0];
    pg_array_begin(names, PG_TYPE_TEXT);
    for (uint32_t i = 0; i < request->chart_count; i++)
        pg_array_text(names, request->charts[i]);
    pg_params_array(params, names);
    pg_params_int4(params, lists->partition);
    pg_params_int8(params, lists->limits.bytes);
    return request->chart_count > 0;
}

static enum usher_status read_charts(const struct pg_lookup_reading *reading, PGresult *const *rows,
                                     struct usher_error *err)
{
    struct load_result *result = reading->result;
    result->charts =
        pg_rows_read_all(rows[0], PG_ROW_CHART, reading->arena, &result->chart_count, err);
    result->charts_served = pg_lookup_served(rows[0], reading->request->chart_count);
    return result->charts ? USHER_OK : USHER_HALT;
}

/* ---- unfinished work ---- */

static bool fill_unfinished(struct pg_lookup_lists *lists, const struct load_request *request,
                            uint32_t statement, struct pg_params *params)
{
    (void)statement;
    pg_params_int4(params, lists->partition);
    pg_params_int8(params, request->unfinished_after_no);
    pg_params_int8(params, request->unfinished_limit);
    return request->unfinished_limit > 0;
}

static enum usher_status read_unfinished(const struct pg_lookup_reading *reading,
                                         PGresult *const *rows, struct usher_error *err)
{
    (void)err;
    struct load_result *result = reading->result;
    result->unfinished_count = (uint32_t)PQntuples(rows[0]);
    result->unfinished =
        usher_arena_alloc(reading->arena, result->unfinished_count * sizeof *result->unfinished);
    for (uint32_t i = 0; i < result->unfinished_count; i++) {
        struct pg_row row = pg_row_of(rows[0], (int)i, NULL);
        result->unfinished[i] = pg_row_int8(&row, 0);
    }
    return USHER_OK;
}

/* ---- the look-ups ---- */

static const struct pg_statement charts_statement = {"charts", load_charts_sql};

static const struct pg_statement unfinished_statement = {"unfinished", load_unfinished_sql};

const struct pg_lookup pg_load_charts = {&charts_statement, 1, 0, fill_charts, read_charts};

const struct pg_lookup pg_load_unfinished = {&unfinished_statement, 1, 0, fill_unfinished,
                                             read_unfinished};
