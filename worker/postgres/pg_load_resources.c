/*
 * Resources with all that is needed to decide about them, and what their customers have.
 */
#include <assert.h>

#include "worker/postgres/pg_load_parts.h"
#include "worker/postgres/pg_read.h"

/* Numbers of the wanted: $1 ids, $2 numbers, $3 the partition, $4 also those with work to do. */
#define WANTED                                                                          \
    "with wanted as ("                                                                  \
    " select r.no from unnest($1::text[]) as k (id) cross join lateral ("               \
    "  select no from usher.resource where partition = $3 and id = k.id offset 0) as r" \
    " union"                                                                            \
    " select r.no from unnest($2::bigint[]) as k (no) cross join lateral ("             \
    "  select no, partition from usher.resource where no = k.no offset 0) as r"         \
    " where r.partition = $3"                                                           \
    " union"                                                                            \
    " select no from usher.resource"                                                    \
    " where $4 and partition = $3 and (unserved or cancelling is not null))"

/* What a unit's booking is, as `unit_states` has it. What is taken is taken, whatever it says. */
#define UNIT_STATE "(case state when 'held' then 1 when 'blocked' then 2 else 0 end)::smallint"

static const enum booking_state unit_states[] = {BOOKING_CONFIRMED, BOOKING_HELD, BOOKING_BLOCKED};

static const struct pg_statement resource_statements[] = {
    {"resources", WANTED " select r.* from wanted as w cross join lateral ("
                         "  select " PG_RESOURCE_COLUMNS ", (select content from usher.chart as c"
                         "   where c.partition = $3 and c.hash = r.chart)"
                         "  from usher.resource as r where r.no = w.no offset 0) as r"
                         " order by r.no"},
    {"pools", WANTED " select p.* from wanted as w cross join lateral ("
                     "  select " PG_POOL_COLUMNS " from usher.pool"
                     "  where resource_no = w.no offset 0) as p"
                     " order by p.resource_no, p.index"},
    {"units", WANTED " select p.resource_no, p.index, a.unit, b.state"
                     " from wanted as w cross join lateral ("
                     "  select no, resource_no, index from usher.pool"
                     "  where resource_no = w.no offset 0) as p"
                     " cross join lateral ("
                     "  select unit, booking from usher.allocation where pool = p.no offset 0) as a"
                     " cross join lateral ("
                     "  select " UNIT_STATE " as state from usher.booking"
                     "  where no = a.booking offset 0) as b"},
    {"waiting", WANTED " select b.* from wanted as w cross join lateral ("
                       "  select " PG_BOOKING_COLUMNS " from usher.booking"
                       "  where resource_no = w.no and state = 'waiting' offset 0) as b"
                       " order by b.resource_no, b.no"},
};

static const struct pg_statement tally_statement = {
    "tallies", "select p.resource_no, b.customer, b.no, b.held, p.index, a.units"
               " from unnest($1::bigint[]) as k (no) cross join lateral ("
               "  select no, resource_no, index from usher.pool"
               "  where resource_no = k.no offset 0) as p"
               " cross join lateral ("
               "  select booking, count(*)::integer as units from usher.allocation"
               "  where pool = p.no group by booking offset 0) as a"
               " cross join lateral ("
               "  select no, customer, state = 'held' as held from usher.booking"
               "  where no = a.booking and state in ('held', 'confirmed') offset 0) as b"
               " order by p.resource_no, b.customer, b.no, p.index"};

/* ---- asking ---- */

static bool resources_are_wanted(const struct load_request *request)
{
    return request->resource_count > 0 || request->resource_no_count > 0 || request->unfinished;
}

static void fill_numbers(struct pg_array *list, const int64_t *numbers, uint32_t count)
{
    pg_array_begin(list, PG_TYPE_INT8);
    for (uint32_t i = 0; i < count; i++)
        pg_array_int8(list, numbers[i]);
}

static void fill_resources(struct pg_load *load, const struct load_request *request,
                           struct pg_params *params)
{
    pg_array_begin(&load->lists[0], PG_TYPE_TEXT);
    for (uint32_t i = 0; i < request->resource_count; i++)
        pg_array_text(&load->lists[0], request->resources[i]);
    fill_numbers(&load->lists[1], request->resource_nos, request->resource_no_count);
    pg_params_array(params, &load->lists[0]);
    pg_params_array(params, &load->lists[1]);
    pg_params_int4(params, load->partition);
    pg_params_bool(params, request->unfinished);
}

static bool tallies_are_wanted(const struct load_request *request)
{
    return request->tally_count > 0;
}

static void fill_tallies(struct pg_load *load, const struct load_request *request,
                         struct pg_params *params)
{
    fill_numbers(&load->lists[0], request->tally_nos, request->tally_count);
    pg_params_array(params, &load->lists[0]);
}

/* ---- reading ---- */

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

static void read_resources(const PGresult *rows, struct usher_arena *arena,
                           struct load_result *result)
{
    result->resource_count = (uint32_t)PQntuples(rows);
    result->resources =
        usher_arena_alloc(arena, result->resource_count * sizeof *result->resources);
    for (uint32_t i = 0; i < result->resource_count; i++) {
        struct pg_row row = pg_row_of(rows, (int)i, arena);
        struct loaded_resource *resource = &result->resources[i];

        pg_read_resource(&row, &resource->row);
        resource->chart.name = resource->row.chart;
        resource->chart.content = pg_row_text(&row, &resource->chart.content_size);
    }
}

/* They come in the order of resources and indexes. */
static enum usher_status read_pools(const PGresult *rows, struct usher_arena *arena,
                                    struct load_result *result, struct usher_error *err)
{
    uint32_t count = (uint32_t)PQntuples(rows);
    struct pool_row *pools = usher_arena_alloc(arena, count * sizeof *pools);

    for (uint32_t i = 0; i < count; i++) {
        struct pg_row row = pg_row_of(rows, (int)i, arena);
        struct loaded_resource *resource;

        pg_read_pool(&row, &pools[i]);
        resource = find(result, pools[i].resource_no);
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
static void read_waiting(const PGresult *rows, struct usher_arena *arena,
                         struct load_result *result)
{
    uint32_t count;
    struct booking_row *parties = pg_read_bookings(rows, arena, &count);

    for (uint32_t i = 0; i < count; i++) {
        struct loaded_resource *resource = find(result, parties[i].resource_no);

        if (resource->waiting_count++ == 0)
            resource->waiting = &parties[i];
    }
}

static enum usher_status read_all(PGresult *const *rows, struct usher_arena *arena,
                                  struct load_result *result, struct usher_error *err)
{
    enum usher_status status;

    read_resources(rows[0], arena, result);
    status = read_pools(rows[1], arena, result, err);
    if (status == USHER_OK) {
        read_units(rows[2], arena, result);
        read_waiting(rows[3], arena, result);
    }
    return status;
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

const struct pg_load_part pg_load_resources = {
    .statements = resource_statements,
    .count = sizeof resource_statements / sizeof *resource_statements,
    .is_wanted = resources_are_wanted,
    .fill = fill_resources,
    .read = read_all,
};

const struct pg_load_part pg_load_tallies = {
    .statements = &tally_statement,
    .count = 1,
    .is_wanted = tallies_are_wanted,
    .fill = fill_tallies,
    .read = read_tallies,
};
