/*
 * Applies the schema's files. Knows their order and checksums, not what they contain.
 */
#include "worker/postgres/pg_migrate.h"

#include <assert.h>
#include <inttypes.h>
#include <openssl/evp.h>
#include <string.h>

#include "postgres_sql.h"
#include "usher/message.h"
#include "worker/postgres/pg_session.h"
#include "worker/postgres/pg_value.h"

enum {
    /* A migration may rewrite a table, and waits for another migrator. */
    MIGRATION_TIMEOUT_MS = 3600 * 1000,
    LOCK_TIMEOUT_MS = 60 * 1000,
    SHA256_HEX_SIZE = 65,
    FIRST_VERSION = 8, /* of the first release: under less no worker ever ran */
};

/* A migration as the database recorded it. */
struct applied {
    const char *sha256, *by;
    int64_t at_ms; /* 0: not applied */
};

struct history {
    struct usher_arena arena;
    struct applied *applied; /* of each migration, in their order */
    int32_t newest;          /* version; 0: none */
};

static void checksum(const char *text, char hex[SHA256_HEX_SIZE])
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int size = 0;
    int made = EVP_Digest(text, strlen(text), digest, &size, EVP_sha256(), NULL);
    assert(made == 1 && size == 32);
    for (unsigned int i = 0; i < size; i++)
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
}

static enum usher_status refuse_newer(int32_t version, struct usher_error *err)
{
    usher_error_set(err, USHER_EXIT_CONFIG,
                    "could not use the schema: it is version %" PRId32
                    ", this program's is %" PRId32 "; run a newer program",
                    version, pg_schema_version());
    return USHER_FATAL;
}

/* The place of the first file of at least this version; their count: there is none. */
static uint32_t file_from(int32_t version)
{
    uint32_t count, i = 0;
    const struct pg_migration *migrations = pg_schema_migrations(&count);
    while (i < count && migrations[i].version < version)
        i++;
    return i;
}

static enum usher_status read_rows(const PGresult *result, struct history *history,
                                   struct usher_error *err)
{
    uint32_t count;
    const struct pg_migration *migrations = pg_schema_migrations(&count);
    for (int i = 0; i < PQntuples(result); i++) {
        struct pg_row row = pg_row_of(result, i, &history->arena);
        int32_t version = pg_row_int4(&row, 0);

        uint32_t file = file_from(version);
        if (file == count || migrations[file].version != version)
            return refuse_newer(version, err);
        history->newest = version;
        struct applied *applied = &history->applied[file];
        applied->sha256 = pg_row_text(&row, NULL);
        applied->at_ms = pg_row_ms(&row, 0);
        applied->by = pg_row_text(&row, NULL);
    }
    return USHER_OK;
}

/* Whether the table of migrations exists: before the first file it does not. */
static enum usher_status table_exists(struct pg_connection *connection, bool *exists,
                                      struct usher_error *err)
{
    PGresult *result;
    enum usher_status status = pg_connection_query(
        connection, "select to_regclass('usher.schema_migration') is not null", NULL, &result, err);
    if (status == USHER_OK) {
        struct pg_row row = pg_row_of(result, 0, NULL);

        *exists = pg_row_bool(&row);
        PQclear(result);
    }
    return status;
}

/* Reads what was applied; FATAL where that is more than this program carries. */
static enum usher_status read_history(struct pg_connection *connection, struct history *history,
                                      struct usher_error *err)
{
    uint32_t count;
    (void)pg_schema_migrations(&count);
    history->applied = usher_arena_alloc(&history->arena, count * sizeof *history->applied);

    bool exists = false;
    enum usher_status status = table_exists(connection, &exists, err);
    if (status != USHER_OK || !exists)
        return status;
    PGresult *result;
    status = pg_connection_query(connection, migrate_history_sql, NULL, &result, err);
    if (status == USHER_OK)
        status = read_rows(result, history, err);
    PQclear(result);
    return status;
}

static bool was_changed(const struct history *history, uint32_t file)
{
    uint32_t count;
    const struct pg_migration *migration = &pg_schema_migrations(&count)[file];
    const struct applied *applied = &history->applied[file];
    char sha256[SHA256_HEX_SIZE];
    checksum(migration->text, sha256);
    return applied->at_ms != 0 && strcmp(applied->sha256, sha256) != 0;
}

static enum usher_status check_unchanged(const struct history *history, struct usher_error *err)
{
    uint32_t count;
    const struct pg_migration *migrations = pg_schema_migrations(&count);
    for (uint32_t i = 0; i < count; i++) {
        if (was_changed(history, i)) {
            usher_error_set(err, USHER_EXIT_CONFIG,
                            "could not migrate: \"%s\" was applied with different content; run the "
                            "program that the database was created with, or restore the file",
                            migrations[i].name);
            return USHER_FATAL;
        }
    }
    return USHER_OK;
}

static enum usher_status record(struct pg_connection *connection,
                                const struct pg_migration *migration, struct usher_error *err)
{
    char sha256[SHA256_HEX_SIZE];
    checksum(migration->text, sha256);

    struct pg_params params = {0};
    pg_params_int4(&params, migration->version);
    pg_params_text(&params, migration->name);
    pg_params_text(&params, sha256);
    PGresult *result;
    enum usher_status status =
        pg_connection_query(connection, migrate_record_sql, &params, &result, err);
    PQclear(result);
    return status;
}

/* The rows of one that is on its way fit into no other table. None begins to move meanwhile. */
static enum usher_status refuse_moves(struct pg_connection *connection,
                                      const struct history *history, struct usher_error *err)
{
    PGresult *result = NULL;
    if (history->newest < FIRST_VERSION)
        return USHER_OK;
    enum usher_status status =
        pg_connection_script(connection, "select from usher.shard for share", err);
    if (status == USHER_OK)
        status = pg_connection_query(connection, migrate_moves_sql, NULL, &result, err);
    if (status == USHER_OK && PQntuples(result) > 0) {
        usher_error_set(err, USHER_EXIT_UNAVAILABLE,
                        "could not migrate: partition %s is being moved to shard %s: wait until it "
                        "is there, or cancel that by `usher-worker partition move --cancel`",
                        PQgetvalue(result, 0, 0), PQgetvalue(result, 0, 1));
        status = USHER_RETRY;
    }
    PQclear(result);
    return status;
}

static enum usher_status apply(struct pg_connection *connection,
                               const struct pg_migration *migration, struct usher_error *err)
{
    char purpose[96];
    snprintf(purpose, sizeof purpose, "apply \"%s\"", migration->name);
    connection->purpose = purpose;
    enum usher_status status = pg_connection_script(connection, migration->text, err);
    if (status == USHER_OK)
        status = record(connection, migration, err);
    connection->purpose = "migrate";
    return status;
}

static enum pg_migration_way way_of(const struct history *history,
                                    const struct pg_migration *migration)
{
    if (migration->version <= history->newest || history->newest < FIRST_VERSION)
        return PG_WAY_NONE;
    return migration->program > 0 && migration->program <= history->newest ? PG_WAY_ROLLING
                                                                           : PG_WAY_STOP;
}

static struct pg_migration_state state_of(const struct history *history, uint32_t file)
{
    uint32_t count;
    const struct pg_migration *migration = &pg_schema_migrations(&count)[file];
    const struct applied *applied = &history->applied[file];
    return (struct pg_migration_state){
        .name = migration->name,
        .applied_ms = applied->at_ms,
        .by = applied->by,
        .changed = was_changed(history, file),
        .way = way_of(history, migration),
        .program = migration->program,
    };
}

/* A migration for which workers have to stop is not applied while one of them decides. */
static enum usher_status refuse_workers(struct pg_connection *connection,
                                        const struct history *history, struct usher_error *err)
{
    uint32_t count;
    const struct pg_migration *migrations = pg_schema_migrations(&count);
    uint32_t file = file_from(history->newest + 1);
    while (file < count && way_of(history, &migrations[file]) != PG_WAY_STOP)
        file++;
    if (file == count)
        return USHER_OK;
    PGresult *result;
    enum usher_status status =
        pg_connection_query(connection, migrate_workers_sql, NULL, &result, err);
    if (status == USHER_OK && PQntuples(result) > 0) {
        usher_error_set(err, USHER_EXIT_CONFIG,
                        "could not migrate: \"%s\" needs the workers stopped, and these have "
                        "partitions: %s",
                        migrations[file].name, PQgetvalue(result, 0, 0));
        status = USHER_FATAL;
    }
    PQclear(result);
    return status;
}

/* Whoever applies it sees first what it means for the workers. */
static void report_pending(const struct history *history,
                           const struct pg_migration_reporter *reporter)
{
    uint32_t count;
    (void)pg_schema_migrations(&count);
    for (uint32_t file = file_from(history->newest + 1); file < count; file++) {
        const struct pg_migration_state state = state_of(history, file);
        if (state.way != PG_WAY_NONE)
            reporter->report(reporter->context, &state);
    }
}

/*
 * Applies one file, or none: the lock lasts as long as the transaction, so what is pending is
 * looked up again under it, and nothing before it: what is found missing without the lock stays so
 * in the session's cache. `*name` is what was applied; NULL: nothing is pending. `teller` may be
 * NULL.
 */
static enum usher_status apply_next(struct pg_connection *connection,
                                    const struct pg_migration_reporter *reporter, const char **name,
                                    struct usher_error *err)
{
    struct history history = {0};
    enum usher_status status = pg_connection_script(
        connection, "begin; select pg_advisory_xact_lock(hashtext('usher.migrate'))", err);

    *name = NULL;
    if (status == USHER_OK)
        status = read_history(connection, &history, err);
    if (status == USHER_OK)
        status = check_unchanged(&history, err);
    if (status == USHER_OK && reporter)
        report_pending(&history, reporter);
    if (status == USHER_OK && reporter)
        status = refuse_workers(connection, &history, err);
    if (status == USHER_OK && history.newest < pg_schema_version()) {
        uint32_t count;
        const struct pg_migration *next =
            &pg_schema_migrations(&count)[file_from(history.newest + 1)];
        *name = next->name;
        status = refuse_moves(connection, &history, err);
        if (status == USHER_OK)
            status = apply(connection, next, err);
    }
    if (status == USHER_OK)
        status = pg_connection_commit(connection, err);
    usher_arena_deinit(&history.arena);
    return status;
}

static enum usher_status connect(struct pg_connection *connection,
                                 const struct pg_settings *settings, struct usher_error *err)
{
    struct pg_settings patient = *settings;
    patient.lock_timeout_ms = LOCK_TIMEOUT_MS;
    patient.statement_timeout_ms = MIGRATION_TIMEOUT_MS;
    patient.query_timeout_ms = MIGRATION_TIMEOUT_MS;
    enum usher_status status = pg_session_open(connection, &patient, err);
    connection->purpose = "migrate";
    return status;
}

/*
 * Who runs workers or reads must not own the schema: it could drop the guard and rewrite history.
 * The roles may not exist yet, but their names say what they are for.
 */
static enum usher_status refuse_role(struct pg_connection *connection, struct usher_error *err)
{
    PGresult *result;
    enum usher_status status =
        pg_connection_query(connection, migrate_role_sql, NULL, &result, err);
    if (status != USHER_OK)
        return status;
    if (!PQgetisnull(result, 0, 0)) {
        usher_error_set(err, USHER_EXIT_DENIED,
                        "could not migrate as \"%s\", which has the rights of %s: log in as "
                        "usher_owner, or as another role that may own the schema",
                        PQgetvalue(result, 0, 1), PQgetvalue(result, 0, 0));
        status = USHER_FATAL;
    }
    PQclear(result);
    return status;
}

static enum usher_status apply_pending(struct pg_connection *connection,
                                       const struct pg_migration_reporter *reporter, FILE *out,
                                       struct usher_error *err)
{
    const char *name = NULL;
    uint32_t applied = 0, count;
    const struct pg_migration *migrations = pg_schema_migrations(&count);
    enum usher_status status = USHER_OK;
    do {
        status = apply_next(connection, reporter, &name, err);
        reporter = NULL; /* once is enough */
        if (status == USHER_OK && name)
            fprintf(out, "applied %s\n", name);
        applied += name ? 1 : 0;
    } while (status == USHER_OK && name);
    if (status == USHER_OK && applied == 0)
        fprintf(out, "nothing to apply: the schema is at %s\n", migrations[count - 1].name);
    return status;
}

static enum usher_status migrate_one(const struct pg_settings *settings,
                                     const struct pg_migration_reporter *reporter, FILE *out,
                                     struct usher_error *err)
{
    struct pg_connection connection = {0};
    enum usher_status status = connect(&connection, settings, err);
    if (status == USHER_OK)
        status = refuse_role(&connection, err);
    if (status == USHER_OK)
        status = apply_pending(&connection, reporter, out, err);
    pg_connection_close(&connection); /* rolls back what failed */
    if (status == USHER_FATAL && err && err->exit_code == USHER_EXIT_BUG)
        err->exit_code = USHER_EXIT_CONFIG; /* the database is not as the file needs it */
    return status;
}

enum usher_status pg_migrate_up(const struct pg_settings *settings,
                                const struct pg_migration_reporter *reporter, FILE *out,
                                struct usher_error *err)
{
    const uint32_t count = pg_session_databases(settings);
    struct usher_arena arena = {0};
    enum usher_status status = USHER_OK;
    for (uint32_t i = 0; i < count && status == USHER_OK; i++) {
        struct pg_settings one = pg_session_one(settings, i);
        if (count > 1)
            fprintf(out, "%s:\n", pg_session_where(&one, &arena));
        status = migrate_one(&one, reporter, out, err);
    }
    usher_arena_deinit(&arena);
    return status;
}

/* ---- names ---- */

/* Empty: it has none. */
static enum usher_status read_name(const struct pg_settings *one, char name[PG_SHARD_SIZE],
                                   struct usher_error *err)
{
    struct pg_connection connection = {0};
    PGresult *result = NULL;
    enum usher_status status = pg_session_open_schema(&connection, one, err);
    if (status == USHER_OK)
        status =
            pg_connection_query(&connection, "select name from usher.shard", NULL, &result, err);
    if (status == USHER_OK && PQntuples(result) > 0)
        snprintf(name, PG_SHARD_SIZE, "%s", PQgetvalue(result, 0, 0));
    PQclear(result);
    pg_connection_close(&connection);
    return status;
}

static enum usher_status give_name(const struct pg_settings *one, const char *name, FILE *out,
                                   struct usher_error *err)
{
    struct pg_connection connection = {0};
    struct pg_params params = {0};
    struct usher_arena arena = {0};
    PGresult *result = NULL;
    pg_params_text(&params, name);
    enum usher_status status = connect(&connection, one, err);
    if (status == USHER_OK)
        status =
            pg_connection_query(&connection, "select usher.name_shard($1)", &params, &result, err);
    if (status == USHER_OK)
        fprintf(out, "the database at %s is shard %s\n", pg_session_where(one, &arena), name);
    PQclear(result);
    pg_connection_close(&connection);
    usher_arena_deinit(&arena);
    return status;
}

enum usher_status pg_migrate_shard(const struct pg_settings *settings, const char *name, FILE *out,
                                   struct usher_error *err)
{
    const uint32_t count = pg_session_databases(settings);
    enum usher_status status = USHER_OK;
    struct pg_settings unnamed = {0};
    uint32_t unnamed_count = 0;
    bool is_there = false;
    for (uint32_t i = 0; i < count && status == USHER_OK && !is_there; i++) {
        struct pg_settings one = pg_session_one(settings, i);
        char found[PG_SHARD_SIZE] = "";
        status = read_name(&one, found, err);
        is_there = found[0] != '\0' && strcmp(found, name) == 0;
        if (status == USHER_OK && found[0] == '\0') {
            unnamed = one;
            unnamed_count++;
        }
    }
    if (status != USHER_OK || is_there)
        return status;
    if (unnamed_count == 1)
        return give_name(&unnamed, name, out, err);
    if (unnamed_count == 0)
        usher_error_set(
            err, USHER_EXIT_BAD_INPUT,
            "could not name shard %s: each database of USHER_POSTGRES has another name, "
            "which it keeps",
            name);
    else
        usher_error_set(err, USHER_EXIT_BAD_INPUT,
                        "could not name shard %s: %" PRIu32 " databases of USHER_POSTGRES have no "
                        "name; give the URI of one alone",
                        name, unnamed_count);
    return USHER_FATAL;
}

/* ---- list ---- */

static enum usher_status list_one(const struct pg_settings *settings, const char *database,
                                  const struct pg_migration_reporter *reporter,
                                  struct usher_error *err)
{
    struct pg_connection connection = {0};
    struct history history = {0};
    enum usher_status status = connect(&connection, settings, err);
    if (status == USHER_OK)
        status = read_history(&connection, &history, err);
    uint32_t count;
    (void)pg_schema_migrations(&count);
    for (uint32_t file = 0; status == USHER_OK && file < count; file++) {
        struct pg_migration_state state = state_of(&history, file);
        state.database = database;
        reporter->report(reporter->context, &state);
    }
    pg_connection_close(&connection);
    usher_arena_deinit(&history.arena);
    return status;
}

enum usher_status pg_migrate_list(const struct pg_settings *settings,
                                  const struct pg_migration_reporter *reporter,
                                  struct usher_error *err)
{
    const uint32_t count = pg_session_databases(settings);
    struct usher_arena arena = {0};
    enum usher_status status = USHER_OK;
    for (uint32_t i = 0; i < count && status == USHER_OK; i++) {
        struct pg_settings one = pg_session_one(settings, i);
        status = list_one(&one, count > 1 ? pg_session_where(&one, &arena) : NULL, reporter, err);
    }
    usher_arena_deinit(&arena);
    return status;
}

enum usher_status pg_migrate_print(const char *name, FILE *out, struct usher_error *err)
{
    uint32_t count;
    const struct pg_migration *migrations = pg_schema_migrations(&count);
    bool found = false;
    for (uint32_t i = 0; i < count; i++) {
        if (!name || strcmp(name, migrations[i].name) == 0) {
            fputs(migrations[i].text, out);
            found = true;
        }
    }
    if (!found) {
        usher_error_set(err, USHER_EXIT_USAGE, "could not print \"%s\": no such migration", name);
        return USHER_FATAL;
    }
    return USHER_OK;
}
