/* What of each table is of a partition, or of a page of it, and how that comes to the target. */
#include "worker/postgres/pg_move_rows.h"
#include "worker/postgres/pg_status.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "postgres_sql.h"

enum {
    PAGE_DECISIONS = 10000,
    PAGE_ROWS = 10000, /* that are deleted at once */
    WAIT_MS = 1000,    /* then it is asked again what there is to do */
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
 * The time of a page. Pages are next to each other, the first one is open below and the last one
 * above: what was counted with decisions that are pruned comes along. The time of a partition may
 * have been set back in a page.
 */
#define TIME_BEFORE                                                                         \
    "coalesce((select d.decided_at from usher.decision as d where d.partition = " PARTITION \
    " and d.seq <= current_setting('usher.after')::bigint order by d.seq desc limit 1), "   \
    "'-infinity')"
#define AFTER_TIME                                                                    \
    "least((select min(d.decided_at) from usher.page_decisions() as d), " TIME_BEFORE \
    ") - interval '15 minutes'"
#define UPTO_TIME                                                                              \
    "case when current_setting('usher.upto') = current_setting('usher.last') then 'infinity' " \
    "else greatest((select max(d.decided_at) from usher.page_decisions() as d), " TIME_BEFORE  \
    ") end"

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
    {.name = "quarter",
     .how = MOVED_CHANGED,
     .all = NUMBERED("resource_no"),
     .page =
         NUMBERED("resource_no") " and t.began_at > " AFTER_TIME " and t.began_at <= " UPTO_TIME},
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

/* ==== Deleting ==== */

/*
 * A home that was restored to an earlier moment has less than what it left elsewhere, or what left
 * for it: then that is the last copy.
 */
static enum usher_status check_all_is_home(const struct move *move, struct move_place *left,
                                           struct move_place *home, struct usher_error *err)
{
    struct usher_arena arena = {0};
    struct pg_params here = {0}, there = {0};
    const char *copy = NULL, *missing = NULL;
    pg_params_int4(&here, move->partition);
    pg_params_int4(&there, move->partition);
    enum usher_status status = move_read_text(left, move_copy_sql, &here, &arena, &copy, err);
    pg_params_text(&there, copy);
    if (status == USHER_OK)
        status = move_read_text(home, move_missing_sql, &there, &arena, &missing, err);
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

/* Begins a transaction in which nobody takes up the rows that are left behind there. */
static enum usher_status begin_delete(const struct move *move, struct move_place *place,
                                      struct usher_error *err)
{
    int64_t rows = 0;
    enum usher_status status = pg_connection_script(&place->connection, "begin", err);
    if (status == USHER_OK)
        status = move_run_about(move, place, move_lock_left_sql, NULL, &rows, err);
    if (status == USHER_OK && rows == 0)
        return move_changed_meanwhile(move, place, err);
    return status;
}

/* Rows that a trigger of somebody else kept would belong to nothing. */
static enum usher_status confirm_deleted(struct move_place *place, size_t table,
                                         struct usher_error *err)
{
    char sql[SQL_SIZE];
    int64_t rows;
    snprintf(sql, sizeof sql,
             "select usher.expect('what deletes left of usher.%s', count(*), 0) "
             "from usher.%s as t where %s",
             tables[table].name, tables[table].name, tables[table].all);
    return move_run(place, sql, NULL, &rows, err);
}

static enum usher_status delete_page(struct move *move, struct move_place *place, size_t table,
                                     int64_t *rows, struct usher_error *err)
{
    char sql[SQL_SIZE];
    snprintf(sql, sizeof sql,
             "delete from usher.%s where ctid = any (array("
             "select t.ctid from usher.%s as t where %s limit %d))",
             tables[table].name, tables[table].name, tables[table].all, PAGE_ROWS);
    enum usher_status status = begin_delete(move, place, err);
    if (status == USHER_OK)
        status = move_run(place, sql, NULL, rows, err);
    if (status == USHER_OK && *rows < PAGE_ROWS)
        status = confirm_deleted(place, table, err);
    if (status == USHER_OK)
        status = move_commit(place, err);
    move->rows += *rows;
    if (status == USHER_OK)
        move_tell(move, PG_MOVE_DELETES, move->rows, 0);
    return status;
}

enum usher_status move_delete_left(struct move *move, struct move_place *place,
                                   struct move_place *home, struct usher_error *err)
{
    struct pg_params params = {0};
    int64_t rows;
    enum usher_status status = check_all_is_home(move, place, home, err);
    pg_params_int4(&params, move->partition);
    for (size_t i = 0; status == USHER_OK && i < TABLES; i++) {
        rows = tables[i].how == MOVED_NOT ? 0 : PAGE_ROWS;
        while (status == USHER_OK && rows == PAGE_ROWS)
            status = delete_page(move, place, i, &rows, err);
    }
    if (status == USHER_OK)
        status = begin_delete(move, place, err);
    if (status == USHER_OK)
        status = move_run_one(move, place, move_forget_state_sql, &params, err);
    return status == USHER_OK ? move_commit(place, err) : status;
}

/* ==== A page ==== */

/* At the target. */
static enum usher_status begin_page(struct move *move, struct move_page *page,
                                    struct usher_error *err)
{
    struct pg_params params = {0};
    PGresult *result = NULL;
    int64_t rows = 0;
    pg_params_int4(&params, move->partition);
    enum usher_status status = pg_connection_script(&move->target.connection, "begin", err);
    if (status == USHER_OK)
        status = move_run_about(move, &move->target, move_lock_sql, NULL, &rows, err);
    if (status == USHER_OK && rows == 0)
        status = move_changed_meanwhile(move, &move->target, err);
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
static enum usher_status read_page(struct move *move, struct move_page *page,
                                   struct usher_error *err)
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
        status = move_changed_meanwhile(move, &move->source, err);
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
static enum usher_status set_page(const struct move *move, struct move_page *page,
                                  struct move_place *place, struct usher_error *err)
{
    struct pg_params params = {0};
    int64_t rows;
    pg_params_text(&params, usher_arena_format(&page->arena, "%" PRId32, move->partition));
    pg_params_text(&params, usher_arena_format(&page->arena, "%" PRId64, page->after));
    pg_params_text(&params, usher_arena_format(&page->arena, "%" PRId64, page->upto));
    pg_params_text(&params, page->unfinished);
    pg_params_text(&params, page->charts);
    pg_params_text(&params, usher_arena_format(&page->arena, "%" PRId64, page->last));
    return move_run(place, move_set_sql, &params, &rows, err);
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
    return move_run(&move->target, sql, NULL, &rows, err);
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
    enum usher_status status = move_read_text(&move->source, sql, NULL, &arena, &source, err);
    if (status == USHER_OK)
        status = move_read_text(&move->target, sql, NULL, &arena, &target, err);
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

static enum usher_status copy_table(struct move *move, const struct move_page *page, size_t i,
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

static enum usher_status verify_page(struct move *move, const struct move_page *page,
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

enum usher_status move_note(const struct move *move, struct move_place *home, const char *source,
                            const char *target, struct usher_error *err)
{
    struct pg_params params = {0};
    pg_params_int4(&params, move->partition);
    pg_params_text(&params, source);
    pg_params_text(&params, target);
    return move_run_one(move, home, move_note_sql, &params, err);
}

/* From here on it lives at the target, once that is committed. */
static enum usher_status arrive(struct move *move, const struct move_page *page,
                                struct usher_error *err)
{
    struct pg_params partition = {0}, row = {0};
    pg_params_int4(&partition, move->partition);
    pg_params_text(&row, page->row);
    enum usher_status status =
        move_run_one(move, &move->target, move_forget_state_sql, &partition, err);
    if (status == USHER_OK)
        status = move_run_one(move, &move->target, move_take_state_sql, &row, err);
    if (status == USHER_OK)
        status = move_run_one(move, &move->target, move_arrive_sql, &partition, err);
    return status == USHER_OK
               ? move_note(move, &move->target, move->source.name, move->target.name, err)
               : status;
}

static enum usher_status turn(struct move *move, const struct move_page *page,
                              struct usher_error *err)
{
    struct pg_params params = {0};
    pg_params_int4(&params, move->partition);
    pg_params_int8(&params, page->upto);
    return move_run_one(move, &move->target, move_turn_sql, &params, err);
}

enum usher_status move_copy_page(struct move *move, struct move_page *page, struct usher_error *err)
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
        status = move_commit(&move->target, err);
    if (status == USHER_OK)
        status = move_commit(&move->source, err);
    usher_arena_deinit(&page->arena);
    if (status == USHER_OK)
        move_tell(move, page->compares ? PG_MOVE_COMPARES : PG_MOVE_COPIES, page->upto, page->last);
    return status;
}

enum usher_status move_refuse_tables(struct move *move, struct usher_error *err)
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
            status = move_refuse(move, "the schema has tables of somebody else:", others, err);
    }
    PQclear(result);
    pg_array_deinit(&names);
    usher_arena_deinit(&arena);
    return status;
}
