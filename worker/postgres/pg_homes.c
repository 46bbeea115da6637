/*
 * One statement for each database, and what all of their answers say together. A partition that
 * moves between two answers seems to live in none, or in two, for that moment.
 */
#include "worker/postgres/pg_homes.h"

#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "postgres_sql.h"
#include "worker/postgres/pg_session.h"
#include "worker/postgres/pg_value.h"

enum {
    TURN_MS = 100,            /* until they are asked again … */
    TURNS_MAX = 5,            /* … about what a move explains as well, … */
    TURNS_UNDERWAY_MAX = 100, /* … and about a partition that stands still on its way */
    LIST_MAX = 200,           /* bytes of a list of partitions that are told */
};

/* ==== Reading ==== */

static void make_room(struct pg_homes *homes, int32_t count, struct usher_arena *arena)
{
    if (count <= homes->count)
        return;
    int32_t *of = usher_arena_alloc(arena, (size_t)count * sizeof *of);
    for (int32_t i = 0; i < count; i++)
        of[i] = i < homes->count ? homes->of[i] : PG_HOME_UNKNOWN;
    homes->of = of;
    homes->count = count;
}

/* Where it lives, if it has `home` as far as others say, and the next one has it with that mark. */
static int32_t home_with(int32_t home, char mark, int32_t place)
{
    const bool is_found = home >= 0 || home == PG_HOME_SEVERAL;
    if (mark == '?')
        return is_found ? home : PG_HOME_UNDERWAY;
    if (mark == '!')
        return home == PG_HOME_UNKNOWN ? PG_HOME_LEFT : home;
    return is_found ? PG_HOME_SEVERAL : place;
}

void pg_homes_add(struct pg_homes *homes, int32_t place, const char *answer,
                  struct usher_arena *arena)
{
    char *at;
    make_room(homes, (int32_t)strtol(answer, &at, 10), arena);
    while (at[0] != '\0' && at[1] != '\0') { /* a blank or a comma, and a partition */
        const long partition = strtol(at + 1, &at, 10);
        assert(partition >= 0 && partition < homes->count);
        homes->of[partition] = home_with(homes->of[partition], *at, place);
        at += *at == '?' || *at == '!';
    }
}

/* `*is_only`: it has no name, so that what never started lives there, too. */
static enum usher_status read_one(const struct pg_settings *one, struct pg_homes *homes,
                                  bool *is_only, struct usher_arena *arena, struct usher_error *err)
{
    struct pg_connection connection = {0};
    PGresult *result = NULL;
    char name[PG_SHARD_SIZE];
    enum usher_status status = pg_session_open_schema(&connection, one, err);
    if (status == USHER_OK && pg_session_databases(one) > 1)
        status = pg_session_shard(&connection, one, name, err);
    if (status == USHER_OK)
        status = pg_connection_query(&connection, homes_sql, NULL, &result, err);
    if (status == USHER_OK) {
        struct pg_row row = pg_row_of(result, 0, arena);
        pg_homes_add(homes, (int32_t)one->place, pg_row_text(&row, NULL), arena);
        *is_only = pg_row_bool(&row);
    }
    PQclear(result);
    pg_connection_close(&connection);
    return status;
}

static enum usher_status read_all(const struct pg_settings *settings, struct pg_homes *homes,
                                  bool *is_only, struct usher_arena *arena, struct usher_error *err)
{
    const uint32_t count = pg_session_databases(settings);
    enum usher_status status = USHER_OK;
    *homes = (struct pg_homes){0};
    for (uint32_t i = 0; i < count && status == USHER_OK; i++) {
        const struct pg_settings one = pg_session_one(settings, i);
        status = read_one(&one, homes, is_only, arena, err);
    }
    return status;
}

/* ==== Exactly one ==== */

/* What is to be told of it with others that have that home: who left rows is missed like others. */
static bool is_told(const struct pg_homes *homes, int32_t partition, int32_t home)
{
    const int32_t found = homes->of[partition];
    return found == home || (home == PG_HOME_LEFT && found == PG_HOME_UNKNOWN);
}

/* "1, 3-7", in the arena. */
static const char *list(const struct pg_homes *homes, int32_t home, struct usher_arena *arena)
{
    const char *text = "";
    for (int32_t i = 0; i < homes->count; i++) {
        int32_t last = i;
        if (!is_told(homes, i, home))
            continue;
        while (last + 1 < homes->count && is_told(homes, last + 1, home))
            last++;
        text = usher_arena_format(arena, "%s%s%" PRId32, text, *text == '\0' ? "" : ", ", i);
        if (last > i + 1) {
            text = usher_arena_format(arena, "%s-%" PRId32, text, last);
            i = last;
        }
    }
    return text;
}

/* The home of those that do not live in one, first of those that no move brings there; 0: all do.
 */
static int32_t worst(const struct pg_homes *homes)
{
    static const int32_t wrong[] = {PG_HOME_SEVERAL, PG_HOME_LEFT, PG_HOME_UNKNOWN,
                                    PG_HOME_UNDERWAY};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        for (int32_t i = 0; i < homes->count; i++)
            if (homes->of[i] == wrong[k])
                return wrong[k];
    return 0;
}

static enum usher_status refuse(const struct pg_homes *homes, int32_t home,
                                struct usher_arena *arena, struct usher_error *err)
{
    static const char *const why[] = {
        [-PG_HOME_UNKNOWN] = "perhaps the URI of one is missing; `usher-worker partition place` is "
                             "for partitions that were never started",
        [-PG_HOME_LEFT] = "its rows were left in one of them; perhaps the URI of another one is "
                          "missing; if that was restored or lost, these rows are the last: see "
                          "\"PostgreSQL is full\" in deploy/recovery.md",
        [-PG_HOME_UNDERWAY] = "it stands still on its way from one to another; see `usher-worker "
                              "partition list`",
        [-PG_HOME_SEVERAL] = "one of them was restored to an earlier moment, or is a copy; delete "
                             "no rows before you know which: see \"PostgreSQL is full\" in "
                             "deploy/recovery.md",
    };
    const bool is_several = home == PG_HOME_SEVERAL;
    usher_error_set(err, is_several ? USHER_EXIT_CONFIG : USHER_EXIT_UNAVAILABLE,
                    "%s database of USHER_POSTGRES has partition %.*s: %s",
                    is_several ? "more than one" : "no", LIST_MAX, list(homes, home, arena),
                    why[-home]);
    return is_several ? USHER_FATAL : USHER_RETRY;
}

enum usher_status pg_homes_check(const struct pg_settings *settings, int32_t partition_count,
                                 struct usher_error *err)
{
    for (int turn = 0;; turn++) {
        struct usher_arena arena = {0};
        struct pg_homes homes;
        bool is_only = false;
        enum usher_status status = read_all(settings, &homes, &is_only, &arena, err);
        int32_t home = 0;
        if (status == USHER_OK && !is_only) {
            make_room(&homes, partition_count > 0 ? partition_count : 1, &arena);
            home = worst(&homes);
        }
        const bool is_last = turn >= (home == PG_HOME_UNDERWAY ? TURNS_UNDERWAY_MAX : TURNS_MAX);
        if (home != 0 && is_last)
            status = refuse(&homes, home, &arena, err);
        usher_arena_deinit(&arena);
        if (home == 0 || is_last)
            return status;
        nanosleep(&(struct timespec){.tv_nsec = TURN_MS * 1000000L}, NULL);
    }
}

/* ==== States ==== */

static enum usher_status say_states(const struct pg_settings *one, const struct pg_params *params,
                                    void (*say)(void *self, const char *text), void *self,
                                    struct usher_error *err)
{
    struct usher_arena arena = {0};
    struct pg_connection connection = {0};
    PGresult *result = NULL;
    enum usher_status status = pg_session_open_schema(&connection, one, err);
    if (status == USHER_OK)
        status = pg_connection_query(&connection, homes_states_sql, params, &result, err);
    for (int i = 0; status == USHER_OK && i < PQntuples(result); i++) {
        struct pg_row row = pg_row_of(result, i, &arena);
        say(self, pg_row_text(&row, NULL));
    }
    PQclear(result);
    pg_connection_close(&connection);
    usher_arena_deinit(&arena);
    return status;
}

enum usher_status pg_homes_states(const struct pg_settings *settings,
                                  void (*say)(void *self, const char *text), void *self,
                                  struct usher_error *err)
{
    const uint32_t count = pg_session_databases(settings);
    struct usher_arena arena = {0};
    struct pg_homes homes = {0};
    struct pg_array homeless = {0};
    struct pg_params params = {0};
    bool is_only = count == 1;
    enum usher_status status =
        is_only ? USHER_OK : read_all(settings, &homes, &is_only, &arena, err);
    pg_array_begin(&homeless, PG_TYPE_INT4);
    for (int32_t i = 0; i < homes.count; i++)
        if (homes.of[i] == PG_HOME_LEFT)
            pg_array_int4(&homeless, i);
    pg_params_array(&params, &homeless);
    for (uint32_t i = 0; count > 1 && status == USHER_OK && i < count; i++) {
        struct pg_settings one = pg_session_one(settings, i);
        status = say_states(&one, &params, say, self, err);
    }
    pg_array_deinit(&homeless);
    usher_arena_deinit(&arena);
    return status;
}
