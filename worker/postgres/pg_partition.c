/*
 * What an operator does to a partition, as the owner of the schema. Knows nothing of who owns the
 * partition: it is fenced.
 */
#include "worker/postgres/pg_partition.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "postgres_sql.h"
#include "producer/base/allocate.h"
#include "producer/base/clock.h"
#include "producer/base/log.h"
#include "producer/codec/answer_fields.h"
#include "worker/postgres/pg_session.h"
#include "worker/postgres/pg_status.h"
#include "worker/postgres/pg_value.h"

/* ==== Operators' actions ==== */

enum {
    LOOK_MS = 100, /* until it is looked for again where a partition lives, … */
    LOOKS_MAX = 5, /* … so often */
};

/*
 * Connects to the database in which the partition lives, as far as all of them say it at this
 * moment. REJECT: in none of them, or in several.
 */
static enum usher_status look_for_home(struct pg_connection *connection,
                                       const struct pg_settings *settings, int32_t partition,
                                       struct usher_arena *arena, struct usher_error *err)
{
    const uint32_t count = pg_session_databases(settings);
    struct pg_homes homes = {0};
    enum usher_status status = USHER_OK;
    int32_t home = PG_HOME_UNKNOWN;
    for (uint32_t i = 0; i < count && status == USHER_OK; i++) {
        struct pg_settings one = pg_session_one(settings, i);
        struct pg_connection asked = {0};
        PGresult *result = NULL;
        status = pg_session_open_schema(&asked, &one, err);
        if (status == USHER_OK)
            status = pg_connection_query(&asked, homes_sql, NULL, &result, err);
        if (status == USHER_OK)
            pg_homes_add(&homes, (int32_t)i, PQgetvalue(result, 0, 0), arena);
        home = homes.of && partition < homes.count ? homes.of[partition] : PG_HOME_UNKNOWN;
        if (status == USHER_OK && (home == (int32_t)i || pg_homes_is_only(&homes)))
            *connection = asked;
        else
            pg_connection_close(&asked);
        PQclear(result);
    }
    if (status != USHER_OK || home >= 0 || pg_homes_is_only(&homes))
        return status;
    pg_homes_judge(&homes, partition + 1, &home, arena, NULL);
    home = homes.of[partition];
    if (home == PG_HOME_NOT_NAMED)
        usher_error_set(err, USHER_EXIT_UNAVAILABLE,
                        "partition %" PRId32
                        " lives in shard %s, which USHER_POSTGRES does not name",
                        partition, homes.shards[partition]);
    else
        usher_error_set(err, USHER_EXIT_BAD_INPUT, "partition %" PRId32 " %s", partition,
                        home == PG_HOME_SEVERAL
                            ? "lives in more than one database of USHER_POSTGRES"
                        : home == PG_HOME_UNDERWAY
                            ? "is on its way from one database to another: see `usher-worker "
                              "partition list`, and run it again"
                            : "lives in no database of USHER_POSTGRES");
    return USHER_REJECT;
}

/* A move may end between two looks: then it is looked for again. */
static enum usher_status open_home(struct pg_connection *connection,
                                   const struct pg_settings *settings, int32_t partition,
                                   struct usher_error *err)
{
    enum usher_status status = USHER_REJECT;
    for (int turn = 0; status == USHER_REJECT && turn < LOOKS_MAX; turn++) {
        struct usher_arena arena = {0};
        if (turn > 0)
            nanosleep(&(struct timespec){.tv_nsec = LOOK_MS * 1000000L}, NULL);
        pg_connection_close(connection);
        status = look_for_home(connection, settings, partition, &arena, err);
        usher_arena_deinit(&arena);
    }
    if (status != USHER_OK)
        pg_connection_close(connection);
    return status == USHER_REJECT ? USHER_FATAL : status;
}

/*
 * Begins a transaction in which the partition lives here: it may have moved since it was looked
 * for. What its statements read is as it is under the lock of its row.
 */
static enum usher_status begin(struct pg_connection *connection, int32_t partition,
                               struct usher_error *err)
{
    struct pg_params params = {0};
    PGresult *result = NULL;
    pg_params_int4(&params, partition);
    enum usher_status status = pg_connection_script(connection, "begin", err);
    if (status == USHER_OK)
        status = pg_connection_query(connection, partition_lock_sql, &params, &result, err);
    if (status == USHER_OK && PQntuples(result) > 0 && !PQgetisnull(result, 0, 0)) {
        usher_error_set(err, USHER_EXIT_UNAVAILABLE,
                        "nothing was changed: partition %" PRId32
                        " has moved, or is on its way: run it again",
                        partition);
        status = USHER_RETRY;
    }
    PQclear(result);
    return status;
}

struct change {
    const char *purpose, *sql;
    const struct pg_params *params;
    bool only_reads;
};

/* Runs one statement, in a transaction and a session of its own. */
static enum usher_status change(const struct pg_settings *settings, int32_t partition,
                                const struct change *asked, PGresult **result,
                                struct usher_error *err)
{
    struct pg_connection connection = {0};
    enum usher_status status = open_home(&connection, settings, partition, err);
    if (status != USHER_OK)
        return status;
    connection.purpose = asked->purpose;
    status = asked->only_reads ? USHER_OK : begin(&connection, partition, err);
    if (status == USHER_OK)
        status = pg_connection_query(&connection, asked->sql, asked->params, result, err);
    if (status == USHER_OK && !asked->only_reads)
        status = pg_connection_commit(&connection, err);
    if (status == USHER_FENCED) { /* US002 */
        err->exit_code = USHER_EXIT_BAD_INPUT;
        status = USHER_FATAL;
    }
    pg_connection_close(&connection);
    return status;
}

static void read_reset(const PGresult *result, struct pg_clock_reset *reset)
{
    struct pg_row row = pg_row_of(result, 0, NULL);
    reset->was_ms = pg_row_ms(&row, 0);
    reset->became_ms = pg_row_ms(&row, 0);
    reset->ends_late = pg_row_int8(&row, 0);
    reset->last_end_ms = pg_row_ms(&row, 0);
}

enum usher_status pg_partition_reset_clock(const struct pg_settings *settings, int32_t partition,
                                           struct pg_clock_reset *reset, struct usher_error *err)
{
    struct pg_params params = {0};
    PGresult *result = NULL;
    pg_params_int4(&params, partition);
    enum usher_status status = change(settings, partition,
                                      &(struct change){"set the time of the partition back",
                                                       partition_reset_clock_sql, &params, false},
                                      &result, err);
    if (status == USHER_OK)
        read_reset(result, reset);
    PQclear(result);
    return status;
}

static bool read_bool(const PGresult *result)
{
    struct pg_row row = pg_row_of(result, 0, NULL);
    return pg_row_bool(&row);
}

/* The same of a statement that returns whether the partition was halted. */
static enum usher_status change_halted(const struct pg_settings *settings, int32_t partition,
                                       const struct change *asked, bool *was_halted,
                                       struct usher_error *err)
{
    PGresult *result = NULL;
    enum usher_status status = change(settings, partition, asked, &result, err);
    if (status == USHER_OK)
        *was_halted = read_bool(result);
    PQclear(result);
    return status;
}

enum usher_status pg_partition_skip(const struct pg_settings *settings, int32_t partition,
                                    const struct pg_skip *skip, bool *was_halted,
                                    struct usher_error *err)
{
    struct pg_params params = {0};
    pg_params_int4(&params, partition);
    pg_params_int8_or_null(&params, skip->from, OFFSET_NONE);
    pg_params_int8(&params, skip->to);
    pg_params_int8(&params, skip->records);
    pg_params_text(&params, skip->why);
    return change_halted(settings, partition,
                         &(struct change){"pass over requests", partition_skip_sql, &params, false},
                         was_halted, err);
}

/* The same of a statement that returns no row if the partition moved since the operator looked. */
static enum usher_status change_unmoved(const struct pg_settings *settings, int32_t partition,
                                        const char *sql, const struct pg_params *params,
                                        bool *was_halted, struct usher_error *err)
{
    PGresult *result = NULL;
    enum usher_status status = change(
        settings, partition, &(struct change){"accept the loss", sql, params, false}, &result, err);
    if (status == USHER_OK && PQntuples(result) == 0) {
        usher_error_set(err, USHER_EXIT_BAD_INPUT,
                        "nothing was changed: partition %" PRId32 " moved meanwhile", partition);
        status = USHER_FATAL;
    }
    if (status == USHER_OK)
        *was_halted = read_bool(result);
    PQclear(result);
    return status;
}

enum usher_status pg_partition_accept_loss(const struct pg_settings *settings, int32_t partition,
                                           const struct pg_loss *loss, bool *was_halted,
                                           struct usher_error *err)
{
    struct pg_params params = {0};
    pg_params_int4(&params, partition);
    pg_params_int8(&params, loss->next_seq);
    pg_params_int8(&params, loss->highest_seq);
    pg_params_text(&params, loss->why);
    return change_unmoved(settings, partition, partition_accept_loss_sql, &params, was_halted, err);
}

enum usher_status pg_partition_find_gap(const struct pg_settings *settings, int32_t partition,
                                        struct pg_gap *gap, struct usher_error *err)
{
    struct pg_params params = {0};
    PGresult *result = NULL;
    pg_params_int4(&params, partition);
    pg_params_int8(&params, gap->next_seq);
    enum usher_status status = change(
        settings, partition,
        &(struct change){"look for decisions", partition_missing_sql, &params, true}, &result, err);
    if (status == USHER_OK) {
        struct pg_row row = pg_row_of(result, 0, NULL);
        gap->count = pg_row_int8(&row, 0);
        gap->first_seq = pg_row_int8(&row, 0);
        gap->last_seq = pg_row_int8(&row, 0);
    }
    PQclear(result);
    return status;
}

enum usher_status pg_partition_accept_gap(const struct pg_settings *settings, int32_t partition,
                                          const struct pg_gap *gap, bool *was_halted,
                                          struct usher_error *err)
{
    struct pg_params params = {0};
    pg_params_int4(&params, partition);
    pg_params_int8(&params, gap->next_seq);
    pg_params_int4(&params, USHER_CODEC_VERSION);
    pg_params_text(&params, gap->why);
    return change_unmoved(settings, partition, partition_replace_missing_sql, &params, was_halted,
                          err);
}

enum usher_status pg_partition_decided(const struct pg_settings *settings, int32_t partition,
                                       struct usher_arena *arena,
                                       struct pg_decided_request **requests, uint32_t *count,
                                       struct usher_error *err)
{
    struct pg_params params = {0};
    PGresult *result = NULL;
    pg_params_int4(&params, partition);
    enum usher_status status = change(
        settings, partition,
        &(struct change){"look for decisions", partition_decided_sql, &params, true}, &result, err);
    *count = status == USHER_OK ? (uint32_t)PQntuples(result) : 0;
    *requests = usher_arena_alloc(arena, (*count + 1) * sizeof **requests);
    for (uint32_t i = 0; i < *count; i++) {
        struct pg_row row = pg_row_of(result, (int)i, arena);
        (*requests)[i].offset = pg_row_int8(&row, 0);
        (*requests)[i].request_id = pg_row_text(&row, NULL);
    }
    PQclear(result);
    return status;
}

enum usher_status pg_partition_accept_topic(const struct pg_settings *settings, int32_t partition,
                                            const struct pg_new_topics *accepted, bool *was_halted,
                                            struct usher_error *err)
{
    struct pg_params params = {0};
    pg_params_int4(&params, partition);
    pg_params_text(&params, accepted->topics);
    pg_params_int8_or_null(&params, accepted->next_offset, OFFSET_NONE);
    pg_params_int8(&params, accepted->next_seq);
    pg_params_int8_or_null(&params, accepted->published_seq, PG_SEQ_NONE);
    pg_params_text(&params, accepted->why);
    return change_halted(
        settings, partition,
        &(struct change){"accept the topics", partition_accept_topic_sql, &params, false},
        was_halted, err);
}

enum usher_status pg_partition_resume(const struct pg_settings *settings, int32_t partition,
                                      bool *was_halted, struct usher_error *err)
{
    struct pg_params params = {0};
    pg_params_int4(&params, partition);
    return change_halted(
        settings, partition,
        &(struct change){"resume the partition", partition_resume_sql, &params, false}, was_halted,
        err);
}

/* ==== Placing ==== */

enum {
    PLACES_MAX = 64
};

struct places {
    struct pg_connection connections[PLACES_MAX];
    uint32_t count, target;
};

static void close_places(struct places *places)
{
    for (uint32_t i = 0; i < places->count; i++)
        pg_connection_close(&places->connections[i]);
}

/* All of them: a partition may be placed only where nobody else has it. */
static enum usher_status open_places(struct places *places, const struct pg_settings *settings,
                                     const char *shard, struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    const uint32_t count = pg_session_databases(settings);
    places->target = count;
    if (count > PLACES_MAX) {
        usher_error_set(err, USHER_EXIT_CONFIG,
                        "could not use USHER_POSTGRES: more than %d databases", PLACES_MAX);
        return USHER_FATAL;
    }
    for (uint32_t i = 0; i < count && status == USHER_OK; i++) {
        struct pg_settings one = pg_session_one(settings, i);
        char name[PG_SHARD_SIZE] = "";
        places->count = i + 1;
        status = pg_session_open_schema(&places->connections[i], &one, err);
        if (status == USHER_OK)
            status = pg_session_shard(&places->connections[i], &one, name, err);
        if (status == USHER_OK && strcmp(name, shard) == 0)
            places->target = i;
    }
    if (status == USHER_OK && places->target == count) {
        usher_error_set(err, USHER_EXIT_BAD_INPUT, "no database of USHER_POSTGRES is shard %s",
                        shard);
        status = USHER_FATAL;
    }
    return status;
}

/* A statement about the partition, and what another one says of it then. */
struct and_look {
    const char *sql, *look;
};

static enum usher_status run_and_look(struct pg_connection *connection,
                                      const struct and_look *statements,
                                      const struct pg_params *params, int32_t partition,
                                      PGresult *results[2], struct usher_error *err)
{
    struct pg_params looked = {0};
    pg_params_int4(&looked, partition);
    enum usher_status status =
        pg_connection_query(connection, statements->sql, params, &results[0], err);
    if (status == USHER_OK)
        status = pg_connection_query(connection, statements->look, &looked, &results[1], err);
    return status;
}

/* Takes it from where it was placed before. */
static enum usher_status withdraw(struct pg_connection *connection, int32_t partition,
                                  struct usher_error *err)
{
    static const struct and_look statements = {partition_withdraw_sql, partition_started_sql};
    struct pg_params params = {0};
    PGresult *results[2] = {0};
    pg_params_int4(&params, partition);
    enum usher_status status =
        run_and_look(connection, &statements, &params, partition, results, err);
    if (status == USHER_OK && PQntuples(results[1]) > 0) {
        usher_error_set(err, USHER_EXIT_BAD_INPUT,
                        "partition %" PRId32 " was started in shard %s: `usher-worker partition "
                        "move` moves it",
                        partition, PQgetvalue(results[1], 0, 0));
        status = USHER_FATAL;
    }
    PQclear(results[0]);
    PQclear(results[1]);
    return status;
}

static enum usher_status place(struct places *places, int32_t partition,
                               const struct pg_placing *placing, bool *placed,
                               struct usher_error *err)
{
    static const struct and_look statements = {partition_place_sql, partition_is_home_sql};
    struct pg_params params = {0};
    PGresult *results[2] = {0};
    enum usher_status status = USHER_OK;
    for (uint32_t i = 0; i < places->count && status == USHER_OK; i++)
        if (i != places->target)
            status = withdraw(&places->connections[i], partition, err);
    pg_params_int4(&params, partition);
    pg_params_int4(&params, placing->partition_count);
    if (status == USHER_OK)
        status = run_and_look(&places->connections[places->target], &statements, &params, partition,
                              results, err);
    if (status == USHER_OK)
        *placed = read_bool(results[0]);
    if (status == USHER_OK && !read_bool(results[1])) {
        usher_error_set(err, USHER_EXIT_BAD_INPUT,
                        "shard %s has rows that partition %" PRId32
                        " left there: run `usher-worker check`",
                        placing->shard, partition);
        status = USHER_FATAL;
    }
    PQclear(results[0]);
    PQclear(results[1]);
    return status;
}

enum usher_status pg_partition_place(const struct pg_settings *settings, struct pg_placing *placing,
                                     struct usher_error *err)
{
    struct places places = {0};
    enum usher_status status = open_places(&places, settings, placing->shard, err);
    placing->placed = 0;
    for (int32_t i = placing->first; i <= placing->last && status == USHER_OK; i++) {
        bool placed = false;
        status = place(&places, i, placing, &placed, err);
        placing->placed += placed;
    }
    close_places(&places);
    return status;
}

/* ==== Positions ==== */

enum {
    AWAY_MS = 10000 /* a database that is away is asked again after this long */
};

/* One of the databases. */
struct place {
    struct pg_settings settings;
    struct pg_connection connection;
    char name[PG_SHARD_SIZE];
    int64_t ask_at_ms;
    struct usher_error err; /* why it is away; text empty: it is not */
    struct log_limit failure_log;
};

struct pg_positions {
    int32_t partition_count;
    uint32_t place_count;
    struct place *places;
    _Atomic struct pg_seen *seen;
    _Atomic uint32_t begun;
    /* While they are read. */
    struct known_position *known;
    int32_t *found;
};

struct pg_positions *pg_positions_open(const struct pg_settings *settings, int32_t partition_count)
{
    const size_t count = (size_t)partition_count;
    struct pg_positions *positions = memory_calloc(1, sizeof *positions);
    positions->partition_count = partition_count;
    positions->place_count = pg_session_databases(settings);
    positions->places = memory_calloc(positions->place_count, sizeof *positions->places);
    positions->seen = memory_calloc(count, sizeof *positions->seen);
    positions->known = memory_calloc(count, sizeof *positions->known);
    positions->found = memory_calloc(count, sizeof *positions->found);
    for (uint32_t i = 0; i < positions->place_count; i++)
        positions->places[i].settings = pg_session_one(settings, i);
    for (size_t i = 0; i < count; i++)
        positions->seen[i] = (struct pg_seen){.home = PG_HOME_UNKNOWN};
    return positions;
}

void pg_positions_close(struct pg_positions *positions)
{
    if (!positions)
        return;
    for (uint32_t i = 0; i < positions->place_count; i++)
        pg_connection_close(&positions->places[i].connection);
    free(positions->places);
    free(positions->seen);
    free(positions->known);
    free(positions->found);
    free(positions);
}

bool pg_positions_complete(const struct pg_positions *positions)
{
    uint32_t i = 0;
    while (i < positions->place_count && positions->places[i].err.text[0] == '\0')
        i++;
    return i == positions->place_count;
}

struct pg_seen pg_positions_seen(const struct pg_positions *positions, int32_t partition)
{
    return positions->seen[partition];
}

uint32_t pg_positions_begun(const struct pg_positions *positions)
{
    return positions->begun;
}

const char *pg_positions_shard(const struct pg_positions *positions, int32_t partition)
{
    const int32_t home = pg_positions_seen(positions, partition).home;
    return positions->place_count > 1 && home >= 0 ? positions->places[home].name : NULL;
}

static enum usher_status refuse_count(int32_t recorded, int32_t found, struct usher_error *err)
{
    struct pg_meaning meaning = pg_status_meaning("US004", PG_READ);
    usher_error_set(err, meaning.exit_code,
                    "could not start: %" PRId32 " partition%s recorded, the topic has %" PRId32
                    "; %s",
                    recorded, recorded == 1 ? " is" : "s are", found, meaning.advice);
    return meaning.status;
}

/*
 * Those without a row never started. Of a partition that was moved, or is on its way, the offset of
 * the row that is further on counts: a home may have been restored to an earlier moment. What a
 * person ended, its home says.
 */
static enum usher_status read_rows(struct pg_positions *positions, const PGresult *result,
                                   int32_t place, struct usher_error *err)
{
    for (int i = 0; i < PQntuples(result); i++) {
        struct pg_row row = pg_row_of(result, i, NULL);
        int32_t partition = pg_row_int4(&row, 0);
        int32_t recorded = pg_row_int4(&row, 0);
        if (recorded != positions->partition_count)
            return refuse_count(recorded, positions->partition_count, err);
        const int64_t next_offset = pg_row_int8(&row, OFFSET_NONE);
        const int32_t ended = pg_row_int4(&row, 0);
        const bool here = pg_row_bool(&row);
        struct known_position *known = &positions->known[partition];
        int32_t *found = &positions->found[partition];
        known->next_offset = next_offset > known->next_offset ? next_offset : known->next_offset;
        if (here) {
            known->ended = ended;
            *found = *found == PG_HOME_UNKNOWN ? place : PG_HOME_SEVERAL;
        }
    }
    return USHER_OK;
}

/* Connects; one of several must have a name. */
static enum usher_status open_place(struct pg_positions *positions, struct place *place,
                                    struct usher_error *err)
{
    enum usher_status status = pg_session_open_schema(&place->connection, &place->settings, err);
    if (status == USHER_OK && positions->place_count > 1)
        status = pg_session_shard(&place->connection, &place->settings, place->name, err);
    return status;
}

/* What is away is not asked each time: whoever reads must not wait for it again and again. */
static enum usher_status read_place(struct pg_positions *positions, int32_t number,
                                    struct usher_error *err)
{
    struct place *place = &positions->places[number];
    PGresult *result = NULL;
    if (!place->connection.conn && clock_ms() < place->ask_at_ms) {
        *err = place->err;
        return USHER_RETRY;
    }
    enum usher_status status =
        place->connection.conn ? USHER_OK : open_place(positions, place, err);
    if (status == USHER_OK)
        status = pg_connection_query(&place->connection, positions_sql, NULL, &result, err);
    if (status == USHER_OK)
        status = read_rows(positions, result, number, err);
    PQclear(result);
    if (status != USHER_OK)
        pg_connection_close(&place->connection);
    if (status == USHER_RETRY && positions->place_count > 1)
        place->ask_at_ms = clock_ms() + AWAY_MS;
    return status;
}

/* Hands out what was read. A partition that was not found may live where nobody could ask. */
static void take(struct pg_positions *positions, struct known_position *known)
{
    const bool complete = pg_positions_complete(positions);
    for (int32_t i = 0; i < positions->partition_count; i++) {
        if (positions->found[i] == PG_HOME_UNKNOWN && !complete)
            continue;
        known[i] = positions->known[i];
        positions->seen[i] = (struct pg_seen){positions->found[i], positions->begun};
    }
}

/* By its address: one that never answered has told no name. */
static void log_away(struct place *place)
{
    struct usher_arena arena = {0};
    log_failure(&place->failure_log, NULL, LOG_LEVEL_WARNING,
                "could not read positions of the database at %s: %s",
                pg_session_where(&place->settings, &arena), place->err.text);
    usher_arena_deinit(&arena);
}

enum usher_status pg_positions_read(struct pg_positions *positions, struct known_position *known,
                                    struct usher_error *err)
{
    uint32_t read = 0;
    positions->begun++;
    for (int32_t i = 0; i < positions->partition_count; i++) {
        positions->known[i] = (struct known_position){.next_offset = OFFSET_NONE};
        positions->found[i] = PG_HOME_UNKNOWN;
    }
    for (uint32_t i = 0; i < positions->place_count; i++) {
        struct place *place = &positions->places[i];
        enum usher_status status = read_place(positions, (int32_t)i, err);
        if (status == USHER_FATAL)
            return status;
        if (status == USHER_OK) {
            read++;
            place->err.text[0] = '\0';
            log_recovery(&place->failure_log, NULL, "positions can be read again");
        } else {
            place->err = *err;
            if (positions->place_count > 1)
                log_away(place);
        }
    }
    if (read == 0)
        return USHER_RETRY;
    take(positions, known);
    return USHER_OK;
}
