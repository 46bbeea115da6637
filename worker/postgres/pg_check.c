/*
 * Queries the server and reports a line per finding; a line that is not good says what to do.
 */
#include "worker/postgres/pg_check.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "postgres_sql.h"
#include "producer/base/plural.h"
#include "usher/memory.h"
#include "worker/postgres/pg_homes.h"
#include "worker/postgres/pg_session.h"
#include "worker/postgres/pg_status.h"
#include "worker/postgres/pg_value.h"

struct check {
    struct pg_connection connection;
    const struct findings *findings;
    struct usher_error *err;
    struct usher_arena arena;
    int32_t partition_count;
    enum usher_status status; /* of the first line that is not good */
};

static void good(struct check *check, const char *text)
{
    check->findings->report(check->findings->context, FINDING_GOOD, text);
}

static void warn(struct check *check, const char *text)
{
    check->findings->report(check->findings->context, FINDING_WARNING, text);
}

/* Reports what is in `err`, and keeps the first such status. */
static void bad(struct check *check, enum usher_status status, const struct usher_error *err)
{
    check->findings->report(check->findings->context, FINDING_WRONG, err->text);
    if (check->status == USHER_OK) {
        check->status = status;
        if (check->err)
            *check->err = *err;
    }
}

static void bad_setting(struct check *check, const char *text)
{
    struct usher_error err;
    usher_error_set(&err, USHER_EXIT_CONFIG, "%s", text);
    bad(check, USHER_FATAL, &err);
}

/* Runs a query; reports its failure and returns NULL then. The caller owns the result. */
static PGresult *ask(struct check *check, const char *sql)
{
    struct usher_error err = {0};
    PGresult *result = NULL;
    enum usher_status status = pg_connection_query(&check->connection, sql, NULL, &result, &err);
    if (status != USHER_OK)
        bad(check, status, &err);
    return result;
}

static void check_settings(struct check *check)
{
    PGresult *result = ask(check, check_settings_sql);
    if (!result)
        return;
    struct pg_row row = pg_row_of(result, 0, &check->arena);
    const char *version = pg_row_text(&row, NULL);
    const char *database = pg_row_text(&row, NULL);
    const char *user = pg_row_text(&row, NULL);
    const char *commit = pg_row_text(&row, NULL);
    good(check, usher_arena_format(&check->arena,
                                   "PostgreSQL %s, database \"%s\", as \"%s\", synchronous_commit"
                                   " %s",
                                   version, database, user, commit));
    if (strcmp(pg_row_text(&row, NULL), "on") != 0) {
        bad_setting(
            check,
            "fsync is off: decisions that were answered may be lost in a crash; set fsync = on");
    }
    if (strcmp(pg_row_text(&row, NULL), "on") != 0) {
        bad_setting(check, "full_page_writes is off: a crash may tear pages; set it on, unless the "
                           "file system writes pages whole");
    }
    if (pg_row_bool(&row)) {
        bad_setting(check, "the server is a standby, which cannot be written: connect to the "
                           "primary");
    }
    if (pg_row_int4(&row, 0) < 2 * check->partition_count + 2) {
        bad_setting(check,
                    usher_arena_format(&check->arena,
                                       "%" PRId32 " partition%s %" PRId32
                                       " connections, and 2 more for each worker after the first: "
                                       "raise max_connections",
                                       check->partition_count,
                                       check->partition_count == 1 ? " needs" : "s need",
                                       2 * check->partition_count + 2));
    }
    PQclear(result);
}

/* Compares the schema's version; without the right one the other checks have nothing to query. */
static bool check_schema(struct check *check)
{
    struct usher_error err = {0};
    int32_t version = 0;
    enum usher_status status = pg_schema_check(&check->connection, &version, &err);
    if (status == USHER_OK) {
        good(check, usher_arena_format(&check->arena, "schema version %" PRId32 "%s", version,
                                       version == pg_schema_version()
                                           ? ""
                                           : ", with which this older program can work"));
    } else {
        bad(check, status, &err);
    }
    return status == USHER_OK;
}

static void bad_permissions(struct check *check, const char *missing, const char *user, bool reader)
{
    struct usher_error err;
    if (reader)
        usher_error_set(
            &err, USHER_EXIT_DENIED,
            "logged in as \"%s\", a login for readers: status, show and the like need no "
            "more, a worker does; connect as a member of usher_worker",
            user);
    else
        usher_error_set(&err, USHER_EXIT_DENIED,
                        "missing permissions: %s; connect as a member of usher_worker", missing);
    bad(check, USHER_FATAL, &err);
}

/* Returns whether the tables may be asked at all. */
static bool check_permissions(struct check *check)
{
    PGresult *result = ask(check, check_permissions_sql);
    if (!result)
        return false;
    struct pg_row row = pg_row_of(result, 0, &check->arena);
    const char *missing = pg_row_text(&row, NULL);
    const char *user = pg_row_text(&row, NULL);
    bool reader = pg_row_bool(&row);
    bool may_ask = pg_row_bool(&row);
    if (*missing == '\0')
        good(check, "all permissions that the worker needs");
    else
        bad_permissions(check, missing, user, reader);
    PQclear(result);
    return may_ask;
}

/* What works, but lets a login do more than it needs: a line each. */
static void check_limits(struct check *check)
{
    PGresult *result = ask(check, check_limits_sql);
    for (int i = 0; result && i < PQntuples(result); i++)
        warn(check, PQgetvalue(result, i, 0));
    PQclear(result);
}

/* What somebody else made of the tables: a line each. */
static void check_tables(struct check *check)
{
    PGresult *result = ask(check, check_tables_sql);
    for (int i = 0; result && i < PQntuples(result); i++) {
        struct pg_row row = pg_row_of(result, i, &check->arena);
        const bool loses_rows = pg_row_bool(&row);
        const char *said = pg_row_text(&row, NULL);
        if (loses_rows)
            bad_setting(check, said);
        else
            warn(check, said);
    }
    PQclear(result);
}

static void check_partition_count(struct check *check)
{
    PGresult *result = ask(check, "select max(partition_count) from usher.partition_state");
    if (!result)
        return;
    struct pg_row row = pg_row_of(result, 0, NULL);
    int32_t recorded = pg_row_int4(&row, 0);
    PQclear(result);
    if (recorded == 0) {
        good(check, "no partition count recorded yet");
    } else if (recorded == check->partition_count || check->partition_count == 0) {
        good(check, usher_arena_format(&check->arena, "%" PRId32 " partition%s recorded", recorded,
                                       PLURAL(recorded)));
    } else {
        struct pg_meaning meaning = pg_status_meaning("US004", PG_READ);
        struct usher_error err;
        usher_error_set(&err, meaning.exit_code,
                        "%" PRId32 " partition%s recorded, the topic has %" PRId32 "; %s", recorded,
                        recorded == 1 ? " is" : "s are", check->partition_count, meaning.advice);
        bad(check, meaning.status, &err);
    }
}

/* A warning each: whoever waits for the check starts, as the other partitions are decided. */
static void check_partitions(struct check *check)
{
    PGresult *result = ask(check, check_partitions_sql);
    for (int i = 0; result && i < PQntuples(result); i++)
        warn(check, PQgetvalue(result, i, 0));
    PQclear(result);
}

/* Returns whether its tables may be asked. */
static bool check_database(struct check *check, const struct pg_settings *settings)
{
    struct usher_error err = {0};
    bool may_ask = false;
    enum usher_status status = pg_session_open(&check->connection, settings, &err);
    if (status != USHER_OK) {
        bad(check, status, &err);
        return false;
    }
    check_settings(check);
    if (check_schema(check)) {
        may_ask = check_permissions(check);
        check_limits(check);
        check_tables(check);
        if (may_ask) {
            check_partition_count(check);
            check_partitions(check);
        }
    }
    pg_connection_close(&check->connection);
    return may_ask;
}

/* A partition that lives in none of them, or in several, is not decided; the others are. */
static void check_homes(struct check *check, const struct pg_settings *settings)
{
    struct usher_error err = {0};
    if (pg_homes_check(settings, check->partition_count, &err) != USHER_OK)
        bad_setting(check, err.text);
    else if (pg_session_databases(settings) > 1)
        good(check, "each partition lives in one of the databases");
}

void pg_check_tables(const struct pg_settings *settings, const struct findings *findings)
{
    struct check check = {.findings = findings};
    for (uint32_t i = 0; i < pg_session_databases(settings); i++) {
        struct pg_settings one = pg_session_one(settings, i);
        if (pg_session_open_schema(&check.connection, &one, NULL) == USHER_OK)
            check_tables(&check);
        pg_connection_close(&check.connection);
    }
    usher_arena_deinit(&check.arena);
}

enum usher_status pg_check(const struct pg_settings *settings, int32_t partition_count,
                           const struct findings *findings, struct usher_error *err)
{
    const uint32_t count = pg_session_databases(settings);
    struct check check = {.findings = findings, .err = err, .partition_count = partition_count};
    bool may_ask = true;
    for (uint32_t i = 0; i < count; i++) {
        struct pg_settings one = pg_session_one(settings, i);
        if (count > 1)
            good(&check, usher_arena_format(&check.arena, "the database at %s:",
                                            pg_session_where(&one, &check.arena)));
        may_ask = check_database(&check, &one) && may_ask;
    }
    if (may_ask && partition_count > 0)
        check_homes(&check, settings);
    usher_arena_deinit(&check.arena);
    return check.status;
}
