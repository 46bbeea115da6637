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

/* ---- reading ---- */

static void make_room(struct pg_homes *homes, int32_t count, struct usher_arena *arena)
{
    if (count <= homes->count)
        return;
    int32_t *of = usher_arena_alloc(arena, (size_t)count * sizeof *of);
    const char **shards = usher_arena_alloc(arena, (size_t)count * sizeof *shards);
    for (int32_t i = 0; i < count; i++) {
        of[i] = i < homes->count ? homes->of[i] : PG_HOME_UNKNOWN;
        shards[i] = i < homes->count ? homes->shards[i] : NULL;
    }
    homes->of = of;
    homes->shards = shards;
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

/* Of several that a partition is said to live in, one that is not among those that answered. */
static void note_shard(struct pg_homes *homes, int32_t partition, const char *shard, size_t size,
                       struct usher_arena *arena)
{
    const char *all = homes->shards[partition];
    homes->shards[partition] =
        usher_arena_format(arena, "%s%.*s ", all ? all : " ", (int)size, shard);
}

void pg_homes_add(struct pg_homes *homes, int32_t place, const char *answer,
                  struct usher_arena *arena)
{
    char *at;
    make_room(homes, (int32_t)strtol(answer, &at, 10), arena);
    const size_t size = strcspn(at + 1, " ");
    const char *name = usher_arena_text(arena, at + 1, size);
    homes->names = usher_arena_format(arena, "%s%s ", homes->names ? homes->names : " ", name);
    at += 1 + size;
    while (at[0] != '\0' && at[1] != '\0') { /* a blank or a comma, and a partition */
        const long partition = strtol(at + 1, &at, 10);
        assert(partition >= 0 && partition < homes->count);
        homes->of[partition] = home_with(homes->of[partition], *at, place);
        const size_t rest = strcspn(at, ",");
        if (*at == '!')
            note_shard(homes, (int32_t)partition, at + 1, rest - 1, arena);
        at += rest;
    }
}

bool pg_homes_is_only(const struct pg_homes *homes)
{
    return homes->names && strcmp(homes->names, " - ") == 0;
}

static enum usher_status read_one(const struct pg_settings *one, struct pg_homes *homes,
                                  struct usher_arena *arena, struct usher_error *err)
{
    struct pg_connection connection = {0};
    PGresult *result = NULL;
    char name[PG_SHARD_SIZE];
    enum usher_status status = pg_session_open_schema(&connection, one, err);
    if (status == USHER_OK && pg_session_databases(one) > 1)
        status = pg_session_shard(&connection, one, name, err);
    if (status == USHER_OK)
        status = pg_connection_query(&connection, homes_sql, NULL, &result, err);
    if (status == USHER_OK)
        pg_homes_add(homes, (int32_t)one->place, PQgetvalue(result, 0, 0), arena);
    PQclear(result);
    pg_connection_close(&connection);
    return status;
}

static enum usher_status read_all(const struct pg_settings *settings, struct pg_homes *homes,
                                  struct usher_arena *arena, struct usher_error *err)
{
    const uint32_t count = pg_session_databases(settings);
    enum usher_status status = USHER_OK;
    *homes = (struct pg_homes){0};
    for (uint32_t i = 0; i < count && status == USHER_OK; i++) {
        const struct pg_settings one = pg_session_one(settings, i);
        status = read_one(&one, homes, arena, err);
    }
    return status;
}

/* ---- exactly one ---- */

/* The one in which it is said to live, and that did not answer; NULL: all that are told of did. */
static const char *not_named(const struct pg_homes *homes, int32_t partition,
                             struct usher_arena *arena)
{
    const char *at = homes->shards[partition];
    while (at && at[1] != '\0') {
        const size_t size = strcspn(at + 1, " ");
        const char *name = usher_arena_format(arena, " %.*s ", (int)size, at + 1);
        if (!strstr(homes->names, name))
            return usher_arena_text(arena, at + 1, size);
        at += 1 + size;
    }
    return NULL;
}

/* What is to be told of it with others that have that home: who left rows is missed like others. */
static bool is_told(const struct pg_homes *homes, int32_t partition, int32_t home,
                    const char *shard)
{
    const int32_t found = homes->of[partition];
    if (home == PG_HOME_NOT_NAMED)
        return found == home && strcmp(homes->shards[partition], shard) == 0;
    return found == home || (home == PG_HOME_LEFT && found == PG_HOME_UNKNOWN);
}

struct list {
    const char *text; /* "1, 3-7 and 9" */
    const char *last; /* of it, which is yet to come */
    bool several;
};

static void add_to(struct list *list, const char *range, struct usher_arena *arena)
{
    if (list->last)
        list->text =
            list->text ? usher_arena_format(arena, "%s, %s", list->text, list->last) : list->last;
    list->last = range;
}

static struct list list_of(const struct pg_homes *homes, int32_t home, const char *shard,
                           struct usher_arena *arena)
{
    struct list list = {0};
    for (int32_t i = 0; i < homes->count; i++) {
        int32_t last = i;
        if (!is_told(homes, i, home, shard))
            continue;
        while (last + 1 < homes->count && is_told(homes, last + 1, home, shard))
            last++;
        list.several = list.several || list.last || last > i;
        const bool is_range = last > i + 1;
        add_to(&list,
               is_range ? usher_arena_format(arena, "%" PRId32 "-%" PRId32, i, last)
                        : usher_arena_format(arena, "%" PRId32, i),
               arena);
        i = is_range ? last : i;
    }
    list.text =
        list.text ? usher_arena_format(arena, "%s and %s", list.text, list.last) : list.last;
    return list;
}

/* Those of each shard, at its first one. */
static const char *say_not_named(const struct pg_homes *homes, struct usher_arena *arena)
{
    const char *text = "";
    for (int32_t i = 0; i < homes->count; i++) {
        const char *shard = homes->shards[i];
        int32_t first = 0;
        if (homes->of[i] != PG_HOME_NOT_NAMED)
            continue;
        while (!is_told(homes, first, PG_HOME_NOT_NAMED, shard))
            first++;
        if (first < i)
            continue;
        const struct list list = list_of(homes, PG_HOME_NOT_NAMED, shard, arena);
        text = usher_arena_format(arena,
                                  "%s%spartition%s %.*s live%s in shard %s, which USHER_POSTGRES "
                                  "does not name",
                                  text, *text != '\0' ? "; " : "", list.several ? "s" : "",
                                  LIST_MAX, list.text, list.several ? "" : "s", shard);
    }
    return text;
}

/* The home of those that do not live in one, first of those that no move brings there; 0: all do.
 */
static int32_t worst(const struct pg_homes *homes)
{
    static const int32_t wrong[] = {PG_HOME_SEVERAL, PG_HOME_NOT_NAMED, PG_HOME_LEFT,
                                    PG_HOME_UNKNOWN, PG_HOME_UNDERWAY};
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
    const char *others = list_of(homes, PG_HOME_LEFT, NULL, arena).text;
    if (home == PG_HOME_NOT_NAMED)
        usher_error_set(err, USHER_EXIT_UNAVAILABLE, "%s%s%.*s", say_not_named(homes, arena),
                        others ? "; no database of USHER_POSTGRES has partition " : "", LIST_MAX,
                        others ? others : "");
    else
        usher_error_set(err, is_several ? USHER_EXIT_CONFIG : USHER_EXIT_UNAVAILABLE,
                        "%s database of USHER_POSTGRES has partition %.*s: %s",
                        is_several ? "more than one" : "no", LIST_MAX,
                        list_of(homes, home, NULL, arena).text, why[-home]);
    return is_several ? USHER_FATAL : USHER_RETRY;
}

enum usher_status pg_homes_judge(struct pg_homes *homes, int32_t partition_count, int32_t *home,
                                 struct usher_arena *arena, struct usher_error *err)
{
    *home = 0;
    if (pg_homes_is_only(homes))
        return USHER_OK;
    make_room(homes, partition_count, arena);
    for (int32_t i = 0; i < homes->count; i++) {
        homes->shards[i] = not_named(homes, i, arena);
        if (homes->of[i] == PG_HOME_LEFT && homes->shards[i])
            homes->of[i] = PG_HOME_NOT_NAMED;
    }
    *home = worst(homes);
    return *home == 0 ? USHER_OK : refuse(homes, *home, arena, err);
}

bool pg_homes_look_again(int32_t home, int turn)
{
    const int most = home == PG_HOME_UNDERWAY ? TURNS_UNDERWAY_MAX : TURNS_MAX;
    if (home == 0 || home == PG_HOME_NOT_NAMED || turn >= most)
        return false;
    nanosleep(&(struct timespec){.tv_nsec = TURN_MS * 1000000L}, NULL);
    return true;
}

enum usher_status pg_homes_check(const struct pg_settings *settings, int32_t partition_count,
                                 struct usher_error *err)
{
    for (int turn = 0;; turn++) {
        struct usher_arena arena = {0};
        struct pg_homes homes;
        int32_t home = 0;
        enum usher_status status = read_all(settings, &homes, &arena, err);
        if (status == USHER_OK)
            status = pg_homes_judge(&homes, partition_count > 0 ? partition_count : 1, &home,
                                    &arena, err);
        usher_arena_deinit(&arena);
        if (!pg_homes_look_again(home, turn))
            return status;
    }
}

/* ---- states ---- */

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
    int32_t home = 0;
    enum usher_status status = count == 1 ? USHER_OK : read_all(settings, &homes, &arena, err);
    if (status == USHER_OK)
        pg_homes_judge(&homes, 0, &home, &arena, NULL);
    pg_array_begin(&homeless, PG_TYPE_INT4);
    for (int32_t i = 0; i < homes.count; i++)
        if (homes.of[i] == PG_HOME_LEFT || homes.of[i] == PG_HOME_NOT_NAMED)
            pg_array_int4(&homeless, PG_TYPE_INT4, i);
    pg_params_array(&params, &homeless);
    for (uint32_t i = 0; count > 1 && status == USHER_OK && i < count; i++) {
        struct pg_settings one = pg_session_one(settings, i);
        status = say_states(&one, &params, say, self, err);
    }
    pg_array_deinit(&homeless);
    usher_arena_deinit(&arena);
    return status;
}
