/*
 * Look-ups by key, all in one round trip. Each statement goes from the keys to the tables and
 * never the other way round: `lateral … offset 0` leaves the planner no choice, however small the
 * tables were when it planned.
 */
#include "pg_load.h"

#include <assert.h>

#include "pg_read.h"

/* Numbers of the wanted resources: $1 ids, $2 numbers, $3 the partition. */
#define WANTED                                                                          \
    "with wanted as ("                                                                  \
    " select r.no from unnest($1::text[]) as k (id) cross join lateral ("               \
    "  select no from usher.resource where partition = $3 and id = k.id offset 0) as r" \
    " union"                                                                            \
    " select r.no from unnest($2::bigint[]) as k (no) cross join lateral ("             \
    "  select no, partition from usher.resource where no = k.no offset 0) as r"         \
    " where r.partition = $3)"

/* The first decisions of the wanted request ids: $1 resources, $2 hashes, $3 the partition. */
#define FIRSTS                                                                                \
    " from unnest($1::text[], $2::uuid[]) as k (k_resource, k_hash)"                          \
    " cross join lateral ("                                                                   \
    "  select no from usher.resource where partition = $3 and id = k_resource offset 0) as r" \
    " cross join lateral ("                                                                   \
    "  select * from usher.decision"                                                          \
    "  where resource_no = r.no and id_hash = k_hash and first offset 0) as d"

enum statement_index {
    RESOURCES,
    POOLS,
    UNITS,
    IDS,
    BOOKINGS,
    DUE,
    DECISIONS,
    DEAD_LETTERS,
    EPOCH,
    STATEMENT_COUNT,
};

static const struct pg_statement statements[STATEMENT_COUNT] = {
    [RESOURCES] = {"resources",
                   WANTED " select r.* from wanted as w cross join lateral ("
                          "  select " PG_RESOURCE_COLUMNS ", (select content from usher.chart as c"
                          "   where c.partition = $3 and c.hash = r.chart)"
                          "  from usher.resource as r where r.no = w.no offset 0) as r"
                          " order by r.no"},
    [POOLS] = {"pools", WANTED " select p.* from wanted as w cross join lateral ("
                               "  select " PG_POOL_COLUMNS " from usher.pool"
                               "  where resource_no = w.no offset 0) as p"
                               " order by p.resource_no, p.index"},
    [UNITS] = {"units", WANTED
               " select p.resource_no, p.index, a.unit, b.held"
               " from wanted as w cross join lateral ("
               "  select no, resource_no, index from usher.pool"
               "  where resource_no = w.no offset 0) as p"
               " cross join lateral ("
               "  select unit, booking from usher.allocation where pool = p.no offset 0) as a"
               " cross join lateral ("
               "  select state = 'held' as held from usher.booking"
               "  where no = a.booking offset 0) as b"},
    [IDS] = {"ids", "select " PG_DECISION_COLUMNS FIRSTS},
    /* A booking's number is made of the seq of the decision that made it. */
    [BOOKINGS] = {"bookings", "select b.*" FIRSTS " cross join lateral ("
                              "  select " PG_BOOKING_COLUMNS " from usher.booking"
                              "  where no = $3::bigint << 48 | d.seq offset 0) as b"},
    [DUE] = {"due", "select " PG_BOOKING_COLUMNS " from usher.booking"
                    " where partition = $1 and state = 'held'"
                    "   and (expires_at, no) > (coalesce($2::timestamptz, '-infinity'), $3)"
                    "   and expires_at <= $4"
                    " order by expires_at, no limit $5"},
    /* About 8 MiB: the row that passes it is the last. */
    [DECISIONS] = {"decisions", "select " PG_DECISION_COLUMNS " from ("
                                "  select *, sum(octet_length(body) + 200) over (order by seq)"
                                "   - octet_length(body) as before from ("
                                "   select * from usher.decision where partition = $1 and seq > $2"
                                "   order by seq limit $3) as d) as d"
                                " where before < 8388608 order by seq"},
    [DEAD_LETTERS] = {"dead_letters",
                      "select " PG_DEAD_LETTER_COLUMNS " from ("
                      "  select *, sum(coalesce(octet_length(value), 0)) over (order by seq)"
                      "   - coalesce(octet_length(value), 0) as before from ("
                      "   select * from usher.dead_letter where partition = $1 and seq > $2"
                      "   order by seq limit $3) as d) as d"
                      " where before < 8388608 order by seq"},
    [EPOCH] = {"epoch", "select epoch from usher.partition_state where partition = $1"},
};

enum usher_status pg_load_open(struct pg_load *load, struct pg_connection *connection,
                               int32_t partition, struct usher_error *err)
{
    load->connection = connection;
    load->partition = partition;
    return pg_connection_prepare(connection, statements, STATEMENT_COUNT, err);
}

void pg_load_deinit(struct pg_load *load)
{
    pg_array_deinit(&load->keys);
    pg_array_deinit(&load->hashes);
    pg_array_deinit(&load->numbers);
}

/* ---- asking ---- */

static bool send(struct pg_load *load, enum statement_index statement,
                 const struct pg_params *params)
{
    return pg_connection_send(load->connection, statements[statement].name, params);
}

static bool send_resources(struct pg_load *load, const struct load_request *request)
{
    struct pg_params params = {0};

    pg_array_begin(&load->keys, PG_TYPE_TEXT);
    for (uint32_t i = 0; i < request->resource_count; i++)
        pg_array_text(&load->keys, request->resources[i]);
    pg_array_begin(&load->numbers, PG_TYPE_INT8);
    for (uint32_t i = 0; i < request->resource_no_count; i++)
        pg_array_int8(&load->numbers, request->resource_nos[i]);
    pg_params_array(&params, &load->keys);
    pg_params_array(&params, &load->numbers);
    pg_params_int4(&params, load->partition);
    return send(load, RESOURCES, &params) && send(load, POOLS, &params) &&
           send(load, UNITS, &params);
}

static bool send_keys(struct pg_load *load, enum statement_index statement,
                      const struct load_key *keys, uint32_t count)
{
    struct pg_params params = {0};

    pg_array_begin(&load->keys, PG_TYPE_TEXT);
    pg_array_begin(&load->hashes, PG_TYPE_UUID);
    for (uint32_t i = 0; i < count; i++) {
        pg_array_text(&load->keys, keys[i].resource);
        pg_array_uuid(&load->hashes, keys[i].id_hash);
    }
    pg_params_array(&params, &load->keys);
    pg_params_array(&params, &load->hashes);
    pg_params_int4(&params, load->partition);
    return send(load, statement, &params);
}

static bool send_due(struct pg_load *load, const struct load_request *request)
{
    struct pg_params params = {0};

    pg_params_int4(&params, load->partition);
    pg_params_timestamp(&params, request->due_after_ms, USHER_ABSENT);
    pg_params_int8(&params, request->due_after_no);
    pg_params_timestamp(&params, request->due_until_ms, USHER_ABSENT);
    pg_params_int8(&params, request->due_limit);
    return send(load, DUE, &params);
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
        unit->state = pg_row_bool(&row) ? BOOKING_HELD : BOOKING_CONFIRMED;
    }
}

static bool wants_resources(const struct load_request *request)
{
    return request->resource_count > 0 || request->resource_no_count > 0;
}

/* Reads in the order in which was sent; the results are taken. */
static enum usher_status read_results(const struct load_request *request, PGresult *const *rows,
                                      struct usher_arena *arena, struct load_result *result,
                                      struct usher_error *err)
{
    enum usher_status status = USHER_OK;

    if (wants_resources(request)) {
        read_resources(rows[0], arena, result);
        status = read_pools(rows[1], arena, result, err);
        if (status == USHER_OK)
            read_units(rows[2], arena, result);
        rows += 3;
    }
    if (request->id_count > 0)
        result->firsts = pg_read_decisions(*rows++, arena, &result->first_count);
    if (request->booking_count > 0)
        result->bookings = pg_read_bookings(*rows++, arena, &result->booking_count);
    if (request->due)
        result->due = pg_read_bookings(*rows, arena, &result->due_count);
    return status;
}

static uint32_t send_request(struct pg_load *load, const struct load_request *request, bool *sent)
{
    uint32_t count = 0;

    *sent = PQenterPipelineMode(load->connection->conn) == 1;
    if (*sent && wants_resources(request)) {
        *sent = send_resources(load, request);
        count += 3;
    }
    if (*sent && request->id_count > 0) {
        *sent = send_keys(load, IDS, request->ids, request->id_count);
        count++;
    }
    if (*sent && request->booking_count > 0) {
        *sent = send_keys(load, BOOKINGS, request->bookings, request->booking_count);
        count++;
    }
    if (*sent && request->due) {
        *sent = send_due(load, request);
        count++;
    }
    return count;
}

static enum usher_status lost(struct pg_load *load, struct usher_error *err)
{
    enum usher_status status = pg_status_of(load->connection->conn, NULL, PG_READ, "load", err);

    pg_connection_close(load->connection);
    return status;
}

static bool is_open(const struct pg_load *load, struct usher_error *err)
{
    if (load->connection->conn == NULL) {
        usher_error_set(err, USHER_EXIT_UNAVAILABLE, "could not load: not connected");
        return false;
    }
    return true;
}

enum usher_status pg_load_run(struct pg_load *load, const struct load_request *request,
                              struct usher_arena *arena, struct load_result *result,
                              struct usher_error *err)
{
    PGresult *rows[6];
    enum usher_status status;
    uint32_t count;
    bool sent;

    *result = (struct load_result){0};
    if (!is_open(load, err))
        return USHER_RETRY;
    count = send_request(load, request, &sent);
    if (!sent)
        return lost(load, err);
    status = pg_connection_finish(load->connection, rows, count, err);
    if (status != USHER_OK)
        return status;
    status = read_results(request, rows, arena, result, err);
    for (uint32_t i = 0; i < count; i++)
        PQclear(rows[i]);
    return status;
}

/* One statement of the above on its own. */
static enum usher_status ask(struct pg_load *load, enum statement_index statement,
                             const struct pg_params *params, PGresult **rows,
                             struct usher_error *err)
{
    *rows = NULL;
    if (!is_open(load, err))
        return USHER_RETRY;
    if (!PQenterPipelineMode(load->connection->conn) || !send(load, statement, params))
        return lost(load, err);
    return pg_connection_finish(load->connection, rows, 1, err);
}

enum usher_status pg_load_decisions(struct pg_load *load, int64_t after_seq, uint32_t limit,
                                    PGresult **rows, struct usher_error *err)
{
    struct pg_params params = {0};

    pg_params_int4(&params, load->partition);
    pg_params_int8(&params, after_seq);
    pg_params_int8(&params, limit);
    return ask(load, DECISIONS, &params, rows, err);
}

enum usher_status pg_load_dead_letters(struct pg_load *load, int64_t after_seq, uint32_t limit,
                                       PGresult **rows, struct usher_error *err)
{
    struct pg_params params = {0};

    pg_params_int4(&params, load->partition);
    pg_params_int8(&params, after_seq);
    pg_params_int8(&params, limit);
    return ask(load, DEAD_LETTERS, &params, rows, err);
}

enum usher_status pg_load_epoch(struct pg_load *load, int32_t *epoch, struct usher_error *err)
{
    struct pg_params params = {0};
    struct pg_row row;
    PGresult *rows;
    enum usher_status status;

    pg_params_int4(&params, load->partition);
    status = ask(load, EPOCH, &params, &rows, err);
    if (status != USHER_OK)
        return status;
    row = pg_row_of(rows, 0, NULL);
    *epoch = PQntuples(rows) > 0 ? pg_row_int4(&row, 0) : 0;
    PQclear(rows);
    return USHER_OK;
}
