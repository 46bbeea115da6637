/*
 * The two connections of a partition and which call goes over which; how a batch is written (the
 * guard first, then the net effect, deletes before inserts, then the decisions); and how a
 * partition is acquired.
 */
#include "worker/postgres/pg_record.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "postgres_sql.h"
#include "producer/base/allocate.h"
#include "producer/base/calendar.h"
#include "producer/base/clock.h"
#include "producer/base/log.h"
#include "worker/postgres/pg_homes.h"
#include "worker/postgres/pg_load.h"
#include "worker/postgres/pg_session.h"
#include "worker/postgres/pg_value.h"

/* ==== Commit ==== */

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
    pg_array_deinit(&commit->places);
    usher_buffer_deinit(&commit->rates);
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

/* A JSON array of the lists of rates, as texts. */
static void write_rates(struct pg_commit *commit, const struct batch *batch)
{
    struct usher_buffer *rates = &commit->rates;
    rates->size = 0;
    usher_buffer_text(rates, "[");
    for (uint32_t i = 0; i < batch->rates_count; i++) {
        usher_buffer_text(rates, i > 0 ? "," : "");
        usher_buffer_json_string(rates, batch->rates[i]);
    }
    usher_buffer_append(rates, "]", 2);
}

/* Rates come beside the rows, each list once: 65,000 nights may share one of kilobytes. */
static bool send_pools(struct pg_commit *commit, const struct batch *batch, enum write write)
{
    enum pg_row_type type = rows_of[write].type;
    pg_rows_begin(&commit->rows, &commit->types, type);
    pg_array_begin(&commit->places, PG_TYPE_INT4);
    for (uint32_t i = 0; i < batch->pool_count; i++) {
        struct pool_row row = batch->pools[i];
        if (row.is_new != (write == ADD_POOLS))
            continue;
        row.rates = NULL;
        pg_rows_add(&commit->rows, &commit->types, type, &row, batch->partition);
        if (row.rates_place > 0)
            pg_array_int4(&commit->places, PG_TYPE_INT4, (int32_t)row.rates_place - 1);
        else
            pg_array_null(&commit->places, PG_TYPE_INT4);
    }
    if (commit->rows.count == 0)
        return true;

    struct pg_params params = {0};
    write_rates(commit, batch);
    pg_params_array(&params, &commit->rows);
    pg_params_array(&params, &commit->places);
    pg_params_text(&params, commit->rates.at);
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

/*
 * As commit_begin and commit_end of the record port; the connection is closed when they fail, but
 * where the server has refused a batch, and may be asked to go on.
 */
static enum usher_status pg_commit_begin(struct pg_commit *commit, const struct batch *batch,
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

static enum usher_status pg_commit_end(struct pg_commit *commit, int timeout_ms, bool *done,
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

static enum usher_status pg_commit_rewind(struct pg_commit *commit, struct usher_error *err)
{
    if (!commit->connection->conn || !commit->is_refused)
        return not_connected(err);
    enum usher_status status = pass_all(commit, err);
    if (status != USHER_OK)
        pg_connection_close(commit->connection);
    commit->is_refused = false;
    return status;
}

/*
 * ==== Acquire ====
 *
 * Acquires a partition: takes the next epoch and terminates a predecessor that keeps the lock.
 */

struct pg_claim {
    int32_t partition;
    int32_t partition_count;
    int32_t expected_epoch; /* 0: whatever it is */
    const char *owner;      /* unique per owner */
};

/*
 * The constraints of the table say as much of the rest. RETRY: whose the partition is then is not
 * known, so that it cannot be halted; it goes on once the row is mended.
 */
static enum usher_status read_position(const PGresult *result, struct position *position,
                                       struct usher_error *err)
{
    struct pg_row row = pg_row_of(result, 0, NULL);
    *position = (struct position){0};
    position->epoch = pg_row_int4(&row, 0);
    position->partition_count = pg_row_int4(&row, 0);
    position->next_offset = pg_row_int8(&row, OFFSET_NONE);
    position->next_seq = pg_row_int8(&row, 0);
    position->now_ms = pg_row_ms(&row, 0);
    position->published_seq = pg_row_int8(&row, 0);
    position->published_offset = pg_row_int8(&row, OFFSET_NONE);
    position->fingerprint_offset = pg_row_int8(&row, OFFSET_NONE);
    position->fingerprint = pg_row_int8(&row, 0);
    position->last_pool = pg_row_int8(&row, 0);
    position->holds = pg_row_int8(&row, COUNT_UNKNOWN);
    position->parties = pg_row_int8(&row, COUNT_UNKNOWN);
    if (!row.wrong && position->now_ms >= 0 &&
        position->now_ms / CALENDAR_MS_A_DAY <= CALENDAR_LAST_DAY &&
        position->published_offset >= OFFSET_NONE && position->last_pool >= 0)
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_BUG,
                    "could not read where the partition stands: this program did not write its "
                    "row of partition_state");
    return USHER_RETRY;
}

static enum usher_status try(struct pg_connection *connection, const struct pg_claim *claim,
                             struct position *position, struct usher_error *err)
{
    struct pg_params params = {0};
    pg_params_int4(&params, claim->partition);
    pg_params_int4(&params, claim->partition_count);
    pg_params_int4(&params, claim->expected_epoch);
    pg_params_text(&params, claim->owner);
    PGresult *result;
    enum usher_status status = pg_connection_query(connection, acquire_sql, &params, &result, err);
    if (status == USHER_OK) {
        status = read_position(result, position, err);
        PQclear(result);
    }
    return status;
}

/* Terminates the backend that the current owner recorded, if it still runs and the claim covers it.
 */
static enum usher_status terminate(struct pg_connection *connection, const struct pg_claim *claim,
                                   struct usher_error *err)
{
    struct pg_params params = {0};
    pg_params_int4(&params, claim->partition);
    pg_params_int4(&params, claim->expected_epoch);
    pg_params_text(&params, claim->owner);
    PGresult *result;
    enum usher_status status =
        pg_connection_query(connection, acquire_terminate_sql, &params, &result, err);
    if (status == USHER_OK && PQntuples(result) > 0) {
        struct pg_row row = pg_row_of(result, 0, NULL);
        struct log_context log = log_context_with(NULL, "partition=%" PRId32 " backend=%" PRId32,
                                                  claim->partition, pg_row_int4(&row, 0));

        log_warning(
            &log,
            "terminated the owner's backend: it held the partition's lock and did not respond");
    }
    PQclear(result);
    return status;
}

enum {
    CLOCK_READINGS = 3,
    CLOCK_QUICK_MS = 100,
};

/*
 * Reads the server's clock. In a statement of its own: the wait for the lock and the commit of the
 * acquire would make it late for as long as the partition is owned. So would an answer that takes
 * long, or a pause of this process: then it is read again. It is never ahead, or holds would end
 * before their time.
 */
static enum usher_status read_clock(struct pg_connection *connection, struct position *position,
                                    struct usher_error *err)
{
    const struct pg_params none = {0};
    int64_t asked_ms, now_ms;
    uint32_t readings = 0;
    position->clock_offset_ms = INT64_MIN;
    do {
        PGresult *result;
        asked_ms = clock_ms();
        enum usher_status status =
            pg_connection_query(connection, "select clock_timestamp()", &none, &result, err);
        if (status != USHER_OK)
            return status;
        struct pg_row row = pg_row_of(result, 0, NULL);
        now_ms = clock_ms();
        int64_t offset_ms = pg_row_ms(&row, 0) - now_ms;
        if (offset_ms > position->clock_offset_ms) /* none is ahead */
            position->clock_offset_ms = offset_ms;
        PQclear(result);
    } while (now_ms - asked_ms > CLOCK_QUICK_MS && ++readings < CLOCK_READINGS);
    return USHER_OK;
}

/*
 * Once, after the batch of a worker that did not say it. It is for people only, so that a count
 * that takes too long must not keep the partition from being acquired.
 */
static void count_open(struct pg_connection *connection, int32_t partition,
                       struct position *position)
{
    struct usher_error err;
    struct pg_params params = {0};
    pg_params_int4(&params, partition);
    PGresult *result;
    enum usher_status status =
        pg_connection_query(connection, acquire_open_sql, &params, &result, &err);
    if (status != USHER_OK)
        return;
    struct pg_row row = pg_row_of(result, 0, NULL);
    position->holds = pg_row_int8(&row, 0);
    position->parties = pg_row_int8(&row, 0);
    PQclear(result);
}

/*
 * As `acquire` of the record port, on a connection just opened, whose backend is recorded. Waits
 * for the predecessor's transaction up to the lock timeout, then terminates its backend and tries
 * again until the connection's query timeout.
 */
static enum usher_status pg_acquire(struct pg_connection *connection, const struct pg_claim *claim,
                                    struct position *position, struct usher_error *err)
{
    int64_t deadline_ms = clock_ms() + connection->query_timeout_ms;
    enum usher_status status = try(connection, claim, position, err);
    while (status == USHER_RETRY && strcmp(connection->sqlstate, "55P03") == 0 &&
           clock_ms() < deadline_ms) {
        status = terminate(connection, claim, err);
        if (status == USHER_OK)
            status = try(connection, claim, position, err);
    }
    if (status == USHER_OK &&
        (position->holds == COUNT_UNKNOWN || position->parties == COUNT_UNKNOWN))
        count_open(connection, claim->partition, position);
    return status == USHER_OK ? read_clock(connection, position, err) : status;
}

/* ==== The record port ==== */

struct pg_record {
    struct record_port port; /* first: what is handed out */
    struct pg_record_options options;
    char owner[128];
    struct pg_connection commits, reads;
    struct pg_commit commit;
    struct pg_load load;
    int descriptor;         /* an epoll of the commit connection's socket */
    int32_t acquired, seen; /* where it was acquired, and where it was seen to live before that */
};

/* ---- the descriptor ---- */

/*
 * A large batch does not fit into the socket at once: whoever waits for the answer must also wake
 * when the rest can be sent. An epoll descriptor is readable for either.
 */
static void watch(struct pg_record *record)
{
    int socket = record->commits.conn ? PQsocket(record->commits.conn) : -1;
    struct epoll_event event = {.events = EPOLLIN | (record->commits.unsent ? EPOLLOUT : 0u)};
    if (socket < 0)
        return; /* closed: it left the epoll by itself */
    if (epoll_ctl(record->descriptor, EPOLL_CTL_MOD, socket, &event) != 0) {
        int added = epoll_ctl(record->descriptor, EPOLL_CTL_ADD, socket, &event);

        assert(added == 0);
    }
}

static int descriptor(void *self)
{
    const struct pg_record *record = self;
    return record->commits.conn ? record->descriptor : -1;
}

/* ---- taking the partition ---- */

enum {
    UNDERWAY_MS = 1000, /* for a partition that stands still on its way; then its owner says so */
    UNDERWAY_TURN_MS = 20,
};

static enum usher_status open_connections(struct pg_record *record,
                                          const struct pg_settings *settings,
                                          struct usher_error *err)
{
    enum usher_status status = pg_session_open_schema(&record->commits, settings, err);
    if (status == USHER_OK)
        status = pg_session_open(&record->reads, settings, err);
    if (status == USHER_OK)
        status = pg_load_open(&record->load, &record->reads, record->options.partition, err);
    return status;
}

static void close_connections(struct pg_record *record)
{
    pg_connection_close(&record->commits);
    pg_connection_close(&record->reads);
}

/* In one of the databases. */
static enum usher_status acquire_there(struct pg_record *record, const struct pg_settings *settings,
                                       int32_t expected_epoch, struct position *position,
                                       struct usher_error *err)
{
    const struct pg_claim claim = {
        .partition = record->options.partition,
        .partition_count = record->options.partition_count,
        .expected_epoch = expected_epoch,
        .owner = record->owner,
    };
    close_connections(record);
    record->commits.sqlstate[0] = '\0';
    enum usher_status status = open_connections(record, settings, err);
    if (status == USHER_OK)
        status = pg_acquire(&record->commits, &claim, position, err);
    if (status != USHER_OK) {
        close_connections(record);
        return status == USHER_HALT ? USHER_RETRY : status; /* it is not ours to halt */
    }
    record->acquired = (int32_t)settings->place;
    pg_load_set_epoch(&record->load, position->epoch);
    status = pg_commit_open(&record->commit, &record->commits, err);
    if (status == USHER_OK)
        watch(record);
    else if (status != USHER_HALT) /* which is noted over the other connection */
        close_connections(record);
    return status;
}

/*
 * A database that the partition does not live in refuses it. What was seen last may be old: it is
 * moved while it sells.
 */
static enum usher_status acquire_somewhere(struct pg_record *record, int32_t home,
                                           int32_t expected_epoch, struct position *position,
                                           bool *is_underway, struct usher_error *err)
{
    const uint32_t count = pg_session_databases(&record->options.connection);
    const uint32_t first = home >= 0 ? (uint32_t)home : 0;
    enum usher_status status = USHER_RETRY;
    struct usher_error failed = {0}; /* the first one that says more than that it is not there */
    *is_underway = false;
    for (uint32_t i = 0; i < count && status == USHER_RETRY; i++) {
        struct pg_settings there = pg_session_one(&record->options.connection, (first + i) % count);
        status = acquire_there(record, &there, expected_epoch, position, err);
        *is_underway = *is_underway || strcmp(record->commits.sqlstate, "US006") == 0;
        if (status == USHER_RETRY && failed.text[0] == '\0' &&
            strcmp(record->commits.sqlstate, "US005") != 0)
            failed = *err;
    }
    if (status == USHER_RETRY && failed.text[0] != '\0')
        *err = failed;
    return status;
}

/* The last page of a move takes a moment, which is waited for. */
static enum usher_status acquire_once_there(struct pg_record *record, int32_t home,
                                            int32_t expected_epoch, struct position *position,
                                            struct usher_error *err)
{
    const int64_t until_ms = clock_ms() + UNDERWAY_MS;
    bool is_underway;
    enum usher_status status =
        acquire_somewhere(record, home, expected_epoch, position, &is_underway, err);
    while (status == USHER_RETRY && is_underway && clock_ms() < until_ms) {
        nanosleep(&(struct timespec){.tv_nsec = UNDERWAY_TURN_MS * 1000000L}, NULL);
        status = acquire_somewhere(record, home, expected_epoch, position, &is_underway, err);
    }
    return status;
}

static enum usher_status acquire(void *self, int32_t expected_epoch, struct position *position,
                                 struct usher_error *err)
{
    struct pg_record *record = self;
    const struct pg_record_options *options = &record->options;
    if (!options->home)
        return acquire_there(record, &options->connection, expected_epoch, position, err);
    const int32_t home = *options->home;
    if (home == PG_HOME_SEVERAL) {
        usher_error_set(err, USHER_EXIT_CONFIG,
                        "partition %" PRId32 " lives in more than one database of USHER_POSTGRES: "
                        "one of them was restored to an earlier moment, or is a copy",
                        options->partition);
        return USHER_RETRY;
    }
    record->seen = home;
    return acquire_once_there(record, home, expected_epoch, position, err);
}

/* What was seen before it was acquired may be older than that, until it is seen here. */
static bool is_elsewhere(void *self)
{
    struct pg_record *record = self;
    const int32_t home = record->options.home ? *record->options.home : record->acquired;
    if (home == record->acquired)
        record->seen = home;
    return home >= 0 && home != record->seen;
}

static enum usher_status check_epoch(void *self, int32_t epoch, struct usher_error *err)
{
    struct pg_record *record = self;
    int32_t stored = 0;
    int64_t now_ms = 0;
    enum usher_status status = pg_load_epoch(&record->load, &stored, &now_ms, err);
    return status == USHER_OK ? pg_lookup_same_epoch(&record->load.lists, stored, epoch, err)
                              : status;
}

static enum usher_status note_halt(void *self, int32_t epoch, int64_t next_offset,
                                   const char *reason, struct usher_error *err)
{
    struct pg_record *record = self;
    struct pg_params params = {0};
    pg_params_int4(&params, record->options.partition);
    pg_params_int4(&params, epoch);
    pg_params_int8_or_null(&params, next_offset, OFFSET_NONE);
    pg_params_text(&params, reason);
    PGresult *result;
    enum usher_status status =
        pg_connection_query(&record->reads, partition_note_halt_sql, &params, &result, err);
    bool over = status == USHER_OK && PQntuples(result) == 0;
    PQclear(result);
    if (!over)
        return status;
    usher_error_set(err, USHER_EXIT_UNAVAILABLE,
                    "epoch %" PRId32 " of partition %" PRId32 " is over", epoch,
                    record->options.partition);
    return USHER_FENCED;
}

/* ---- reads ---- */

static enum usher_status load(void *self, const struct load_request *request,
                              struct usher_arena *arena, struct load_result *result,
                              struct usher_error *err)
{
    struct pg_record *record = self;
    return pg_load_run(&record->load, request, arena, result, err);
}

static enum usher_status load_more(void *self, const struct load_request *request,
                                   struct usher_arena *arena, struct load_result *result,
                                   struct usher_error *err)
{
    struct pg_record *record = self;
    return pg_load_more(&record->load, request, arena, result, err);
}

/* NOLINTNEXTLINE(readability-function-size): the port's signature */
static enum usher_status decisions(void *self, int64_t after_seq, uint32_t limit,
                                   struct usher_arena *arena, struct decision_row **rows,
                                   uint32_t *count, struct usher_error *err)
{
    struct pg_record *record = self;
    PGresult *result;
    enum usher_status status =
        pg_load_page(&record->load, PG_LOAD_DECISIONS, after_seq, limit, &result, err);

    if (status == USHER_OK) {
        *rows = pg_rows_read_all(result, PG_ROW_DECISION, arena, count, err);
        status = *rows ? USHER_OK : USHER_HALT;
        PQclear(result);
    }
    return status;
}

/* NOLINTNEXTLINE(readability-function-size): the port's signature */
static enum usher_status dead_letters(void *self, int64_t after_seq, uint32_t limit,
                                      struct usher_arena *arena, struct dead_letter_row **rows,
                                      uint32_t *count, struct usher_error *err)
{
    struct pg_record *record = self;
    PGresult *result;
    enum usher_status status =
        pg_load_page(&record->load, PG_LOAD_DEAD_LETTERS, after_seq, limit, &result, err);

    if (status == USHER_OK) {
        *rows = pg_rows_read_all(result, PG_ROW_DEAD_LETTER, arena, count, err);
        status = *rows ? USHER_OK : USHER_HALT;
        PQclear(result);
    }
    return status;
}

/* Reads the rows of a page, and frees it. Returns how many. */
static uint32_t read_revs(PGresult *page, struct resource_rev *revs)
{
    uint32_t count = (uint32_t)PQntuples(page);
    for (uint32_t i = 0; i < count; i++) {
        struct pg_row row = pg_row_of(page, (int)i, NULL);
        revs[i].no = pg_row_int8(&row, 0);
        revs[i].rev = pg_row_int8(&row, 0);
    }
    PQclear(page);
    return count;
}

static enum usher_status changed(void *self, int64_t after_seq, uint32_t limit,
                                 struct resource_rev *revs, uint32_t *count,
                                 struct usher_error *err)
{
    struct pg_record *record = self;
    PGresult *page;
    enum usher_status status =
        pg_load_page(&record->load, PG_LOAD_CHANGED, after_seq, limit, &page, err);
    *count = status == USHER_OK ? read_revs(page, revs) : 0;
    return status;
}

static enum usher_status resources(void *self, int64_t after_no, uint32_t limit,
                                   struct resource_rev *revs, uint32_t *count,
                                   struct usher_error *err)
{
    struct pg_record *record = self;
    PGresult *page;
    enum usher_status status =
        pg_load_page(&record->load, PG_LOAD_RESOURCES, after_no, limit, &page, err);
    *count = status == USHER_OK ? read_revs(page, revs) : 0;
    return status;
}

/* ---- commits ---- */

static enum usher_status commit_begin(void *self, const struct batch *batch,
                                      struct usher_error *err)
{
    struct pg_record *record = self;
    enum usher_status status = pg_commit_begin(&record->commit, batch, err);
    watch(record);
    return status;
}

static enum usher_status commit_end(void *self, int timeout_ms, bool *done, struct usher_error *err)
{
    struct pg_record *record = self;
    bool was_unsent = record->commits.unsent;
    enum usher_status status = pg_commit_end(&record->commit, timeout_ms, done, err);
    if (was_unsent != record->commits.unsent)
        watch(record);
    return status;
}

static enum usher_status rewind_refused(void *self, struct usher_error *err)
{
    struct pg_record *record = self;
    enum usher_status status = pg_commit_rewind(&record->commit, err);
    watch(record);
    return status;
}

/* ---- its life ---- */

/* A process may own a partition twice, one assignment after another: each gets a name of its own.
 */
static void name_owner(struct pg_record *record)
{
    const char *name = record->options.connection.owner;
    uint64_t token = 0;
    ssize_t drawn = getrandom(&token, sizeof token, 0);
    assert(drawn == (ssize_t)sizeof token);
    snprintf(record->owner, sizeof record->owner, "%.100s#%016" PRIx64,
             name ? name : "usher-worker", token);
}

struct record_port *pg_record_open(const struct pg_record_options *options)
{
    struct pg_record *record = memory_calloc(1, sizeof *record);
    record->options = *options;
    record->descriptor = epoll_create1(EPOLL_CLOEXEC);
    assert(record->descriptor >= 0);
    record->commit.connection = &record->commits;
    record->load.connection = &record->reads;
    record->load.limits = options->loads;
    record->commits.parameter_max = options->parameter_max;
    name_owner(record);
    record->port = (struct record_port){
        .self = record,
        .acquire = acquire,
        .is_elsewhere = is_elsewhere,
        .check_epoch = check_epoch,
        .note_halt = note_halt,
        .load = load,
        .load_more = load_more,
        .commit_begin = commit_begin,
        .commit_end = commit_end,
        .rewind = rewind_refused,
        .descriptor = descriptor,
        .changed = changed,
        .resources = resources,
        .decisions = decisions,
        .dead_letters = dead_letters,
    };
    return &record->port;
}

void pg_record_close(struct record_port *port)
{
    struct pg_record *record = port ? port->self : NULL;
    if (!record)
        return;
    pg_connection_close(&record->commits);
    pg_connection_close(&record->reads);
    pg_commit_deinit(&record->commit);
    pg_load_deinit(&record->load);
    close(record->descriptor);
    free(record);
}
