/*
 * Moves a partition between two databases. schema/postgres/023_shards.sql says which states there
 * are: each statement leads from one of them to the next, so that every moment is a safe one to be
 * killed in. The source stands still only while the target's transaction of the last page is open.
 */
#include "worker/postgres/pg_move.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "postgres_sql.h"
#include "producer/base/clock.h"
#include "worker/postgres/pg_session.h"
#include "worker/postgres/pg_value.h"

enum {
    TIMEOUT_MS = 3600 * 1000,
    PAGE_DECISIONS = 10000,
    PAGE_ROWS = 10000, /* that are deleted at once */
    WAIT_MS = 1000,    /* then it is asked again what there is to do */
    LONG_MS = 500,     /* for a partition to stand still: it is waited for something shorter … */
    LONG_ONES = 20,    /* … up to so many pages */
    FOLLOW_MS = 15000, /* how long a worker may take to connect to a target that was restarted */
    ACQUIRE_MS = 6000, /* … and to acquire the partition there, which it sees within two seconds */
    LOOK_MS = 100,     /* until all databases are looked at again, … */
    LOOKS_MAX = 5,     /* … so often */
    SQL_SIZE = 2048,
};

/* ==== Tables ==== */

/* How the rows of a page come to the target. */
enum moved_how {
    MOVED_NOT = 0,  /* not of a partition, or its row itself */
    MOVED_APPENDED, /* they were never there */
    MOVED_CHANGED,  /* what is there of them goes first */
    MOVED_WHOLE,    /* all of the partition, if any differ: few, and no decision names them */
    MOVED_MISSING,  /* those that are not there; they never change */
    MOVED_DERIVED,  /* by a trigger */
};

#define PARTITION "current_setting('usher.partition')::integer"
#define OF_PARTITION "t.partition = " PARTITION
#define NUMBERED(column)                                                         \
    "t." column " >= " PARTITION "::bigint << 48 and t." column " < (" PARTITION \
    " + 1)::bigint << 48"
#define OF_PAGE                                                        \
    OF_PARTITION " and t.seq > current_setting('usher.after')::bigint" \
                 " and t.seq <= current_setting('usher.upto')::bigint"

/*
 * All tables of the schema; one that is not among them is refused. In this order they are copied,
 * and in the reverse order deleted: a page is known by its decisions, its units by its bookings and
 * their pools.
 */
static const struct moved_table {
    const char *name;
    enum moved_how how;
    const char *all;   /* which rows t are of the partition, … */
    const char *page;  /* … and which of the page; NULL: they are not known by it */
    const char *key;   /* the column that is compared; NULL: all */
    const char *clash; /* rows that are in the way: a later page has what became of them */
} tables[] = {
    {.name = "decision", .how = MOVED_APPENDED, .all = OF_PARTITION, .page = OF_PAGE},
    {.name = "dead_letter", .how = MOVED_APPENDED, .all = OF_PARTITION, .page = OF_PAGE},
    {.name = "cart_decision",
     .how = MOVED_APPENDED,
     .all = NUMBERED("booking"),
     .page =
         "(t.booking, t.partition, t.seq) in (select b.no, d.partition, d.seq "
         "from usher.page_decisions() as d cross join lateral unnest(d.booking_nos) as b (no))"},
    {.name = "chart",
     .how = MOVED_MISSING,
     .all = OF_PARTITION,
     .page = OF_PARTITION " and t.hash <> all (current_setting('usher.charts')::text[])",
     .key = "hash"},
    {.name = "seat_row", .how = MOVED_DERIVED, .all = OF_PARTITION},
    {.name = "resource",
     .how = MOVED_CHANGED,
     .all = NUMBERED("no"),
     .page = "t.no in (select usher.page_resources())"},
    {.name = "pool",
     .how = MOVED_CHANGED,
     .all = NUMBERED("no"),
     .page = "t.resource_no in (select usher.page_resources())"},
    {.name = "booking",
     .how = MOVED_CHANGED,
     .all = NUMBERED("no"),
     .page = "t.no in (select usher.page_bookings())"},
    {.name = "former_owner",
     .how = MOVED_CHANGED,
     .all = NUMBERED("booking"),
     .page = "t.booking in (select usher.page_bookings())"},
    {.name = "allocation",
     .how = MOVED_CHANGED,
     .all = NUMBERED("pool"),
     .page = "(t.pool, t.unit, t.booking) in "
             "(select u.pool, u.unit, u.booking from usher.page_units() as u)",
     .clash = "(t.pool, t.unit) in (select u.pool, u.unit from usher.page_units() as u)"},
    /* Holds that the use of their cart has extended: no decision names them. */
    {.name = "booking",
     .how = MOVED_WHOLE,
     .all = OF_PARTITION " and t.state = 'held' and t.cart is not null"},
    {.name = "partition_halt", .how = MOVED_WHOLE, .all = OF_PARTITION},
    {.name = "partition_skip", .how = MOVED_WHOLE, .all = OF_PARTITION},
    {.name = "partition_topic", .how = MOVED_WHOLE, .all = OF_PARTITION},
    {.name = "clock_reset", .how = MOVED_WHOLE, .all = OF_PARTITION},
    {.name = "pruned", .how = MOVED_WHOLE, .all = NUMBERED("resource_no")},
    {.name = "partition_move", .how = MOVED_WHOLE, .all = OF_PARTITION},
    {.name = "partition_state"},
    {.name = "shard"},
    {.name = "schema_migration"},
    {.name = "schema_compatible"},
};

enum {
    TABLES = sizeof tables / sizeof *tables
};

/* ==== The two databases ==== */

/* A database, and what its row of the partition says: see 023_shards.sql. Names are empty for null.
 */
struct place {
    struct pg_connection connection; /* closed: there is none */
    char name[PG_SHARD_SIZE];
    bool has_row;
    char shard[PG_SHARD_SIZE], destination[PG_SHARD_SIZE];
    int32_t partition_count, epoch;
};

struct move {
    const struct pg_settings *settings;
    int32_t partition;
    const char *to;
    const struct pg_move_observer *observer;
    struct place source, target;
    int64_t rows;    /* that were copied, or deleted */
    bool has_worker; /* one had it, with a session at the target */
};

static bool lives_in(const struct place *place)
{
    return place->has_row && place->name[0] != '\0' && strcmp(place->shard, place->name) == 0;
}

static bool has_stopped(const struct place *place)
{
    return place->has_row && place->shard[0] == '\0' && place->destination[0] != '\0';
}

static enum usher_status refuse(const struct move *move, const char *why, const char *name,
                                struct usher_error *err)
{
    usher_error_set(err, USHER_EXIT_BAD_INPUT, "could not %s partition %" PRId32 ": %s \"%s\"",
                    move->to ? "move" : "forget moved", move->partition, why, name);
    return USHER_FATAL;
}

static enum usher_status changed_meanwhile(const struct move *move, const struct place *place,
                                           struct usher_error *err)
{
    return refuse(move, "somebody else moves it, too, or cancelled that: run it again; shard",
                  place->name, err);
}

static void tell(const struct move *move, enum pg_move_step step, int64_t done, int64_t total)
{
    const struct pg_move_progress progress = {.step = step, .done = done, .total = total};
    move->observer->moved_on(move->observer->self, &progress);
}

/* Runs a statement; `*rows` is how many it returned or changed. */
static enum usher_status run(struct place *place, const char *sql, const struct pg_params *params,
                             int64_t *rows, struct usher_error *err)
{
    PGresult *result;
    enum usher_status status = pg_connection_query(&place->connection, sql, params, &result, err);
    *rows = status == USHER_OK ? strtoll(PQcmdTuples(result), NULL, 10) : 0;
    PQclear(result);
    return status;
}

/* The same of one that is about the partition and a shard. */
static enum usher_status run_about(const struct move *move, struct place *place, const char *sql,
                                   const char *shard, int64_t *rows, struct usher_error *err)
{
    struct pg_params params = {0};
    pg_params_int4(&params, move->partition);
    if (shard)
        pg_params_text(&params, shard);
    return run(place, sql, &params, rows, err);
}

/* Its only column of its only row, in the arena; NULL: null. */
static enum usher_status read_text(struct place *place, const char *sql,
                                   const struct pg_params *params, struct usher_arena *arena,
                                   const char **text, struct usher_error *err)
{
    PGresult *result;
    enum usher_status status = pg_connection_query(&place->connection, sql, params, &result, err);
    if (status == USHER_OK) {
        struct pg_row row = pg_row_of(result, 0, arena);
        *text = pg_row_text(&row, NULL);
    }
    PQclear(result);
    return status;
}

/* ---- finding them ---- */

static void read_name(struct pg_row *row, char name[PG_SHARD_SIZE])
{
    const char *text = pg_row_text(row, NULL);
    snprintf(name, PG_SHARD_SIZE, "%s", text ? text : "");
}

static enum usher_status look(const struct move *move, struct place *place, struct usher_error *err)
{
    struct usher_arena arena = {0};
    struct pg_params params = {0};
    PGresult *result;
    pg_params_int4(&params, move->partition);
    enum usher_status status =
        pg_connection_query(&place->connection, move_stand_sql, &params, &result, err);
    if (status == USHER_OK) {
        struct pg_row row = pg_row_of(result, 0, &arena);
        read_name(&row, place->name);
        place->has_row = pg_row_bool(&row);
        read_name(&row, place->shard);
        read_name(&row, place->destination);
        place->partition_count = pg_row_int4(&row, 0);
        place->epoch = pg_row_int4(&row, 0);
    }
    PQclear(result);
    usher_arena_deinit(&arena);
    return status;
}

/* For statements that take long, and a join that no index helps. */
static enum usher_status open_place(const struct move *move, uint32_t number, struct place *place,
                                    struct usher_error *err)
{
    struct pg_settings one = pg_session_one(move->settings, number);
    one.statement_timeout_ms = one.query_timeout_ms = TIMEOUT_MS;
    *place = (struct place){0};
    enum usher_status status = pg_session_open_schema(&place->connection, &one, err);
    place->connection.purpose = "move the partition";
    if (status == USHER_OK)
        status = pg_connection_script(&place->connection, "set enable_hashjoin = on", err);
    if (status == USHER_OK)
        status = look(move, place, err);
    if (status != USHER_OK)
        pg_connection_close(&place->connection);
    return status;
}

static void close_places(struct move *move)
{
    pg_connection_close(&move->source.connection);
    pg_connection_close(&move->target.connection);
    move->source = move->target = (struct place){0};
}

/* Keeps the target, and where the partition comes from; closes any other. */
static enum usher_status keep(struct move *move, struct place *place, struct usher_error *err)
{
    struct place *kept = NULL;
    if (strcmp(place->name, move->to) == 0)
        kept = &move->target;
    else if (lives_in(place) || has_stopped(place))
        kept = &move->source;
    if (kept && !kept->connection.conn) {
        *kept = *place;
        return USHER_OK;
    }
    pg_connection_close(&place->connection);
    if (kept == &move->target)
        return refuse(move, "two databases are called", place->name, err);
    if (!kept)
        return USHER_OK;
    (void)refuse(move, "it lives in several shards, of which one is", place->name, err);
    return USHER_REJECT;
}

/* Each as it stands when it is asked: another move may end between two of them. */
static enum usher_status look_once(struct move *move, struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    for (uint32_t i = 0; status == USHER_OK && i < pg_session_databases(move->settings); i++) {
        struct place place;
        status = open_place(move, i, &place, err);
        if (status == USHER_OK)
            status = keep(move, &place, err);
    }
    if (status != USHER_OK)
        return status;
    const struct place *source = &move->source, *target = &move->target;
    if (!target->connection.conn)
        return refuse(move, "USHER_POSTGRES names no shard", move->to, err);
    if (!source->connection.conn && !lives_in(target)) {
        (void)refuse(move, "it lives in none of the databases, and not in", move->to, err);
        return USHER_REJECT;
    }
    if (lives_in(source) && lives_in(target)) {
        (void)refuse(move, "it lives in several shards, of which one is", source->name, err);
        return USHER_REJECT;
    }
    if (source->destination[0] != '\0' && strcmp(source->destination, move->to) != 0)
        return refuse(move, "first cancel that it is being moved to shard", source->destination,
                      err);
    return USHER_OK;
}

static void rest_before(int turn)
{
    if (turn > 0)
        nanosleep(&(struct timespec){.tv_nsec = LOOK_MS * 1000000L}, NULL);
}

/* Looks again where another move explains what was seen. */
static enum usher_status open_places(struct move *move, struct usher_error *err)
{
    enum usher_status status = USHER_REJECT;
    for (int turn = 0; status == USHER_REJECT && turn < LOOKS_MAX; turn++) {
        rest_before(turn);
        close_places(move);
        status = look_once(move, err);
    }
    return status == USHER_REJECT ? USHER_FATAL : status;
}

/* ==== Deleting ==== */

/*
 * A home that was restored to an earlier moment has less than what it left elsewhere, or what left
 * for it: then that is the last copy.
 */
static enum usher_status check_all_is_home(const struct move *move, struct place *left,
                                           struct place *home, struct usher_error *err)
{
    struct usher_arena arena = {0};
    struct pg_params here = {0}, there = {0};
    const char *copy = NULL, *missing = NULL;
    pg_params_int4(&here, move->partition);
    pg_params_int4(&there, move->partition);
    enum usher_status status = read_text(left, move_copy_sql, &here, &arena, &copy, err);
    pg_params_text(&there, copy);
    if (status == USHER_OK)
        status = read_text(home, move_missing_sql, &there, &arena, &missing, err);
    if (missing) {
        usher_error_set(err, USHER_EXIT_BAD_INPUT,
                        "could not delete what shard %s has of partition %" PRId32
                        ": it is more than its home has, shard %s: %s; see \"PostgreSQL is full\" "
                        "in deploy/recovery.md",
                        left->name, move->partition, home->name, missing);
        status = USHER_FATAL;
    }
    usher_arena_deinit(&arena);
    return status;
}

static enum usher_status commit(struct place *place, struct usher_error *err)
{
    return pg_connection_commit(&place->connection, err);
}

/* Begins a transaction in which nobody takes up the rows that are left behind there. */
static enum usher_status begin_delete(const struct move *move, struct place *place,
                                      struct usher_error *err)
{
    int64_t rows = 0;
    enum usher_status status = pg_connection_script(&place->connection, "begin", err);
    if (status == USHER_OK)
        status = run_about(move, place, move_lock_left_sql, NULL, &rows, err);
    if (status == USHER_OK && rows == 0)
        return changed_meanwhile(move, place, err);
    return status;
}

static enum usher_status delete_page(struct move *move, struct place *place, size_t table,
                                     int64_t *rows, struct usher_error *err)
{
    char sql[SQL_SIZE];
    snprintf(sql, sizeof sql,
             "delete from usher.%s where ctid = any (array("
             "select t.ctid from usher.%s as t where %s limit %d))",
             tables[table].name, tables[table].name, tables[table].all, PAGE_ROWS);
    enum usher_status status = begin_delete(move, place, err);
    if (status == USHER_OK)
        status = run(place, sql, NULL, rows, err);
    if (status == USHER_OK)
        status = commit(place, err);
    move->rows += *rows;
    if (status == USHER_OK)
        tell(move, PG_MOVE_DELETES, move->rows, 0);
    return status;
}

/* Deletes all rows of the partition there, its own last, if its home has them. */
static enum usher_status delete_left(struct move *move, struct place *place, struct place *home,
                                     struct usher_error *err)
{
    int64_t rows;
    enum usher_status status = check_all_is_home(move, place, home, err);
    for (size_t i = 0; status == USHER_OK && i < TABLES; i++) {
        rows = tables[i].how == MOVED_NOT ? 0 : PAGE_ROWS;
        while (status == USHER_OK && rows == PAGE_ROWS)
            status = delete_page(move, place, i, &rows, err);
    }
    if (status == USHER_OK)
        status = begin_delete(move, place, err);
    if (status == USHER_OK)
        status = run_about(move, place, move_forget_state_sql, NULL, &rows, err);
    return status == USHER_OK ? commit(place, err) : status;
}

/* ==== A page ==== */

struct page {
    int64_t after, upto, last; /* seqs: of the page, and of the source */
    bool stopped;  /* the source stands still: the last page makes it live at the target */
    bool compares; /* all rows of both sides, once those of the page are here */
    const char *unfinished, *charts, *row; /* as in move.sql; in the arena */
    struct usher_arena arena;
};

/* At the target. */
static enum usher_status begin_page(struct move *move, struct page *page, struct usher_error *err)
{
    struct pg_params params = {0};
    PGresult *result = NULL;
    int64_t rows = 0;
    pg_params_int4(&params, move->partition);
    enum usher_status status = pg_connection_script(&move->target.connection, "begin", err);
    if (status == USHER_OK)
        status = run_about(move, &move->target, move_lock_sql, NULL, &rows, err);
    if (status == USHER_OK && rows == 0)
        status = changed_meanwhile(move, &move->target, err);
    if (status == USHER_OK)
        status =
            pg_connection_query(&move->target.connection, move_begin_sql, &params, &result, err);
    if (status == USHER_OK) {
        struct pg_row row = pg_row_of(result, 0, &page->arena);
        page->after = pg_row_int8(&row, 0);
        page->unfinished = pg_row_text(&row, NULL);
        page->charts = pg_row_text(&row, NULL);
    }
    PQclear(result);
    return status;
}

/* At the source, whose rows all come from one snapshot. */
static enum usher_status read_page(struct move *move, struct page *page, struct usher_error *err)
{
    struct pg_params params = {0};
    PGresult *result = NULL;
    pg_params_int4(&params, move->partition);
    pg_params_text(&params, move->to);
    pg_params_int8(&params, page->after);
    pg_params_int8(&params, PAGE_DECISIONS);
    pg_params_int4(&params, page->stopped);
    pg_params_text(&params, page->unfinished);
    enum usher_status status = pg_connection_script(&move->source.connection,
                                                    "begin isolation level repeatable read", err);
    if (status == USHER_OK)
        status =
            pg_connection_query(&move->source.connection, move_page_sql, &params, &result, err);
    if (status == USHER_OK && PQntuples(result) == 0)
        status = changed_meanwhile(move, &move->source, err);
    if (status == USHER_OK) {
        struct pg_row row = pg_row_of(result, 0, &page->arena);
        page->upto = pg_row_int8(&row, 0);
        page->last = pg_row_int8(&row, 0);
        page->unfinished = pg_row_text(&row, NULL);
        page->row = pg_row_text(&row, NULL);
    }
    PQclear(result);
    return status;
}

/* Says on either side which rows the page has. */
static enum usher_status set_page(const struct move *move, struct page *page, struct place *place,
                                  struct usher_error *err)
{
    struct pg_params params = {0};
    int64_t rows;
    pg_params_text(&params, usher_arena_format(&page->arena, "%" PRId32, move->partition));
    pg_params_text(&params, usher_arena_format(&page->arena, "%" PRId64, page->after));
    pg_params_text(&params, usher_arena_format(&page->arena, "%" PRId64, page->upto));
    pg_params_text(&params, page->unfinished);
    pg_params_text(&params, page->charts);
    return run(place, move_set_sql, &params, &rows, err);
}

/* ---- its rows ---- */

/* The next result of a statement that is under way; NULL: it is over. */
static enum usher_status await_result(struct pg_connection *connection, PGresult **result,
                                      struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    while (status == USHER_OK && PQisBusy(connection->conn))
        status = pg_connection_wait(connection, WAIT_MS, err);
    *result = status == USHER_OK ? PQgetResult(connection->conn) : NULL;
    return status;
}

static enum usher_status begin_copy(struct pg_connection *connection, const char *sql,
                                    struct usher_error *err)
{
    PGresult *result = NULL;
    if (!PQsendQuery(connection->conn, sql))
        return pg_connection_lost(connection, connection->purpose, err);
    enum usher_status status = await_result(connection, &result, err);
    if (status == USHER_OK && PQresultStatus(result) != PGRES_COPY_IN)
        status = pg_status_of(connection->conn, result, PG_READ, connection->purpose, err);
    PQclear(result);
    return status;
}

static enum usher_status write_line(void *context, const char *text, size_t size,
                                    struct usher_error *err)
{
    struct pg_connection *connection = context;
    enum usher_status status = USHER_OK;
    int sent = PQputCopyData(connection->conn, text, (int)size);
    while (status == USHER_OK && sent == 0) {
        status = pg_connection_wait(connection, WAIT_MS, err);
        sent = PQputCopyData(connection->conn, text, (int)size);
    }
    return sent < 0 ? pg_connection_lost(connection, connection->purpose, err) : status;
}

/* `*rows` is how many there were. What the server said no to is said here. */
static enum usher_status end_copy(struct pg_connection *connection, int64_t *rows,
                                  struct usher_error *err)
{
    PGresult *result = NULL;
    enum usher_status status = USHER_OK;
    int sent = PQputCopyEnd(connection->conn, NULL);
    while (status == USHER_OK && sent == 0) {
        status = pg_connection_wait(connection, WAIT_MS, err);
        sent = PQputCopyEnd(connection->conn, NULL);
    }
    if (sent < 0)
        return pg_connection_lost(connection, connection->purpose, err);
    if (status == USHER_OK)
        status = await_result(connection, &result, err);
    if (status == USHER_OK && PQresultStatus(result) != PGRES_COMMAND_OK)
        status = pg_status_of(connection->conn, result, PG_READ, connection->purpose, err);
    *rows = status == USHER_OK ? strtoll(PQcmdTuples(result), NULL, 10) : 0;
    PQclear(result);
    if (status == USHER_OK)
        status = await_result(connection, &result, err); /* NULL, which ends it */
    return status;
}

/* From the source to the target, as they come. A target that still expects rows is closed. */
static enum usher_status copy_rows(struct move *move, const char *table, const char *which,
                                   struct usher_error *err)
{
    char from[SQL_SIZE], to[SQL_SIZE];
    int64_t lines, rows = 0;
    snprintf(from, sizeof from,
             "copy (select t.* from usher.%s as t where %s) to stdout (format binary)", table,
             which);
    snprintf(to, sizeof to, "copy usher.%s from stdin (format binary)", table);
    struct pg_connection *target = &move->target.connection;
    enum usher_status status = begin_copy(target, to, err);
    if (status == USHER_OK)
        status =
            pg_connection_copy(&move->source.connection, from, target, write_line, &lines, err);
    if (status == USHER_OK)
        status = end_copy(target, &rows, err);
    else
        pg_connection_close(target);
    move->rows += rows;
    return status;
}

static enum usher_status delete_rows(struct move *move, const char *table, const char *which,
                                     struct usher_error *err)
{
    char sql[SQL_SIZE];
    int64_t rows;
    snprintf(sql, sizeof sql, "delete from usher.%s as t where %s", table, which);
    return run(&move->target, sql, NULL, &rows, err);
}

/* Whether both sides have the same rows: as many, and with the same sum of hashes. */
static enum usher_status compare_rows(struct move *move, const struct moved_table *table,
                                      const char *which, bool *same, struct usher_error *err)
{
    char sql[SQL_SIZE];
    struct usher_arena arena = {0};
    const char *source = NULL, *target = NULL;
    snprintf(sql, sizeof sql,
             "select count(*) || ' ' || coalesce(sum(hashtextextended(%s::text, 0)::numeric), 0) "
             "from usher.%s as t where %s",
             table->key ? table->key : "t", table->name, which);
    enum usher_status status = read_text(&move->source, sql, NULL, &arena, &source, err);
    if (status == USHER_OK)
        status = read_text(&move->target, sql, NULL, &arena, &target, err);
    *same = status == USHER_OK && strcmp(source, target) == 0;
    usher_arena_deinit(&arena);
    return status;
}

/* What differs although it was copied was changed by hand, or is damaged. */
static enum usher_status verify_rows(struct move *move, const struct moved_table *table,
                                     const char *which, struct usher_error *err)
{
    bool same = false;
    enum usher_status status = compare_rows(move, table, which, &same, err);
    if (status != USHER_OK || same)
        return status;
    usher_error_set(
        err, USHER_EXIT_BUG,
        "could not move partition %" PRId32
        ": table %s differs between shards \"%s\" and \"%s\"; run it with --cancel, and "
        "then again",
        move->partition, table->name, move->source.name, move->to);
    return USHER_FATAL;
}

/* ---- in their order ---- */

static enum usher_status delete_changed(struct move *move, struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    for (size_t i = TABLES; status == USHER_OK && i > 0; i--)
        if (tables[i - 1].how == MOVED_CHANGED)
            status = delete_rows(move, tables[i - 1].name, tables[i - 1].page, err);
    return status;
}

static enum usher_status replace_whole(struct move *move, const struct moved_table *table,
                                       struct usher_error *err)
{
    bool same = false;
    enum usher_status status = compare_rows(move, table, table->all, &same, err);
    if (status == USHER_OK && !same)
        status = delete_rows(move, table->name, table->all, err);
    if (status == USHER_OK && !same)
        status = copy_rows(move, table->name, table->all, err);
    return status;
}

static enum usher_status copy_table(struct move *move, const struct page *page, size_t i,
                                    struct usher_error *err)
{
    const struct moved_table *table = &tables[i];
    enum usher_status status = USHER_OK;
    if (table->how == MOVED_CHANGED && tables[i - 1].how != MOVED_CHANGED)
        status = delete_changed(move, err);
    if (status == USHER_OK && table->clash)
        status = delete_rows(move, table->name, table->clash, err);
    if (status == USHER_OK && table->page)
        status = copy_rows(move, table->name, table->page, err);
    if (status == USHER_OK && table->how == MOVED_WHOLE && page->upto == page->last)
        status = replace_whole(move, table, err);
    return status;
}

static enum usher_status verify_page(struct move *move, const struct page *page,
                                     struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    for (size_t i = 0; status == USHER_OK && i < TABLES; i++) {
        const struct moved_table *table = &tables[i];
        const char *which =
            page->compares || table->how == MOVED_MISSING ? table->all : table->page;
        if (which)
            status = verify_rows(move, table, which, err);
    }
    return status;
}

/* For people. `target` NULL: what it had left at the source was deleted. */
static enum usher_status note(const struct move *move, struct place *home, const char *source,
                              const char *target, struct usher_error *err)
{
    struct pg_params params = {0};
    int64_t rows;
    pg_params_int4(&params, move->partition);
    pg_params_text(&params, source);
    pg_params_text(&params, target);
    return run(home, move_note_sql, &params, &rows, err);
}

/* From here on it lives at the target, once that is committed. */
static enum usher_status arrive(struct move *move, const struct page *page, struct usher_error *err)
{
    struct pg_params params = {0};
    int64_t rows;
    pg_params_text(&params, page->row);
    enum usher_status status =
        run_about(move, &move->target, move_forget_state_sql, NULL, &rows, err);
    if (status == USHER_OK)
        status = run(&move->target, move_take_state_sql, &params, &rows, err);
    if (status == USHER_OK)
        status = run_about(move, &move->target, move_arrive_sql, NULL, &rows, err);
    return status == USHER_OK ? note(move, &move->target, move->source.name, move->target.name, err)
                              : status;
}

static enum usher_status turn(struct move *move, const struct page *page, struct usher_error *err)
{
    struct pg_params params = {0};
    int64_t rows;
    pg_params_int4(&params, move->partition);
    pg_params_int8(&params, page->upto);
    return run(&move->target, move_turn_sql, &params, &rows, err);
}

/* One transaction at the target; at the source one that only reads. */
static enum usher_status copy_page(struct move *move, struct page *page, struct usher_error *err)
{
    enum usher_status status = begin_page(move, page, err);
    if (status == USHER_OK)
        status = read_page(move, page, err);
    if (status == USHER_OK)
        status = set_page(move, page, &move->source, err);
    if (status == USHER_OK)
        status = set_page(move, page, &move->target, err);
    for (size_t i = 0; status == USHER_OK && i < TABLES; i++)
        status = copy_table(move, page, i, err);
    if (status == USHER_OK)
        status = verify_page(move, page, err);
    if (status == USHER_OK)
        status = page->stopped && page->upto == page->last ? arrive(move, page, err)
                                                           : turn(move, page, err);
    if (status == USHER_OK)
        status = commit(&move->target, err);
    if (status == USHER_OK)
        status = commit(&move->source, err);
    usher_arena_deinit(&page->arena);
    if (status == USHER_OK)
        tell(move, page->compares ? PG_MOVE_COMPARES : PG_MOVE_COPIES, page->upto, page->last);
    return status;
}

/* ==== Moving ==== */

static enum usher_status refuse_tables(struct move *move, struct usher_error *err)
{
    struct usher_arena arena = {0};
    struct pg_params params = {0};
    struct pg_array names = {0};
    PGresult *result;
    pg_array_begin(&names, PG_TYPE_TEXT);
    for (size_t i = 0; i < TABLES; i++)
        pg_array_text(&names, tables[i].name);
    pg_params_array(&params, &names);
    enum usher_status status =
        pg_connection_query(&move->source.connection, move_tables_sql, &params, &result, err);
    if (status == USHER_OK) {
        struct pg_row row = pg_row_of(result, 0, &arena);
        const char *others = pg_row_text(&row, NULL);
        if (others)
            status = refuse(move, "the schema has tables of somebody else:", others, err);
    }
    PQclear(result);
    pg_array_deinit(&names);
    usher_arena_deinit(&arena);
    return status;
}

/* Nobody would decide it if its worker could not follow: one that connects again is waited for. */
static enum usher_status check_worker(struct move *move, struct usher_error *err)
{
    struct usher_arena arena = {0};
    const char *worker;
    int64_t sessions = 0, until_ms = clock_ms() + FOLLOW_MS;
    enum usher_status status;
    do {
        struct pg_params partition = {0}, called = {0};
        pg_params_int4(&partition, move->partition);
        worker = NULL;
        status = read_text(&move->source, move_owner_sql, &partition, &arena, &worker, err);
        pg_params_text(&called, worker);
        if (status == USHER_OK && worker)
            status = run(&move->target, move_session_sql, &called, &sessions, err);
    } while (status == USHER_OK && worker && sessions == 0 && clock_ms() < until_ms &&
             nanosleep(&(struct timespec){.tv_nsec = 100 * 1000000L}, NULL) == 0);
    if (status == USHER_OK && worker && sessions == 0) {
        usher_error_set(err, USHER_EXIT_UNAVAILABLE,
                        "could not move partition %" PRId32 ": all workers need the URI of that "
                        "shard in USHER_POSTGRES, unlike worker \"%s\"",
                        move->partition, strchr(worker, ' ') + 1);
        status = USHER_RETRY;
    }
    move->has_worker = status == USHER_OK && worker;
    usher_arena_deinit(&arena);
    return status;
}

/* A row at the target, with what the source's says of the topic; `sql` is for where there is one.
 */
static enum usher_status put_row(struct move *move, const char *sql, int64_t *rows,
                                 struct usher_error *err)
{
    struct pg_params params = {0};
    pg_params_int4(&params, move->partition);
    pg_params_int4(&params, move->source.partition_count);
    pg_params_int4(&params, move->source.epoch);
    pg_params_text(&params, move->source.name);
    return run(&move->target, sql, &params, rows, err);
}

/* Changes the source's row. */
static enum usher_status change_source(struct move *move, const char *sql, struct usher_error *err)
{
    int64_t rows = 0;
    enum usher_status status = run_about(move, &move->source, sql, move->to, &rows, err);
    return status == USHER_OK && rows == 0 ? changed_meanwhile(move, &move->source, err) : status;
}

/* What goes through the databases meanwhile would find the partition in both, or in none. */
static enum usher_status hold(const struct move *move, struct place *source,
                              struct usher_error *err)
{
    int64_t rows;
    enum usher_status status = run(source, move_hold_sql, NULL, &rows, err);
    if (status == USHER_RETRY && strcmp(source->connection.sqlstate, "55P03") == 0)
        usher_error_set(err, USHER_EXIT_UNAVAILABLE,
                        "could not move partition %" PRId32
                        ": prune, forget-customer or migrate is under way in shard %s: wait, and "
                        "run it again",
                        move->partition, source->name);
    return status;
}

/* It is on its way from here on: those that need it to stay wait for that, or say so. */
static enum usher_status leave(struct move *move, struct usher_error *err)
{
    int64_t rows;
    enum usher_status status = pg_connection_script(&move->source.connection, "begin", err);
    if (status == USHER_OK)
        status = hold(move, &move->source, err);
    if (status == USHER_OK)
        status = change_source(move, move_leave_sql, err);
    if (status == USHER_OK)
        status = commit(&move->source, err);
    return status == USHER_OK ? put_row(move, move_expect_sql, &rows, err) : status;
}

/* Both say that it is on its way: neither is migrated meanwhile. */
static enum usher_status check_versions(struct move *move, struct usher_error *err)
{
    struct usher_arena arena = {0};
    const char *source = "", *target = "";
    enum usher_status status =
        read_text(&move->source, move_version_sql, NULL, &arena, &source, err);
    if (status == USHER_OK)
        status = read_text(&move->target, move_version_sql, NULL, &arena, &target, err);
    if (status == USHER_OK && strcmp(source, target) != 0) {
        usher_error_set(err, USHER_EXIT_CONFIG,
                        "could not move partition %" PRId32
                        ": the schema of shard %s is version %s, that of shard %s is version %s: "
                        "run `usher-worker migrate up`",
                        move->partition, move->source.name, source, move->to, target);
        status = USHER_FATAL;
    }
    usher_arena_deinit(&arena);
    return status;
}

/*
 * Pages until one has all that the source had when it began, and the next would hardly be shorter:
 * the partition stands still for as long as that. If that is long, a disk may be busy for a while.
 */
static enum usher_status copy_pages(struct move *move, struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    int64_t took_ms = TIMEOUT_MS, before_ms;
    struct page page;
    uint32_t long_ones = 0;
    do {
        int64_t began_ms = clock_ms();
        page = (struct page){0};
        status = copy_page(move, &page, err);
        before_ms = took_ms;
        took_ms = clock_ms() - began_ms;
        long_ones += page.upto == page.last && took_ms > LONG_MS;
    } while (status == USHER_OK && (page.upto < page.last || took_ms < before_ms / 2 ||
                                    (took_ms > LONG_MS && long_ones < LONG_ONES)));
    return status;
}

static enum usher_status prepare(struct move *move, struct usher_error *err)
{
    struct page all = {.compares = true};
    enum usher_status status = refuse_tables(move, err);
    if (status == USHER_OK)
        status = check_versions(move, err);
    if (status == USHER_OK)
        status = check_worker(move, err);
    if (status == USHER_OK && move->target.has_row && move->target.destination[0] == '\0')
        status = delete_left(move, &move->target, &move->source, err);
    move->rows = 0;
    if (status == USHER_OK)
        status = leave(move, err);
    if (status == USHER_OK)
        status = check_versions(move, err);
    if (status == USHER_OK)
        status = copy_pages(move, err);
    if (status == USHER_OK)
        status = copy_page(move, &all, err);
    if (status == USHER_OK)
        status = copy_pages(move, err);
    return status == USHER_OK ? check_worker(move, err) : status; /* it may be another one */
}

/* ---- while it stands still ---- */

static enum usher_status finish(struct move *move, int64_t *decisions, struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    struct page page;
    do {
        page = (struct page){.stopped = true};
        status = copy_page(move, &page, err);
        *decisions += page.upto - page.after;
    } while (status == USHER_OK && page.upto < page.last);
    return status;
}

/*
 * The source goes on after a failure, unless it lives at the target after all: under the lock
 * without which nobody has it live there. What cannot be done now is done by the next call.
 */
static void go_on(const struct move *failed)
{
    struct move move = {.settings = failed->settings,
                        .partition = failed->partition,
                        .to = failed->to,
                        .observer = failed->observer};
    int64_t rows = 0;
    enum usher_status status = open_places(&move, NULL);
    if (status == USHER_OK)
        status = pg_connection_script(&move.target.connection, "begin", NULL);
    if (status == USHER_OK)
        status = run_about(&move, &move.target, move_lock_sql, NULL, &rows, NULL);
    if (status == USHER_OK && rows > 0)
        (void)run_about(&move, &move.source, move_go_on_sql, move.to, &rows, NULL);
    close_places(&move);
}

static enum usher_status stop(struct move *move, struct usher_error *err)
{
    int64_t rows;
    enum usher_status status = pg_connection_script(&move->source.connection, "begin", err);
    if (status == USHER_OK)
        status = run_about(move, &move->source, move_lock_source_sql, NULL, &rows, err);
    if (status == USHER_OK)
        status = change_source(move, move_stop_sql, err);
    return status == USHER_OK ? commit(&move->source, err) : status;
}

static enum usher_status move_stopped(struct move *move, struct pg_moved *moved,
                                      struct usher_error *err)
{
    int64_t began_ms = clock_ms();
    enum usher_status status = has_stopped(&move->source) ? USHER_OK : stop(move, err);
    if (status == USHER_OK)
        status = finish(move, &moved->decisions, err);
    moved->stopped_ms = clock_ms() - began_ms;
    if (status != USHER_OK) {
        close_places(move); /* which gives the lock back */
        go_on(move);
        return status;
    }
    return change_source(move, move_leave_behind_sql, err);
}

/* ---- those who are to follow ---- */

static void await_worker(struct move *move)
{
    const int64_t until_ms = clock_ms() + ACQUIRE_MS;
    int64_t rows = 0;
    enum usher_status status = USHER_OK;
    while (status == USHER_OK && rows == 0 && clock_ms() < until_ms) {
        status = run_about(move, &move->target, move_followed_sql, NULL, &rows, NULL);
        if (rows == 0)
            nanosleep(&(struct timespec){.tv_nsec = LOOK_MS * 1000000L}, NULL);
    }
    if (status == USHER_OK && rows == 0)
        move->observer->warn(move->observer->self, "no worker has acquired it there yet");
}

/* What is not known of it is not worth a failure: the partition has moved. */
static void warn_of_sessions(struct move *move)
{
    struct usher_arena arena = {0};
    PGresult *result = NULL;
    enum usher_status status =
        pg_connection_query(&move->source.connection, move_sessions_sql, NULL, &result, NULL);
    for (int i = 0; status == USHER_OK && i < PQntuples(result); i++) {
        struct pg_row row = pg_row_of(result, i, &arena);
        struct pg_params called = {0};
        int64_t sessions = 0;
        const char *name = pg_row_text(&row, NULL);
        pg_params_text(&called, name);
        status = run(&move->target, move_session_sql, &called, &sessions, NULL);
        if (status == USHER_OK && sessions == 0)
            move->observer->warn(
                move->observer->self,
                usher_arena_format(&arena,
                                   "\"%s\" has a session in shard %s and none in shard %s: it "
                                   "needs the URIs of both, or it sees only a part",
                                   name, move->source.name, move->to));
    }
    PQclear(result);
    usher_arena_deinit(&arena);
}

/* ---- all ---- */

enum usher_status pg_move(const struct pg_settings *settings, int32_t partition, const char *to,
                          const struct pg_move_observer *observer, struct pg_moved *moved,
                          struct usher_error *err)
{
    struct move move = {
        .settings = settings, .partition = partition, .to = to, .observer = observer};
    *moved = (struct pg_moved){0};
    enum usher_status status = open_places(&move, err);
    moved->was_there = status == USHER_OK && lives_in(&move.target);
    if (moved->was_there) {
        if (move.source.connection.conn)
            status = change_source(&move, move_leave_behind_sql, err);
    } else {
        if (status == USHER_OK && !has_stopped(&move.source))
            status = prepare(&move, err);
        if (status == USHER_OK)
            status = move_stopped(&move, moved, err);
        if (status == USHER_OK && move.has_worker)
            await_worker(&move);
        if (status == USHER_OK)
            warn_of_sessions(&move);
    }
    moved->rows = move.rows;
    close_places(&move);
    return status;
}

/* Under the lock of the target's row, so that nobody has it live there meanwhile. */
static enum usher_status give_up(struct move *move, struct usher_error *err)
{
    int64_t rows = 0;
    enum usher_status status = pg_connection_script(&move->target.connection, "begin", err);
    if (status == USHER_OK)
        status = put_row(move, move_give_up_sql, &rows, err);
    if (status == USHER_OK && rows == 0)
        return refuse(move, "it lives already in shard", move->to, err);
    if (status == USHER_OK)
        status = run_about(move, &move->source, move_stay_sql, move->to, &rows, err);
    return status == USHER_OK ? commit(&move->target, err) : status;
}

enum usher_status pg_move_cancel(const struct pg_settings *settings, int32_t partition,
                                 const char *to, const struct pg_move_observer *observer,
                                 int64_t *rows, struct usher_error *err)
{
    struct move move = {
        .settings = settings, .partition = partition, .to = to, .observer = observer};
    enum usher_status status = open_places(&move, err);
    if (status == USHER_OK && lives_in(&move.target))
        status = refuse(&move, "it lives already in shard", to, err);
    if (status == USHER_OK)
        status = give_up(&move, err);
    if (status == USHER_OK)
        status = delete_left(&move, &move.target, &move.source, err);
    *rows = move.rows;
    close_places(&move);
    return status;
}

/* ==== Rows that are left behind ==== */

/*
 * Keeps the database open in which it lives: it may have moved on from the one that it went to.
 * REJECT: it lives in none, or in several; another move may explain that.
 */
static enum usher_status look_for_home(struct move *move, const char *shard, struct place *home,
                                       struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    for (uint32_t i = 0; status == USHER_OK && i < pg_session_databases(move->settings); i++) {
        struct place place;
        status = open_place(move, i, &place, err);
        if (status == USHER_OK && lives_in(&place) && !home->connection.conn) {
            *home = place;
            continue;
        }
        if (status == USHER_OK && lives_in(&place)) {
            (void)refuse(move, "it lives in several shards, of which one is", place.name, err);
            err->exit_code = USHER_EXIT_CONFIG;
            status = USHER_REJECT;
        }
        pg_connection_close(&place.connection);
    }
    if (status == USHER_OK && !home->connection.conn) {
        (void)refuse(move, "its rows are kept, for it lives in no database, and not in shard",
                     shard, err);
        status = USHER_REJECT;
    }
    if (status != USHER_OK)
        pg_connection_close(&home->connection);
    return status;
}

static enum usher_status open_home(struct move *move, const char *shard, struct place *home,
                                   struct usher_error *err)
{
    enum usher_status status = USHER_REJECT;
    for (int turn = 0; status == USHER_REJECT && turn < LOOKS_MAX; turn++) {
        rest_before(turn);
        status = look_for_home(move, shard, home, err);
    }
    return status == USHER_REJECT ? USHER_FATAL : status;
}

static enum usher_status forget_one(struct move *move, struct place *place, const PGresult *left,
                                    int number, struct usher_error *err)
{
    struct usher_arena arena = {0};
    struct place home = {0};
    struct pg_row row = pg_row_of(left, number, &arena);
    move->partition = pg_row_int4(&row, 0);
    const char *shard = pg_row_text(&row, NULL);
    enum usher_status status = open_home(move, shard, &home, err);
    if (status == USHER_OK)
        status = delete_left(move, place, &home, err);
    if (status == USHER_OK)
        status = note(move, &home, place->name, NULL, err);
    pg_connection_close(&home.connection);
    usher_arena_deinit(&arena);
    return status;
}

enum usher_status pg_move_forget(const struct pg_settings *settings,
                                 const struct pg_move_observer *observer, uint32_t *partitions,
                                 int64_t *rows, struct usher_error *err)
{
    struct move move = {.settings = settings, .observer = observer};
    enum usher_status status = USHER_OK;
    *partitions = 0;
    for (uint32_t i = 0; status == USHER_OK && i < pg_session_databases(settings); i++) {
        struct place place;
        PGresult *left = NULL;
        status = open_place(&move, i, &place, err);
        if (status == USHER_OK)
            status = pg_connection_query(&place.connection, move_left_sql, NULL, &left, err);
        for (int j = 0; status == USHER_OK && j < PQntuples(left); j++) {
            status = forget_one(&move, &place, left, j, err);
            *partitions += status == USHER_OK;
        }
        PQclear(left);
        pg_connection_close(&place.connection);
    }
    *rows = move.rows;
    return status;
}
