/* The databases of a move: each says how it stands in there, at the moment when it is asked. */
#include "worker/postgres/pg_move_place.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "postgres_sql.h"

enum {
    TIMEOUT_MS = 3600 * 1000,
};

enum usher_status move_refuse(const struct move *move, const char *why, const char *name,
                              struct usher_error *err)
{
    usher_error_set(err, USHER_EXIT_BAD_INPUT, "could not %s partition %" PRId32 ": %s \"%s\"",
                    move->to ? "move" : "forget moved", move->partition, why, name);
    return USHER_FATAL;
}

enum usher_status move_changed_meanwhile(const struct move *move, const struct move_place *place,
                                         struct usher_error *err)
{
    return move_refuse(move, "somebody else moves it, too, or cancelled that: run it again; shard",
                       place->name, err);
}

void move_tell(const struct move *move, enum pg_move_step step, int64_t done, int64_t total)
{
    const struct pg_move_progress progress = {.step = step, .done = done, .total = total};
    move->observer->moved_on(move->observer->self, &progress);
}

enum usher_status move_run(struct move_place *place, const char *sql,
                           const struct pg_params *params, int64_t *rows, struct usher_error *err)
{
    PGresult *result;
    enum usher_status status = pg_connection_query(&place->connection, sql, params, &result, err);
    *rows = status == USHER_OK ? strtoll(PQcmdTuples(result), NULL, 10) : 0;
    PQclear(result);
    return status;
}

enum usher_status move_run_one(const struct move *move, struct move_place *place, const char *sql,
                               const struct pg_params *params, struct usher_error *err)
{
    int64_t rows;
    enum usher_status status = move_run(place, sql, params, &rows, err);
    if (status != USHER_OK || rows == 1)
        return status;
    usher_error_set(err, USHER_EXIT_BUG,
                    "could not move partition %" PRId32 ": a statement in shard %s wrote %" PRId64
                    " rows instead of 1; `usher-worker check` names triggers and rules that are "
                    "not of usher",
                    move->partition, place->name, rows);
    return USHER_FATAL;
}

enum usher_status move_run_about(const struct move *move, struct move_place *place, const char *sql,
                                 const char *shard, int64_t *rows, struct usher_error *err)
{
    struct pg_params params = {0};
    pg_params_int4(&params, move->partition);
    if (shard)
        pg_params_text(&params, shard);
    return move_run(place, sql, &params, rows, err);
}

enum usher_status move_commit(struct move_place *place, struct usher_error *err)
{
    return pg_connection_commit(&place->connection, err);
}

enum usher_status move_read_text(struct move_place *place, const char *sql,
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

static enum usher_status look(const struct move *move, struct move_place *place,
                              struct usher_error *err)
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
enum usher_status move_open_place(const struct move *move, uint32_t number,
                                  struct move_place *place, struct usher_error *err)
{
    struct pg_settings one = pg_session_one(move->settings, number);
    one.statement_timeout_ms = one.query_timeout_ms = TIMEOUT_MS;
    *place = (struct move_place){0};
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

void move_close_places(struct move *move)
{
    pg_connection_close(&move->source.connection);
    pg_connection_close(&move->target.connection);
    move->source = move->target = (struct move_place){0};
}

/* Keeps the target, and where the partition comes from; closes any other. */
static enum usher_status keep(struct move *move, struct move_place *place, struct usher_error *err)
{
    struct move_place *kept = NULL;
    if (strcmp(place->name, move->to) == 0)
        kept = &move->target;
    else if (move_lives_in(place) || move_has_stopped(place))
        kept = &move->source;
    if (kept && !kept->connection.conn) {
        *kept = *place;
        return USHER_OK;
    }
    pg_connection_close(&place->connection);
    if (kept == &move->target)
        return move_refuse(move, "two databases are called", place->name, err);
    if (!kept)
        return USHER_OK;
    (void)move_refuse(move, "it lives in several shards, of which one is", place->name, err);
    return USHER_REJECT;
}

/* Each as it stands when it is asked: another move may end between two of them. */
static enum usher_status look_once(struct move *move, struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    for (uint32_t i = 0; status == USHER_OK && i < pg_session_databases(move->settings); i++) {
        struct move_place place;
        status = move_open_place(move, i, &place, err);
        if (status == USHER_OK)
            status = keep(move, &place, err);
    }
    if (status != USHER_OK)
        return status;
    const struct move_place *source = &move->source, *target = &move->target;
    if (!target->connection.conn)
        return move_refuse(move, "USHER_POSTGRES names no shard", move->to, err);
    if (!source->connection.conn && !move_lives_in(target)) {
        (void)move_refuse(move, "it lives in none of the databases, and not in", move->to, err);
        return USHER_REJECT;
    }
    if (move_lives_in(source) && move_lives_in(target)) {
        (void)move_refuse(move, "it lives in several shards, of which one is", source->name, err);
        return USHER_REJECT;
    }
    if (source->destination[0] != '\0' && strcmp(source->destination, move->to) != 0)
        return move_refuse(move, "first cancel that it is being moved to shard",
                           source->destination, err);
    return USHER_OK;
}

void move_rest_before(int turn)
{
    if (turn > 0)
        nanosleep(&(struct timespec){.tv_nsec = MOVE_LOOK_MS * 1000000L}, NULL);
}

/* Looks again where another move explains what was seen. */
enum usher_status move_open_places(struct move *move, struct usher_error *err)
{
    enum usher_status status = USHER_REJECT;
    for (int turn = 0; status == USHER_REJECT && turn < MOVE_LOOKS_MAX; turn++) {
        move_rest_before(turn);
        move_close_places(move);
        status = look_once(move, err);
    }
    return status == USHER_REJECT ? USHER_FATAL : status;
}
