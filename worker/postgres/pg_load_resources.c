/*
 * Resources with their pools, the units taken of them and their waiting lists.
 */
#include "worker/postgres/pg_load_resources.h"

#include <assert.h>

#include "postgres_sql.h"
#include "worker/postgres/pg_load_bookings.h"
#include "worker/postgres/pg_rows.h"

/* A unit's state as load_units.sql numbers it. */
static const enum booking_state unit_states[] = {BOOKING_CONFIRMED, BOOKING_HELD, BOOKING_BLOCKED};

/* ---- parameters ---- */

static bool fill_resources(struct pg_lookup_lists *lists, const struct load_request *request,
                           struct pg_params *params)
{
    struct pg_array *ids = &lists->lists[0];
    pg_array_begin(ids, PG_TYPE_TEXT);
    for (uint32_t i = 0; i < request->resource_count; i++)
        pg_array_text(ids, request->resources[i]);
    pg_params_array(params, ids);
    pg_lookup_fill_numbers(&lists->lists[1], request->resource_nos, request->resource_no_count,
                           params);
    pg_params_int4(params, lists->partition);
    pg_params_bool(params, request->unfinished);
    return request->resource_count > 0 || request->resource_no_count > 0 || request->unfinished;
}

static bool fill_charts(struct pg_lookup_lists *lists, const struct load_request *request,
                        struct pg_params *params)
{
    struct pg_array *names = &lists->lists[0];
    pg_array_begin(names, PG_TYPE_TEXT);
    for (uint32_t i = 0; i < request->chart_count; i++)
        pg_array_text(names, request->charts[i]);
    pg_params_array(params, names);
    pg_params_int4(params, lists->partition);
    return request->chart_count > 0;
}

static bool fill_tallies(struct pg_lookup_lists *lists, const struct load_request *request,
                         struct pg_params *params)
{
    pg_lookup_fill_numbers(&lists->lists[0], request->tally_nos, request->tally_count, params);
    return request->tally_count > 0;
}

/* ---- results ---- */

static struct loaded_resource *find(struct load_result *result, int64_t no)
{
    uint32_t low = 0;
    uint32_t high = result->resource_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (result->resources[middle].row.no < no)
            low = middle + 1;
        else
            high = middle;
    }
    assert(low < result->resource_count && result->resources[low].row.no == no);
    return &result->resources[low];
}

/* The content of the chart is the last column. */
static enum usher_status read_resources(const PGresult *result, struct usher_arena *arena,
                                        struct load_result *loaded, struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    struct pg_rows rows = pg_rows_of(result, PG_ROW_RESOURCE, arena);
    loaded->resource_count = (uint32_t)PQntuples(result);
    loaded->resources =
        usher_arena_alloc(arena, loaded->resource_count * sizeof *loaded->resources);
    for (uint32_t i = 0; i < loaded->resource_count && status == USHER_OK; i++) {
        struct loaded_resource *resource = &loaded->resources[i];
        struct pg_row row = pg_row_of(result, (int)i, arena);

        status = pg_rows_read(&rows, (int)i, &resource->row, err);
        row.column = PQnfields(result) - 1;
        resource->chart.name = resource->row.chart;
        resource->chart.content = pg_row_text(&row, &resource->chart.content_size);
    }
    return status;
}

/* They come in the order of resources and indexes. */
static enum usher_status read_pools(const PGresult *rows, struct usher_arena *arena,
                                    struct load_result *result, struct usher_error *err)
{
    uint32_t count;
    struct pool_row *pools = pg_rows_read_all(rows, PG_ROW_POOL, arena, &count, err);
    if (!pools)
        return USHER_HALT;
    for (uint32_t i = 0; i < count; i++) {
        struct loaded_resource *resource = find(result, pools[i].resource_no);

        if (resource->pool_count == 0)
            resource->pools = &pools[i];
        if (pools[i].index != resource->pool_count++) {
            usher_error_set(err, USHER_EXIT_BUG,
                            "could not load resource \"%s\": its pools have a gap at \"%s\"",
                            resource->row.id, pools[i].name);
            return USHER_HALT;
        }
    }
    return USHER_OK;
}

static void read_units(const PGresult *rows, struct usher_arena *arena, struct load_result *result)
{
    int count = PQntuples(rows);
    for (int i = 0; i < count; i++) {
        struct pg_row row = pg_row_of(rows, i, arena);

        find(result, pg_row_int8(&row, 0))->unit_count++;
    }
    for (uint32_t i = 0; i < result->resource_count; i++) {
        struct loaded_resource *resource = &result->resources[i];

        resource->units = usher_arena_alloc(arena, resource->unit_count * sizeof *resource->units);
        resource->unit_count = 0;
    }
    for (int i = 0; i < count; i++) {
        struct pg_row row = pg_row_of(rows, i, arena);
        struct loaded_resource *resource = find(result, pg_row_int8(&row, 0));
        struct loaded_unit *unit = &resource->units[resource->unit_count++];

        unit->pool = (uint32_t)pg_row_int4(&row, 0);
        unit->unit = pg_row_int4(&row, 0);
        unit->state = unit_states[pg_row_int2(&row)];
    }
}

/* They come in the order of resources and numbers. */
static enum usher_status read_waiting(const PGresult *rows, struct usher_arena *arena,
                                      struct load_result *result, struct usher_error *err)
{
    uint32_t count;
    struct booking_row *parties = pg_load_read_bookings(rows, arena, &count, err);
    if (!parties)
        return USHER_HALT;
    for (uint32_t i = 0; i < count; i++) {
        struct loaded_resource *resource = find(result, parties[i].resource_no);

        if (resource->waiting_count++ == 0)
            resource->waiting = &parties[i];
    }
    return USHER_OK;
}

static enum usher_status read_all(PGresult *const *rows, struct usher_arena *arena,
                                  struct load_result *result, struct usher_error *err)
{
    enum usher_status status = read_resources(rows[0], arena, result, err);
    if (status == USHER_OK)
        status = read_pools(rows[1], arena, result, err);
    if (status == USHER_OK) {
        read_units(rows[2], arena, result);
        status = read_waiting(rows[3], arena, result, err);
    }
    return status;
}

static enum usher_status read_charts(PGresult *const *rows, struct usher_arena *arena,
                                     struct load_result *result, struct usher_error *err)
{
    result->charts = pg_rows_read_all(rows[0], PG_ROW_CHART, arena, &result->chart_count, err);
    return result->charts ? USHER_OK : USHER_HALT;
}

static enum usher_status read_tallies(PGresult *const *rows, struct usher_arena *arena,
                                      struct load_result *result, struct usher_error *err)
{
    (void)err;
    result->tally_count = (uint32_t)PQntuples(rows[0]);
    result->tallies = usher_arena_alloc(arena, result->tally_count * sizeof *result->tallies);
    for (uint32_t i = 0; i < result->tally_count; i++) {
        struct pg_row row = pg_row_of(rows[0], (int)i, arena);
        struct load_tally *tally = &result->tallies[i];

        tally->resource_no = pg_row_int8(&row, 0);
        tally->customer = pg_row_text(&row, NULL);
        tally->booking = pg_row_int8(&row, 0);
        tally->held = pg_row_bool(&row);
        tally->pool = (uint32_t)pg_row_int4(&row, 0);
        tally->units = (uint32_t)pg_row_int4(&row, 0);
    }
    return USHER_OK;
}

/* ---- the look-ups ---- */

static const struct pg_statement resource_statements[] = {
    {"resources", load_resources_sql},
    {"pools", load_pools_sql},
    {"units", load_units_sql},
    {"waiting", load_waiting_sql},
};

static const struct pg_statement charts_statement = {"charts", load_charts_sql};
static const struct pg_statement tallies_statement = {"tallies", load_tallies_sql};

const struct pg_lookup pg_load_resources = {
    resource_statements,
    sizeof resource_statements / sizeof *resource_statements,
    fill_resources,
    read_all,
};
const struct pg_lookup pg_load_charts = {&charts_statement, 1, fill_charts, read_charts};
const struct pg_lookup pg_load_tallies = {&tallies_statement, 1, fill_tallies, read_tallies};
