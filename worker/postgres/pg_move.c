/*
 * Moves a partition between two databases. schema/postgres/004_moves.sql says which states there
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
#include "worker/postgres/pg_move_place.h"
#include "worker/postgres/pg_move_rows.h"

enum {
    TIMEOUT_MS = 3600 * 1000,
    LONG_MS = 500,     /* for a partition to stand still: it is waited for something shorter … */
    LONG_ONES = 20,    /* … up to so many pages */
    FOLLOW_MS = 15000, /* how long a worker may take to connect to a target that was restarted */
    ACQUIRE_MS = 6000, /* … and to acquire the partition there, which it sees within two seconds */
};

/* ==== Moving ==== */

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
        status = move_read_text(&move->source, move_owner_sql, &partition, &arena, &worker, err);
        pg_params_text(&called, worker);
        if (status == USHER_OK && worker)
            status = move_run(&move->target, move_session_sql, &called, &sessions, err);
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
    return move_run(&move->target, sql, &params, rows, err);
}

/* Changes the source's row. */
static enum usher_status change_source(struct move *move, const char *sql, struct usher_error *err)
{
    int64_t rows = 0;
    enum usher_status status = move_run_about(move, &move->source, sql, move->to, &rows, err);
    return status == USHER_OK && rows == 0 ? move_changed_meanwhile(move, &move->source, err)
                                           : status;
}

/* What goes through the databases meanwhile would find the partition in both, or in none. */
static enum usher_status hold(const struct move *move, struct move_place *source,
                              struct usher_error *err)
{
    int64_t rows;
    enum usher_status status = move_run(source, move_hold_sql, NULL, &rows, err);
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
        status = move_commit(&move->source, err);
    return status == USHER_OK ? put_row(move, move_expect_sql, &rows, err) : status;
}

/* Both say that it is on its way: neither is migrated meanwhile. */
static enum usher_status check_versions(struct move *move, struct usher_error *err)
{
    struct usher_arena arena = {0};
    const char *source = "", *target = "";
    enum usher_status status =
        move_read_text(&move->source, move_version_sql, NULL, &arena, &source, err);
    if (status == USHER_OK)
        status = move_read_text(&move->target, move_version_sql, NULL, &arena, &target, err);
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
    struct move_page page;
    uint32_t long_ones = 0;
    do {
        int64_t began_ms = clock_ms();
        page = (struct move_page){0};
        status = move_copy_page(move, &page, err);
        before_ms = took_ms;
        took_ms = clock_ms() - began_ms;
        long_ones += page.upto == page.last && took_ms > LONG_MS;
    } while (status == USHER_OK && (page.upto < page.last || took_ms < before_ms / 2 ||
                                    (took_ms > LONG_MS && long_ones < LONG_ONES)));
    return status;
}

static enum usher_status prepare(struct move *move, struct usher_error *err)
{
    struct move_page all = {.compares = true};
    enum usher_status status = move_refuse_tables(move, err);
    if (status == USHER_OK)
        status = check_versions(move, err);
    if (status == USHER_OK)
        status = check_worker(move, err);
    if (status == USHER_OK && move->target.has_row && move->target.destination[0] == '\0')
        status = move_delete_left(move, &move->target, &move->source, err);
    move->rows = 0;
    if (status == USHER_OK)
        status = leave(move, err);
    if (status == USHER_OK)
        status = check_versions(move, err);
    if (status == USHER_OK)
        status = copy_pages(move, err);
    if (status == USHER_OK)
        status = move_copy_page(move, &all, err);
    if (status == USHER_OK)
        status = copy_pages(move, err);
    return status == USHER_OK ? check_worker(move, err) : status; /* it may be another one */
}

/* ---- while it stands still ---- */

static enum usher_status finish(struct move *move, int64_t *decisions, struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    struct move_page page;
    do {
        page = (struct move_page){.stopped = true};
        status = move_copy_page(move, &page, err);
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
    enum usher_status status = move_open_places(&move, NULL);
    if (status == USHER_OK)
        status = pg_connection_script(&move.target.connection, "begin", NULL);
    if (status == USHER_OK)
        status = move_run_about(&move, &move.target, move_lock_sql, NULL, &rows, NULL);
    if (status == USHER_OK && rows > 0)
        (void)move_run_about(&move, &move.source, move_go_on_sql, move.to, &rows, NULL);
    move_close_places(&move);
}

static enum usher_status stop(struct move *move, struct usher_error *err)
{
    int64_t rows;
    enum usher_status status = pg_connection_script(&move->source.connection, "begin", err);
    if (status == USHER_OK)
        status = move_run_about(move, &move->source, move_lock_source_sql, NULL, &rows, err);
    if (status == USHER_OK)
        status = change_source(move, move_stop_sql, err);
    return status == USHER_OK ? move_commit(&move->source, err) : status;
}

static enum usher_status move_stopped(struct move *move, struct pg_moved *moved,
                                      struct usher_error *err)
{
    int64_t began_ms = clock_ms();
    enum usher_status status = move_has_stopped(&move->source) ? USHER_OK : stop(move, err);
    if (status == USHER_OK)
        status = finish(move, &moved->decisions, err);
    moved->stopped_ms = clock_ms() - began_ms;
    if (status != USHER_OK) {
        move_close_places(move); /* which gives the lock back */
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
        status = move_run_about(move, &move->target, move_followed_sql, NULL, &rows, NULL);
        if (rows == 0)
            nanosleep(&(struct timespec){.tv_nsec = MOVE_LOOK_MS * 1000000L}, NULL);
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
        status = move_run(&move->target, move_session_sql, &called, &sessions, NULL);
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
    enum usher_status status = move_open_places(&move, err);
    moved->was_there = status == USHER_OK && move_lives_in(&move.target);
    if (moved->was_there) {
        if (move.source.connection.conn)
            status = change_source(&move, move_leave_behind_sql, err);
    } else {
        if (status == USHER_OK && !move_has_stopped(&move.source))
            status = prepare(&move, err);
        if (status == USHER_OK)
            status = move_stopped(&move, moved, err);
        if (status == USHER_OK && move.has_worker)
            await_worker(&move);
        if (status == USHER_OK)
            warn_of_sessions(&move);
    }
    moved->rows = move.rows;
    move_close_places(&move);
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
        return move_refuse(move, "it lives already in shard", move->to, err);
    if (status == USHER_OK)
        status = move_run_about(move, &move->source, move_stay_sql, move->to, &rows, err);
    return status == USHER_OK ? move_commit(&move->target, err) : status;
}

enum usher_status pg_move_cancel(const struct pg_settings *settings, int32_t partition,
                                 const char *to, const struct pg_move_observer *observer,
                                 int64_t *rows, struct usher_error *err)
{
    struct move move = {
        .settings = settings, .partition = partition, .to = to, .observer = observer};
    enum usher_status status = move_open_places(&move, err);
    if (status == USHER_OK && move_lives_in(&move.target))
        status = move_refuse(&move, "it lives already in shard", to, err);
    if (status == USHER_OK)
        status = give_up(&move, err);
    if (status == USHER_OK)
        status = move_delete_left(&move, &move.target, &move.source, err);
    *rows = move.rows;
    move_close_places(&move);
    return status;
}

/* ==== Rows that are left behind ==== */

/*
 * Keeps the database open in which it lives: it may have moved on from the one that it went to.
 * REJECT: it lives in none, or in several; another move may explain that.
 */
static enum usher_status look_for_home(struct move *move, const char *shard,
                                       struct move_place *home, struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    for (uint32_t i = 0; status == USHER_OK && i < pg_session_databases(move->settings); i++) {
        struct move_place place;
        status = move_open_place(move, i, &place, err);
        if (status == USHER_OK && move_lives_in(&place) && !home->connection.conn) {
            *home = place;
            continue;
        }
        if (status == USHER_OK && move_lives_in(&place)) {
            (void)move_refuse(move, "it lives in several shards, of which one is", place.name, err);
            err->exit_code = USHER_EXIT_CONFIG;
            status = USHER_REJECT;
        }
        pg_connection_close(&place.connection);
    }
    if (status == USHER_OK && !home->connection.conn) {
        (void)move_refuse(move, "its rows are kept, for it lives in no database, and not in shard",
                          shard, err);
        status = USHER_REJECT;
    }
    if (status != USHER_OK)
        pg_connection_close(&home->connection);
    return status;
}

static enum usher_status open_home(struct move *move, const char *shard, struct move_place *home,
                                   struct usher_error *err)
{
    enum usher_status status = USHER_REJECT;
    for (int turn = 0; status == USHER_REJECT && turn < MOVE_LOOKS_MAX; turn++) {
        move_rest_before(turn);
        status = look_for_home(move, shard, home, err);
    }
    return status == USHER_REJECT ? USHER_FATAL : status;
}

static enum usher_status forget_one(struct move *move, struct move_place *place,
                                    const PGresult *left, int number, struct usher_error *err)
{
    struct usher_arena arena = {0};
    struct move_place home = {0};
    struct pg_row row = pg_row_of(left, number, &arena);
    move->partition = pg_row_int4(&row, 0);
    const char *shard = pg_row_text(&row, NULL);
    enum usher_status status = open_home(move, shard, &home, err);
    if (status == USHER_OK)
        status = move_delete_left(move, place, &home, err);
    if (status == USHER_OK)
        status = move_note(move, &home, place->name, NULL, err);
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
        struct move_place place;
        PGresult *left = NULL;
        status = move_open_place(&move, i, &place, err);
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
