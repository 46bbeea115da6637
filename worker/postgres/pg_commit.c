/*
 * Writes a batch: the guard first, then the net effect, deletes before inserts, then the
 * decisions; one pipeline, one transaction, whose only proof of success is a clean sync.
 */
#include "worker/postgres/pg_commit.h"

#include <assert.h>

#include "producer/base/clock.h"

enum statement_index {
    ADVANCE,
    FREE,
    CHANGE_BOOKINGS,
    ADD_CHARTS,
    ADD_RESOURCES,
    CHANGE_RESOURCES,
    MARK_RESOURCES,
    ADD_POOLS,
    CHANGE_POOLS,
    ADD_BOOKINGS,
    TAKE,
    ADD_DECISIONS,
    ADD_CART_DECISIONS,
    ADD_DEAD_LETTERS,
    STATEMENT_COUNT,
};

/*
 * Every change names the state that it expects and counts what it touched. Nothing is inserted
 * with ON CONFLICT but charts, which are named by their content, and former owners, which a booking
 * may have had before.
 *
 * Rows to change are found key by key (`lateral … offset 0`) and then met by their place (ctid):
 * joined plainly, the planner reads a table that it believes to be small as a whole, and keeps
 * doing so while the table grows. Nobody else writes the partition's rows, so places stand still.
 *
 * Bookings, allocations and decisions are inserted by a bare `select *`: only so does each row go
 * in as it came, which makes a hold a twentieth cheaper.
 */
static const struct pg_statement statements[STATEMENT_COUNT] = {
    [ADVANCE] = {"advance", "select usher.advance($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)"},
    [FREE] = {"free",
              "with gone as ("
              " delete from usher.allocation where ctid = any (array("
              "  select a.place from unnest($1::usher.allocation_row[]) as f"
              "  cross join lateral (select ctid as place from usher.allocation"
              "   where pool = f.pool and unit = f.unit and booking = f.booking offset 0) as a))"
              " returning 1)"
              " select usher.expect('allocations freed', count(*), cardinality($1)) from gone"},
    [CHANGE_BOOKINGS] =
        {"change_bookings",
         "with changed as ("
         " update usher.booking as b"
         " set state = c.state, created_at = c.created_at, expires_at = c.expires_at,"
         "     ttl_s = c.ttl_s, total = c.total, customer = c.customer, cart = c.cart,"
         "     payment = c.payment, note = c.note, wants = c.wants, lines = c.lines"
         " from unnest($1::usher.booking_change_row[]) as c"
         " cross join lateral (select ctid as place, customer from usher.booking"
         "  where no = c.no and state = c.was offset 0) as p"
         " where b.ctid = p.place returning b.no, p.customer as former, c.customer),"
         " handed_over as ("
         " insert into usher.former_owner (customer, booking)"
         " select former, no from changed where former <> customer on conflict do nothing)"
         " select usher.expect('bookings changed', count(*), cardinality($1)) from changed"},
    [ADD_CHARTS] = {"add_charts", "insert into usher.chart (partition, hash, content)"
                                  " select $1, hash, content from unnest($2::usher.chart_row[])"
                                  " on conflict do nothing"},
    [ADD_RESOURCES] = {"add_resources",
                       "insert into usher.resource (partition, no, id, state, name, venue,"
                       " description, timezone, currency, starts_at, ends_at, hold_ttl_s, rev,"
                       " chart, opens_at, closes_at, strategy, terms, cancelling, unserved)"
                       " select $1, r.* from unnest($2::usher.resource_row[]) as r"},
    [CHANGE_RESOURCES] =
        {"change_resources",
         "with changed as ("
         " update usher.resource as r"
         " set state = c.state, name = c.name, venue = c.venue, description = c.description,"
         "     timezone = c.timezone, currency = c.currency, starts_at = c.starts_at,"
         "     ends_at = c.ends_at, hold_ttl_s = c.hold_ttl_s, rev = c.rev, chart = c.chart,"
         "     opens_at = c.opens_at, closes_at = c.closes_at, strategy = c.strategy,"
         "     terms = c.terms, cancelling = c.cancelling, unserved = c.unserved"
         " from unnest($1::usher.resource_row[]) as c"
         " cross join lateral (select ctid as place from usher.resource"
         "  where no = c.no and rev <= c.rev offset 0) as p"
         " where r.ctid = p.place returning 1)"
         " select usher.expect('resources changed', count(*), cardinality($1)) from changed"},
    [MARK_RESOURCES] =
        {"mark_resources",
         "with changed as ("
         " update usher.resource as r"
         " set rev = m.rev, cancelling = m.cancelling, unserved = m.unserved"
         " from unnest($1::usher.resource_mark_row[]) as m"
         " cross join lateral (select ctid as place from usher.resource"
         "  where no = m.no and rev <= m.rev offset 0) as p"
         " where r.ctid = p.place returning 1)"
         " select usher.expect('resources marked', count(*), cardinality($1)) from changed"},
    [ADD_POOLS] = {"add_pools", "insert into usher.pool (no, resource_no, index, kind, name, night,"
                                " title, capacity, price, overbook, rates, properties)"
                                " select * from unnest($1::usher.pool_row[])"},
    [CHANGE_POOLS] =
        {"change_pools",
         "with changed as ("
         " update usher.pool as p"
         " set kind = c.kind, title = c.title, capacity = c.capacity, price = c.price,"
         "     overbook = c.overbook, rates = c.rates, properties = c.properties"
         " from unnest($1::usher.pool_row[]) as c"
         " cross join lateral (select ctid as place from usher.pool"
         "  where no = c.no and resource_no = c.resource_no and index = c.index offset 0) as o"
         " where p.ctid = o.place returning 1)"
         " select usher.expect('pools changed', count(*), cardinality($1)) from changed"},
    [ADD_BOOKINGS] = {"add_bookings",
                      "insert into usher.booking (no, partition, resource_no, created_at,"
                      " expires_at, total, state, op, request_id, client, customer, cart, payment,"
                      " note, lines, meta, ttl_s, wants)"
                      " select * from unnest($1::usher.booking_row[])"},
    [TAKE] = {"take", "insert into usher.allocation (pool, booking, unit)"
                      " select * from unnest($1::usher.allocation_row[])"},
    [ADD_DECISIONS] = {"add_decisions",
                       "insert into usher.decision (seq, source_offset, resource_no, booking_no,"
                       " decided_at, appended_at, partition, epoch, codec, first, replayed,"
                       " cloud_events, id_hash, content_hash, outcome, op, reason, request_id,"
                       " resource, key, client, traceparent, body, booking_nos)"
                       " select * from unnest(case"
                       "  when usher.expect('decisions', cardinality($1::usher.decision_row[]), $2)"
                       "  then $1 end)"},
    [ADD_CART_DECISIONS] = {"add_cart_decisions",
                            "insert into usher.cart_decision (partition, booking, seq)"
                            " select $1, d.* from unnest($2::usher.cart_decision_row[]) as d"},
    [ADD_DEAD_LETTERS] = {"add_dead_letters",
                          "insert into usher.dead_letter (partition, seq, source_offset,"
                          " truncated, reason, key, value)"
                          " select $1, d.* from unnest($2::usher.dead_letter_row[]) as d"},
};

enum usher_status pg_commit_open(struct pg_commit *commit, struct pg_connection *connection,
                                 struct usher_error *err)
{
    enum usher_status status;

    commit->connection = connection;
    commit->first = commit->count = 0;
    status = pg_row_types_read(connection, &commit->types, err);
    if (status == USHER_OK)
        status = pg_connection_prepare(connection, statements, STATEMENT_COUNT, err);
    return status;
}

void pg_commit_deinit(struct pg_commit *commit)
{
    pg_array_deinit(&commit->rows);
    pg_array_deinit(&commit->more_rows);
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
    return pg_connection_send(commit->connection, statements[ADVANCE].name, &params);
}

/* Sends a statement whose only parameter is the rows. */
static bool send_rows(struct pg_commit *commit, enum statement_index statement,
                      struct pg_array *rows)
{
    struct pg_params params = {0};

    pg_params_array(&params, rows);
    return pg_connection_send(commit->connection, statements[statement].name, &params);
}

/* Sends one whose rows get the partition. */
static bool send_in_partition(struct pg_commit *commit, enum statement_index statement,
                              const struct batch *batch, struct pg_array *rows)
{
    struct pg_params params = {0};

    pg_params_int4(&params, batch->partition);
    pg_params_array(&params, rows);
    return pg_connection_send(commit->connection, statements[statement].name, &params);
}

static bool send_resources(struct pg_commit *commit, const struct batch *batch)
{
    struct pg_array *added = &commit->rows;
    struct pg_array *changed = &commit->more_rows;

    pg_array_begin(added, commit->types.resource);
    pg_array_begin(changed, commit->types.resource);
    for (uint32_t i = 0; i < batch->resource_count; i++)
        pg_rows_add_resource(batch->resources[i].is_new ? added : changed, &batch->resources[i]);
    return (added->count == 0 || send_in_partition(commit, ADD_RESOURCES, batch, added)) &&
           (changed->count == 0 || send_rows(commit, CHANGE_RESOURCES, changed));
}

static bool send_pools(struct pg_commit *commit, const struct batch *batch)
{
    struct pg_array *added = &commit->rows;
    struct pg_array *changed = &commit->more_rows;

    pg_array_begin(added, commit->types.pool);
    pg_array_begin(changed, commit->types.pool);
    for (uint32_t i = 0; i < batch->pool_count; i++)
        pg_rows_add_pool(batch->pools[i].is_new ? added : changed, &batch->pools[i]);
    return (added->count == 0 || send_rows(commit, ADD_POOLS, added)) &&
           (changed->count == 0 || send_rows(commit, CHANGE_POOLS, changed));
}

/* What goes comes before what takes its place. */
static bool send_releases(struct pg_commit *commit, const struct batch *batch)
{
    struct pg_array *rows = &commit->rows;
    bool sent = true;

    if (batch->freed_count > 0) {
        pg_rows_allocations(rows, &commit->types, batch->freed, batch->freed_count);
        sent = send_rows(commit, FREE, rows);
    }
    if (sent && batch->bookings_changed_count > 0) {
        pg_rows_booking_changes(rows, &commit->types, batch->bookings_changed,
                                batch->bookings_changed_count);
        sent = send_rows(commit, CHANGE_BOOKINGS, rows);
    }
    return sent;
}

static bool send_catalogue(struct pg_commit *commit, const struct batch *batch)
{
    bool sent = true;

    if (batch->chart_count > 0) {
        pg_rows_charts(&commit->rows, &commit->types, batch->charts, batch->chart_count);
        sent = send_in_partition(commit, ADD_CHARTS, batch, &commit->rows);
    }
    if (sent && batch->resource_mark_count > 0) {
        pg_rows_resource_marks(&commit->rows, &commit->types, batch->resource_marks,
                               batch->resource_mark_count);
        sent = send_rows(commit, MARK_RESOURCES, &commit->rows);
    }
    return sent && send_resources(commit, batch) && send_pools(commit, batch);
}

static bool send_bookings(struct pg_commit *commit, const struct batch *batch)
{
    struct pg_array *rows = &commit->rows;
    bool sent = true;

    if (batch->booking_count > 0) {
        pg_rows_bookings(rows, &commit->types, batch);
        sent = send_rows(commit, ADD_BOOKINGS, rows);
    }
    if (sent && batch->taken_count > 0) {
        pg_rows_allocations(rows, &commit->types, batch->taken, batch->taken_count);
        sent = send_rows(commit, TAKE, rows);
    }
    return sent;
}

static bool send_decisions(struct pg_commit *commit, const struct batch *batch)
{
    struct pg_array *rows = &commit->rows;
    struct pg_params params = {0};
    bool sent = true;

    if (batch->decision_count > 0) {
        pg_rows_decisions(rows, &commit->types, batch);
        pg_params_array(&params, rows);
        pg_params_int8(&params, batch->next_seq - batch->expected_next_seq);
        sent = pg_connection_send(commit->connection, statements[ADD_DECISIONS].name, &params);
        pg_rows_cart_decisions(rows, &commit->types, batch->decisions, batch->decision_count);
        if (sent && rows->count > 0)
            sent = send_in_partition(commit, ADD_CART_DECISIONS, batch, rows);
    }
    if (sent && batch->dead_letter_count > 0) {
        pg_rows_dead_letters(rows, &commit->types, batch->dead_letters, batch->dead_letter_count);
        sent = send_in_partition(commit, ADD_DEAD_LETTERS, batch, rows);
    }
    return sent;
}

static enum usher_status lost(struct pg_commit *commit, struct usher_error *err)
{
    enum usher_status status =
        pg_status_of(commit->connection->conn, NULL, PG_COMMIT, "commit", err);

    pg_connection_close(commit->connection);
    return status;
}

enum usher_status pg_commit_begin(struct pg_commit *commit, const struct batch *batch,
                                  struct usher_error *err)
{
    PGconn *conn = commit->connection->conn;
    enum usher_status status;
    bool sent;

    assert(commit->count < PG_RECORD_DEPTH);
    assert(batch->decision_count == batch->next_seq - batch->expected_next_seq);
    if (conn == NULL) {
        usher_error_set(err, USHER_EXIT_UNAVAILABLE, "could not commit: not connected");
        return USHER_RETRY;
    }
    sent = (PQpipelineStatus(conn) != PQ_PIPELINE_OFF || PQenterPipelineMode(conn)) &&
           send_advance(commit, batch) && send_releases(commit, batch) &&
           send_catalogue(commit, batch) && send_bookings(commit, batch) &&
           send_decisions(commit, batch) && PQpipelineSync(conn);
    if (!sent)
        return lost(commit, err);
    commit->begun_ms[(commit->first + commit->count++) % PG_RECORD_DEPTH] = clock_ms();
    status = pg_connection_wait(commit->connection, 0, err);
    if (status != USHER_OK)
        pg_connection_close(commit->connection);
    return status;
}

/* ---- waiting ---- */

/* Takes in what is there of the oldest batch; `*done` at its sync. */
static enum usher_status read_results(struct pg_commit *commit, bool *done, struct usher_error *err)
{
    PGconn *conn = commit->connection->conn;
    enum usher_status status = USHER_OK;

    while (!*done && status == USHER_OK && !PQisBusy(conn)) {
        PGresult *result = PQgetResult(conn);
        ExecStatusType kind = PQresultStatus(result);

        /* NULL ends a statement; on a broken connection it would come for ever. */
        if (result == NULL ? PQstatus(conn) == CONNECTION_BAD
                           : kind != PGRES_TUPLES_OK && kind != PGRES_COMMAND_OK &&
                                 kind != PGRES_PIPELINE_SYNC)
            status = pg_status_of(conn, result, PG_COMMIT, "commit", err);
        *done = kind == PGRES_PIPELINE_SYNC;
        PQclear(result);
    }
    return status;
}

/*
 * The first failure is the only one that says anything: the batches behind it are refused by the
 * chain, and what the server still does with them is over once the next epoch is acquired.
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
    enum usher_status status;

    *done = false;
    if (commit->count == 0)
        return USHER_OK;
    if (commit->connection->conn == NULL) {
        usher_error_set(err, USHER_EXIT_UNAVAILABLE, "could not commit: not connected");
        return USHER_RETRY;
    }
    status = wait_for_sync(commit, timeout_ms, done, err);
    if (status != USHER_OK) {
        pg_connection_close(commit->connection);
        return status;
    }
    if (*done) {
        commit->first = (commit->first + 1) % PG_RECORD_DEPTH;
        commit->count--;
    }
    return status;
}
