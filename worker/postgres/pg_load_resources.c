/*
 * Resources with their pools, the units taken of them and their waiting lists: one page of each of
 * them with all resources that fit into it, and of a larger one the rest, page by page.
 *
 * The pages are not of one snapshot, and need not be: nobody but the owner of a partition changes
 * its resources, a resource that it loads is not in its memory, so no batch in flight touches it,
 * and if the partition has another owner meanwhile, the guard refuses what is decided from this.
 */
#include "worker/postgres/pg_load_resources.h"

#include <stdlib.h>
#include <string.h>

#include "postgres_sql.h"
#include "worker/inventory/booking_lines.h"
#include "worker/postgres/pg_load_bookings.h"
#include "worker/postgres/pg_load_units.h"
#include "worker/postgres/pg_rows.h"

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
                             &reader->reading->result->rest.pool_room, sizeof *resource->pools);
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
                             &reader->reading->result->rest.waiting_room, sizeof *all);
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
    struct load_rest *rest = &reading->result->rest;
    *rest = (struct load_rest){0};
    if (complete > 0) {
        keep(&reader, complete);
        status = read_units(&reader, &complete, err);
    }
    keep(&reader, complete > 0 ? complete : 1);
    if (status == USHER_OK && complete > 0)
        return apply_claims(&reader, rows[CLAIMS], err);
    rest->pools = pools_at == 0;
    rest->waiting = waiting_at == 0;
    rest->units = rest->claims = true;
    return status;
}

/* ---- the rest of a resource that is larger than a page ---- */

static enum usher_status read_more_units(struct reader *reader, struct usher_error *err)
{
    uint32_t complete;
    enum usher_status status = read_units(reader, &complete, err);
    reader->reading->result->rest.units = status == USHER_OK && complete == 0;
    return status;
}

static enum usher_status read_more_waiting(struct reader *reader, const PGresult *rows,
                                           struct usher_error *err)
{
    return read_waiting(reader, rows, &reader->reading->result->rest.waiting, err);
}

static enum usher_status read_more_claims(struct reader *reader, const PGresult *rows,
                                          struct usher_error *err)
{
    struct load_rest *rest = &reader->reading->result->rest;
    rest->claims = pg_lookup_is_cut(rows, reader->reading->lists->limits.rows);
    if (rest->claims)
        rest->claims_after = number_in(rows, PQntuples(rows) - 1, "no");
    return apply_claims(reader, rows, err);
}

/* Units need their pools; claims come last: they say in which state the units are. */
enum usher_status pg_load_resource_page(const struct pg_lookup_reading *reading,
                                        struct usher_error *err)
{
    struct reader reader = {reading, reading->result->resources, 1, 0};
    const struct loaded_resource *resource = &reader.resources[0];
    struct load_rest *rest = &reading->result->rest;
    if (rest->units && !rest->pools)
        return read_more_units(&reader, err);
    uint32_t statement = rest->pools ? POOLS : rest->waiting ? WAITING : CLAIMS;
    int64_t after = rest->pools     ? (int64_t)resource->pool_count - 1
                    : rest->waiting ? resource->waiting[resource->waiting_count - 1].no
                                    : rest->claims_after;
    PGresult *rows;
    enum usher_status status = ask_page(reading, statement, resource->row.no, after, &rows, err);
    if (status == USHER_OK)
        status = rest->pools     ? read_pools(&reader, rows, &rest->pools, err)
                 : rest->waiting ? read_more_waiting(&reader, rows, err)
                                 : read_more_claims(&reader, rows, err);
    PQclear(rows);
    return status;
}

const struct pg_lookup pg_load_resources = {statements, SENT_COUNT, 1, fill, read};
