/*
 * How a batch is written: the guard first, then the net effect, deletes before inserts, then the
 * decisions. Knows neither how a partition is acquired nor how its rows are read.
 */
#include "worker/postgres/pg_commit.h"

#include <assert.h>
#include <string.h>

#include "postgres_sql.h"
#include "producer/base/clock.h"
#include "worker/postgres/pg_status.h"
#include "worker/postgres/pg_value.h"

enum {
    ROWS_KEPT_MAX = 4 << 20 /* bytes */
};

enum write {
    ADVANCE,
    FREE,
    CHANGE_BOOKINGS,
    ADD_CHARTS,
    ADD_RESOURCES,
    CHANGE_RESOURCES,
    MARK_RESOURCES,
    ADD_POOLS,
    CHANGE_POOLS,
    MOVE_POOLS,
    ADD_BOOKINGS,
    TAKE,
    ADD_DECISIONS,
    ADD_CART_DECISIONS,
    ADD_DEAD_LETTERS,
    ADD_QUARTERS,
    WRITE_COUNT,
};

/*
 * Every change names the state that it expects, and every statement counts what it wrote: a trigger
 * or a rule may drop rows without an error. Nothing is inserted with ON CONFLICT but charts, which
 * are named by their content, former owners, which a booking may have had before, and sums, which
 * are added to.
 */
static const struct pg_statement statements[WRITE_COUNT] = {
    [ADVANCE] = {"advance", commit_advance_sql},
    [FREE] = {"free", commit_free_sql},
    [CHANGE_BOOKINGS] = {"change_bookings", commit_change_bookings_sql},
    [ADD_CHARTS] = {"add_charts", commit_add_charts_sql},
    [ADD_RESOURCES] = {"add_resources", commit_add_resources_sql},
    [CHANGE_RESOURCES] = {"change_resources", commit_change_resources_sql},
    [MARK_RESOURCES] = {"mark_resources", commit_mark_resources_sql},
    [ADD_POOLS] = {"add_pools", commit_add_pools_sql},
    [CHANGE_POOLS] = {"change_pools", commit_change_pools_sql},
    [MOVE_POOLS] = {"move_pools", commit_move_pools_sql},
    [ADD_BOOKINGS] = {"add_bookings", commit_add_bookings_sql},
    [TAKE] = {"take", commit_take_sql},
    [ADD_DECISIONS] = {"add_decisions", commit_add_decisions_sql},
    [ADD_CART_DECISIONS] = {"add_cart_decisions", commit_add_cart_decisions_sql},
    [ADD_DEAD_LETTERS] = {"add_dead_letters", commit_add_dead_letters_sql},
    [ADD_QUARTERS] = {"add_quarters", commit_add_quarters_sql},
};

/* The type of the rows that each takes, and whether the partition comes before them, as $1. */
static const struct {
    enum pg_row_type type;
    bool partition_first;
} rows_of[WRITE_COUNT] = {
    [FREE] = {PG_ROW_ALLOCATION, false},
    [CHANGE_BOOKINGS] = {PG_ROW_BOOKING_CHANGE, false},
    [ADD_CHARTS] = {PG_ROW_CHART, true},
    [ADD_RESOURCES] = {PG_ROW_RESOURCE, true},
    [CHANGE_RESOURCES] = {PG_ROW_RESOURCE, false},
    [MARK_RESOURCES] = {PG_ROW_RESOURCE_MARK, false},
    [ADD_POOLS] = {PG_ROW_POOL, false},
    [CHANGE_POOLS] = {PG_ROW_POOL_CHANGE, false},
    [MOVE_POOLS] = {PG_ROW_POOL_MOVE, false},
    [ADD_BOOKINGS] = {PG_ROW_BOOKING, false},
    [TAKE] = {PG_ROW_ALLOCATION, false},
    [ADD_DECISIONS] = {PG_ROW_DECISION, false},
    [ADD_CART_DECISIONS] = {PG_ROW_CART_DECISION, true},
    [ADD_DEAD_LETTERS] = {PG_ROW_DEAD_LETTER, true},
    [ADD_QUARTERS] = {PG_ROW_QUARTER, false},
};

enum usher_status pg_commit_open(struct pg_commit *commit, struct pg_connection *connection,
                                 struct usher_error *err)
{
    commit->connection = connection;
    commit->first = commit->count = 0;
    commit->is_refused = false;
    enum usher_status status = pg_row_types_read(connection, &commit->types, err);
    if (status == USHER_OK)
        status = pg_connection_prepare(connection, statements, WRITE_COUNT, err);
    return status;
}

void pg_commit_deinit(struct pg_commit *commit)
{
    pg_array_deinit(&commit->rows);
    pg_array_deinit(&commit->more_rows);
    pg_array_deinit(&commit->rates);
    pg_array_deinit(&commit->restrictions);
    usher_buffer_deinit(&commit->lists);
}

/* ---- sending ---- */

static bool send_advance(struct pg_commit *commit, const struct batch *batch)
{
    struct pg_params params = {0};
    pg_params_int4(&params, batch->partition);
    pg_params_int4(&params, batch->epoch);
    pg_params_int8_or_null(&params, batch->expected_next_offset, OFFSET_NONE);
    pg_params_int8(&params, batch->expected_next_seq);
    pg_params_int8_or_null(&params, batch->next_offset, OFFSET_NONE);
    pg_params_int8(&params, batch->next_seq);
    pg_params_timestamp(&params, batch->now_ms, USHER_ABSENT);
    pg_params_int8_or_null(&params, batch->fingerprint_offset, OFFSET_NONE);
    pg_params_int8(&params, batch->fingerprint);
    pg_params_int8(&params, batch->published_seq);
    pg_params_int8_or_null(&params, batch->published_offset, OFFSET_NONE);
    pg_params_int8_or_null(&params, batch->holds, COUNT_UNKNOWN);
    pg_params_int8_or_null(&params, batch->parties, COUNT_UNKNOWN);
    return pg_connection_send(commit->connection, statements[ADVANCE].name, &params);
}

/* Sends a statement with the rows of the array; nothing where there are none. */
static bool send_array(struct pg_commit *commit, const struct batch *batch, enum write write,
                       struct pg_array *array)
{
    if (array->count == 0)
        return true;

    struct pg_params params = {0};
    if (rows_of[write].partition_first)
        pg_params_int4(&params, batch->partition);
    pg_params_array(&params, array);
    if (write == CHANGE_BOOKINGS)
        pg_params_timestamp(&params, batch->now_ms, USHER_ABSENT);
    if (write == ADD_DECISIONS)
        pg_params_int8(&params, batch->next_seq - batch->expected_next_seq);
    return pg_connection_send(commit->connection, statements[write].name, &params);
}

static bool send_rows(struct pg_commit *commit, const struct batch *batch, enum write write,
                      const void *rows, uint32_t count)
{
    enum pg_row_type type = rows_of[write].type;
    size_t size = pg_row_columns[type].size;
    pg_rows_begin(&commit->rows, &commit->types, type);
    for (uint32_t i = 0; i < count; i++)
        pg_rows_add(&commit->rows, &commit->types, type, (const char *)rows + i * size,
                    batch->partition);
    return send_array(commit, batch, write, &commit->rows);
}

static bool send_resources(struct pg_commit *commit, const struct batch *batch)
{
    struct pg_array *added = &commit->rows;
    struct pg_array *changed = &commit->more_rows;
    pg_rows_begin(added, &commit->types, PG_ROW_RESOURCE);
    pg_rows_begin(changed, &commit->types, PG_ROW_RESOURCE);
    for (uint32_t i = 0; i < batch->resource_count; i++) {
        const struct resource_row *row = &batch->resources[i];
        pg_rows_add(row->is_new ? added : changed, &commit->types, PG_ROW_RESOURCE, row,
                    batch->partition);
    }
    return send_array(commit, batch, ADD_RESOURCES, added) &&
           send_array(commit, batch, CHANGE_RESOURCES, changed);
}

/* A JSON array of the lists of pools, as texts. */
static void write_lists(struct pg_commit *commit, const struct batch *batch)
{
    struct usher_buffer *lists = &commit->lists;
    lists->size = 0;
    usher_buffer_text(lists, "[");
    for (uint32_t i = 0; i < batch->list_count; i++) {
        usher_buffer_text(lists, i > 0 ? "," : "");
        usher_buffer_json_string(lists, batch->lists[i]);
    }
    usher_buffer_append(lists, "]", 2);
}

/* The place of a list from 1, written from 0; 0: null. */
static void add_place(struct pg_array *places, uint32_t place)
{
    if (place > 0)
        pg_array_int4(places, PG_TYPE_INT4, (int32_t)place - 1);
    else
        pg_array_null(places, PG_TYPE_INT4);
}

/* Lists come beside the rows, each once: 65,000 nights may share one of kilobytes. */
static bool send_pools(struct pg_commit *commit, const struct batch *batch, enum write write)
{
    enum pg_row_type type = rows_of[write].type;
    pg_rows_begin(&commit->rows, &commit->types, type);
    pg_array_begin(&commit->rates, PG_TYPE_INT4);
    pg_array_begin(&commit->restrictions, PG_TYPE_INT4);
    for (uint32_t i = 0; i < batch->pool_count; i++) {
        struct pool_row row = batch->pools[i];
        if (row.is_new != (write == ADD_POOLS))
            continue;
        row.rates = row.restrictions = NULL;
        pg_rows_add(&commit->rows, &commit->types, type, &row, batch->partition);
        add_place(&commit->rates, row.rates_place);
        add_place(&commit->restrictions, row.restrictions_place);
    }
    if (commit->rows.count == 0)
        return true;

    struct pg_params params = {0};
    write_lists(commit, batch);
    pg_params_array(&params, &commit->rows);
    pg_params_array(&params, &commit->rates);
    pg_params_array(&params, &commit->restrictions);
    pg_params_text(&params, commit->lists.at);
    return pg_connection_send(commit->connection, statements[write].name, &params);
}

/* A row for each booking of the decisions that changed several. */
static bool send_cart_decisions(struct pg_commit *commit, const struct batch *batch)
{
    pg_rows_begin(&commit->rows, &commit->types, PG_ROW_CART_DECISION);
    for (uint32_t i = 0; i < batch->decision_count; i++) {
        const struct decision_row *decision = &batch->decisions[i];
        for (uint32_t j = 0; j < decision->booking_no_count; j++) {
            const struct pg_cart_decision row = {decision->booking_nos[j], decision->seq};
            pg_rows_add(&commit->rows, &commit->types, PG_ROW_CART_DECISION, &row,
                        batch->partition);
        }
    }
    return send_array(commit, batch, ADD_CART_DECISIONS, &commit->rows);
}

/* In this order: units are freed before others take them, and what refers to a row follows it. */
static bool send_batch(struct pg_commit *commit, const struct batch *batch)
{
    return send_advance(commit, batch) &&
           send_rows(commit, batch, FREE, batch->freed, batch->freed_count) &&
           send_rows(commit, batch, CHANGE_BOOKINGS, batch->bookings_changed,
                     batch->bookings_changed_count) &&
           send_rows(commit, batch, ADD_CHARTS, batch->charts, batch->chart_count) &&
           send_rows(commit, batch, MARK_RESOURCES, batch->resource_marks,
                     batch->resource_mark_count) &&
           send_resources(commit, batch) && send_pools(commit, batch, ADD_POOLS) &&
           send_pools(commit, batch, CHANGE_POOLS) &&
           send_rows(commit, batch, MOVE_POOLS, batch->pool_moves, batch->pool_move_count) &&
           send_rows(commit, batch, ADD_BOOKINGS, batch->bookings, batch->booking_count) &&
           send_rows(commit, batch, TAKE, batch->taken, batch->taken_count) &&
           send_rows(commit, batch, ADD_DECISIONS, batch->decisions, batch->decision_count) &&
           send_cart_decisions(commit, batch) &&
           send_rows(commit, batch, ADD_DEAD_LETTERS, batch->dead_letters,
                     batch->dead_letter_count) &&
           send_rows(commit, batch, ADD_QUARTERS, batch->quarters, batch->quarter_count);
}

/* libpq has its copy; a usual batch need not allocate what the one before had. */
static void empty_rows(struct pg_commit *commit)
{
    if (commit->rows.bytes.capacity + commit->more_rows.bytes.capacity > ROWS_KEPT_MAX)
        pg_commit_deinit(commit);
}

/* Nothing of the batch was committed, and nothing will be: its sync was not sent. */
static enum usher_status give_up(struct pg_commit *commit, struct usher_error *err)
{
    enum usher_status status = USHER_REJECT;
    if (commit->connection->is_refused)
        usher_error_set(err, USHER_EXIT_BAD_INPUT,
                        "could not commit: it would change more than PostgreSQL takes at once");
    else
        status = pg_status_of(commit->connection->conn, NULL, PG_COMMIT, "commit", err);
    pg_connection_close(commit->connection);
    return status;
}

static enum usher_status not_connected(struct usher_error *err)
{
    usher_error_set(err, USHER_EXIT_UNAVAILABLE, "could not commit: not connected");
    return USHER_RETRY;
}

enum usher_status pg_commit_begin(struct pg_commit *commit, const struct batch *batch,
                                  struct usher_error *err)
{
    PGconn *conn = commit->connection->conn;
    int64_t begun_ms = clock_ms(); /* of what it sends the server may begin before it is all sent */
    assert(commit->count < PG_COMMIT_DEPTH);
    assert(batch->decision_count == batch->next_seq - batch->expected_next_seq);
    if (!conn || commit->is_refused)
        return not_connected(err);
    bool pipelined = PQpipelineStatus(conn) != PQ_PIPELINE_OFF || PQenterPipelineMode(conn);
    if (!pipelined || !send_batch(commit, batch) || !PQpipelineSync(conn))
        return give_up(commit, err);
    empty_rows(commit);
    commit->begun_ms[(commit->first + commit->count++) % PG_COMMIT_DEPTH] = begun_ms;
    enum usher_status status = pg_connection_wait(commit->connection, 0, err);
    if (status != USHER_OK)
        pg_connection_close(commit->connection);
    return status;
}

/* ---- waiting ---- */

bool pg_commit_has_result(const struct pg_commit *commit)
{
    PGconn *conn = commit->connection->conn;
    return conn && commit->count > 0 && !PQisBusy(conn);
}

/*
 * A statement that was cancelled before its time was up was cancelled by somebody: that says
 * nothing about the data. The text of the error would tell, too, in the server's language.
 */
static enum pg_origin origin_of(const struct pg_commit *commit, const PGresult *result)
{
    int64_t took_ms = clock_ms() - commit->begun_ms[commit->first];
    const char *sqlstate = result ? PQresultErrorField(result, PG_DIAG_SQLSTATE) : NULL;
    bool cancelled = sqlstate && strcmp(sqlstate, "57014") == 0;
    return cancelled && took_ms < commit->connection->statement_timeout_ms ? PG_READ : PG_COMMIT;
}

/*
 * Reads the results that have arrived for the oldest batch; `*done` at its sync. What the server
 * warned of before is not known to be committed. The commit of the next acquire tells: what it
 * confirms, it confirms of all commits before.
 */
static enum usher_status read_results(struct pg_commit *commit, bool *done, struct usher_error *err)
{
    PGconn *conn = commit->connection->conn;
    enum usher_status status = USHER_OK;
    while (!*done && status == USHER_OK && !PQisBusy(conn)) {
        PGresult *result = PQgetResult(conn);
        ExecStatusType kind = PQresultStatus(result);

        /* NULL ends a statement; on a broken connection it would come for ever. */
        if (!result ? PQstatus(conn) == CONNECTION_BAD
                    : kind != PGRES_TUPLES_OK && kind != PGRES_COMMAND_OK &&
                          kind != PGRES_PIPELINE_SYNC)
            status = pg_status_of(conn, result, origin_of(commit, result), "commit", err);
        *done = kind == PGRES_PIPELINE_SYNC;
        PQclear(result);
    }
    if (*done && status == USHER_OK)
        status = pg_connection_confirm(commit->connection, "commit", err);
    *done = *done && status == USHER_OK;
    return status;
}

/*
 * The first failure is the only one with information: the guard refuses the batches behind it,
 * and what the server still does with them is over once the next epoch is acquired.
 */
static enum usher_status wait_for_sync(struct pg_commit *commit, int timeout_ms, bool *done,
                                       struct usher_error *err)
{
    int64_t now_ms = clock_ms();
    int64_t until_ms = now_ms + timeout_ms;
    int64_t lost_ms = commit->begun_ms[commit->first] + commit->connection->query_timeout_ms;
    enum usher_status status = read_results(commit, done, err);
    while (status == USHER_OK && !*done) {
        int64_t left_ms = until_ms - now_ms;

        if (now_ms >= lost_ms) {
            usher_error_set(err, USHER_EXIT_UNAVAILABLE, "could not commit: no answer within %d ms",
                            commit->connection->query_timeout_ms);
            return USHER_RETRY;
        }
        status = pg_connection_wait(commit->connection, left_ms > 0 ? (int)left_ms : 0, err);
        if (status == USHER_OK)
            status = read_results(commit, done, err);
        now_ms = clock_ms();
        if (left_ms <= 0)
            break;
    }
    return status;
}

enum usher_status pg_commit_end(struct pg_commit *commit, int timeout_ms, bool *done,
                                struct usher_error *err)
{
    *done = false;
    if (!commit->connection->conn || commit->is_refused)
        return not_connected(err);
    enum usher_status status = commit->count > 0
                                   ? wait_for_sync(commit, timeout_ms, done, err)
                                   : pg_connection_wait(commit->connection, timeout_ms, err);
    commit->is_refused = status == USHER_REJECT;
    if (status != USHER_OK && !commit->is_refused)
        pg_connection_close(commit->connection);
    if (*done) {
        commit->first = (commit->first + 1) % PG_COMMIT_DEPTH;
        commit->count--;
    }
    return status;
}

/* ---- going on behind a batch that was refused ---- */

/*
 * The guard refuses each batch behind one that was refused. One that was not would be committed,
 * and a warning may say that one before is not.
 */
static enum usher_status pass_all(struct pg_commit *commit, struct usher_error *err)
{
    int64_t deadline_ms = clock_ms() + commit->connection->query_timeout_ms;
    bool failed = true; /* the oldest has */
    for (; commit->count > 0; commit->count--) {
        if (!pg_connection_pass(commit->connection, deadline_ms, &failed) || !failed) {
            usher_error_set(err, USHER_EXIT_UNAVAILABLE,
                            "could not go on behind a batch that was refused");
            return USHER_RETRY;
        }
        failed = false;
    }
    return pg_connection_confirm(commit->connection, "roll back", err);
}

enum usher_status pg_commit_rewind(struct pg_commit *commit, struct usher_error *err)
{
    if (!commit->connection->conn || !commit->is_refused)
        return not_connected(err);
    enum usher_status status = pass_all(commit, err);
    if (status != USHER_OK)
        pg_connection_close(commit->connection);
    commit->is_refused = false;
    return status;
}
