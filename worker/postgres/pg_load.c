/*
 * Look-ups by key, all in one round trip. Each statement goes from the keys to the tables and
 * never the other way round: `lateral … offset 0` leaves the planner no choice, however small the
 * tables were when it planned.
 */
#include "worker/postgres/pg_load.h"

#include <assert.h>

#include "worker/postgres/pg_load_parts.h"
#include "worker/postgres/pg_read.h"

/* ---- request ids, charts ---- */

static const struct pg_statement id_statement = {"ids",
                                                 "select " PG_DECISION_COLUMNS PG_LOAD_FIRSTS};

static const struct pg_statement chart_statement = {
    "charts", "select c.* from unnest($1::text[]) as k (hash) cross join lateral ("
              "  select hash, content from usher.chart"
              "  where partition = $2 and hash = k.hash offset 0) as c"};

void pg_load_fill_keys(struct pg_load *load, const struct load_key *keys, uint32_t count,
                       struct pg_params *params)
{
    pg_array_begin(&load->lists[0], PG_TYPE_TEXT);
    pg_array_begin(&load->lists[1], PG_TYPE_UUID);
    for (uint32_t i = 0; i < count; i++) {
        pg_array_text(&load->lists[0], keys[i].resource);
        pg_array_uuid(&load->lists[1], keys[i].id_hash);
    }
    pg_params_array(params, &load->lists[0]);
    pg_params_array(params, &load->lists[1]);
    pg_params_int4(params, load->partition);
}

static bool ids_are_wanted(const struct load_request *request)
{
    return request->id_count > 0;
}

static void fill_ids(struct pg_load *load, const struct load_request *request,
                     struct pg_params *params)
{
    pg_load_fill_keys(load, request->ids, request->id_count, params);
}

static enum usher_status read_ids(PGresult *const *rows, struct usher_arena *arena,
                                  struct load_result *result, struct usher_error *err)
{
    return pg_read_decisions(rows[0], arena, &result->firsts, &result->first_count, err);
}

static bool charts_are_wanted(const struct load_request *request)
{
    return request->chart_count > 0;
}

static void fill_charts(struct pg_load *load, const struct load_request *request,
                        struct pg_params *params)
{
    pg_array_begin(&load->lists[0], PG_TYPE_TEXT);
    for (uint32_t i = 0; i < request->chart_count; i++)
        pg_array_text(&load->lists[0], request->charts[i]);
    pg_params_array(params, &load->lists[0]);
    pg_params_int4(params, load->partition);
}

static enum usher_status read_charts(PGresult *const *rows, struct usher_arena *arena,
                                     struct load_result *result, struct usher_error *err)
{
    (void)err;
    result->chart_count = (uint32_t)PQntuples(rows[0]);
    result->charts = usher_arena_alloc(arena, result->chart_count * sizeof *result->charts);
    for (uint32_t i = 0; i < result->chart_count; i++) {
        struct pg_row row = pg_row_of(rows[0], (int)i, arena);

        result->charts[i].name = pg_row_text(&row, NULL);
        result->charts[i].content = pg_row_text(&row, &result->charts[i].content_size);
    }
    return USHER_OK;
}

static const struct pg_load_part load_ids = {
    .statements = &id_statement,
    .count = 1,
    .is_wanted = ids_are_wanted,
    .fill = fill_ids,
    .read = read_ids,
};

static const struct pg_load_part load_charts = {
    .statements = &chart_statement,
    .count = 1,
    .is_wanted = charts_are_wanted,
    .fill = fill_charts,
    .read = read_charts,
};

/* ---- all of it ---- */

/* In the order in which they are sent and read. */
static const struct pg_load_part *const parts[] = {
    &pg_load_resources, &load_ids,    &pg_load_bookings, &pg_load_carts,
    &load_charts,       &pg_load_due, &pg_load_tallies,  &pg_load_owners,
};

enum {
    PART_COUNT = sizeof parts / sizeof *parts,
};

/* Pages end with the row that passes 8 MiB, about. */
static const struct pg_statement page_statements[] = {
    [PG_LOAD_DECISIONS] = {"decisions",
                           "select " PG_DECISION_COLUMNS " from ("
                           "  select *, sum(octet_length(body) + 200) over (order by seq)"
                           "   - octet_length(body) as before from ("
                           "   select * from usher.decision where partition = $1 and seq > $2"
                           "   order by seq limit $3) as d) as d"
                           " where before < 8388608 order by seq"},
    [PG_LOAD_DEAD_LETTERS] =
        {"dead_letters", "select " PG_DEAD_LETTER_COLUMNS " from ("
                         "  select *, sum(coalesce(octet_length(value), 0)) over (order by seq)"
                         "   - coalesce(octet_length(value), 0) as before from ("
                         "   select * from usher.dead_letter where partition = $1 and seq > $2"
                         "   order by seq limit $3) as d) as d"
                         " where before < 8388608 order by seq"},
};

static const struct pg_statement epoch_statement = {
    "epoch", "select coalesce((select epoch from usher.partition_state where partition = $1), 0),"
             "       (extract(epoch from clock_timestamp()) * 1000)::bigint"};

enum usher_status pg_load_open(struct pg_load *load, struct pg_connection *connection,
                               int32_t partition, struct usher_error *err)
{
    struct pg_statement statements[PG_LOAD_RESULTS_MAX + 3];
    uint32_t count = 0;

    load->connection = connection;
    load->partition = partition;
    for (uint32_t i = 0; i < PART_COUNT; i++)
        for (uint32_t j = 0; j < parts[i]->count; j++)
            statements[count++] = parts[i]->statements[j];
    assert(count <= PG_LOAD_RESULTS_MAX);
    statements[count++] = page_statements[PG_LOAD_DECISIONS];
    statements[count++] = page_statements[PG_LOAD_DEAD_LETTERS];
    statements[count++] = epoch_statement;
    return pg_connection_prepare(connection, statements, count, err);
}

void pg_load_deinit(struct pg_load *load)
{
    for (size_t i = 0; i < sizeof load->lists / sizeof *load->lists; i++)
        pg_array_deinit(&load->lists[i]);
}

static bool send_part(struct pg_load *load, const struct pg_load_part *part,
                      const struct load_request *request)
{
    struct pg_params params = {0};
    bool sent = true;

    part->fill(load, request, &params);
    for (uint32_t i = 0; i < part->count && sent; i++)
        sent = pg_connection_send(load->connection, part->statements[i].name, &params);
    return sent;
}

/* Returns how many results there will be. */
static uint32_t send_parts(struct pg_load *load, const struct load_request *request, bool *sent)
{
    uint32_t count = 0;

    *sent = PQenterPipelineMode(load->connection->conn) == 1;
    for (uint32_t i = 0; i < PART_COUNT && *sent; i++) {
        if (parts[i]->is_wanted(request)) {
            *sent = send_part(load, parts[i], request);
            count += parts[i]->count;
        }
    }
    return count;
}

static enum usher_status read_parts(const struct load_request *request, PGresult *const *rows,
                                    struct usher_arena *arena, struct load_result *result,
                                    struct usher_error *err)
{
    enum usher_status status = USHER_OK;

    for (uint32_t i = 0; i < PART_COUNT && status == USHER_OK; i++) {
        if (parts[i]->is_wanted(request)) {
            status = parts[i]->read(rows, arena, result, err);
            rows += parts[i]->count;
        }
    }
    return status;
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
    PGresult *rows[PG_LOAD_RESULTS_MAX];
    enum usher_status status;
    uint32_t count;
    bool sent;

    *result = (struct load_result){0};
    if (!is_open(load, err))
        return USHER_RETRY;
    count = send_parts(load, request, &sent);
    if (!sent)
        return lost(load, err);
    status = pg_connection_finish(load->connection, rows, count, err);
    if (status != USHER_OK)
        return status;
    status = read_parts(request, rows, arena, result, err);
    for (uint32_t i = 0; i < count; i++)
        PQclear(rows[i]);
    return status;
}

/* ---- one statement on its own ---- */

static enum usher_status ask(struct pg_load *load, const char *statement,
                             const struct pg_params *params, PGresult **rows,
                             struct usher_error *err)
{
    *rows = NULL;
    if (!is_open(load, err))
        return USHER_RETRY;
    if (!PQenterPipelineMode(load->connection->conn) ||
        !pg_connection_send(load->connection, statement, params))
        return lost(load, err);
    return pg_connection_finish(load->connection, rows, 1, err);
}

enum usher_status pg_load_page(struct pg_load *load, enum pg_load_pages which, int64_t after_seq,
                               uint32_t limit, PGresult **rows, struct usher_error *err)
{
    struct pg_params params = {0};

    pg_params_int4(&params, load->partition);
    pg_params_int8(&params, after_seq);
    pg_params_int8(&params, limit);
    return ask(load, page_statements[which].name, &params, rows, err);
}

enum usher_status pg_load_epoch(struct pg_load *load, int32_t *epoch, int64_t *now_ms,
                                struct usher_error *err)
{
    struct pg_params params = {0};
    struct pg_row row;
    PGresult *rows;
    enum usher_status status;

    pg_params_int4(&params, load->partition);
    status = ask(load, epoch_statement.name, &params, &rows, err);
    if (status != USHER_OK)
        return status;
    row = pg_row_of(rows, 0, NULL);
    *epoch = pg_row_int4(&row, 0);
    *now_ms = pg_row_int8(&row, 0);
    PQclear(rows);
    return USHER_OK;
}
