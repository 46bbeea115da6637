/*
 * The embedded migrations, and whether this program can work with those that a database has.
 */
#include "worker/postgres/pg_schema.h"

#include <inttypes.h>

#include "postgres_sql.h"
#include "worker/postgres/pg_value.h"

static const struct pg_migration migrations[] = {
#include "migrations.inc"
};

enum {
    MIGRATION_COUNT = sizeof migrations / sizeof *migrations
};

const struct pg_migration *pg_schema_migrations(uint32_t *count)
{
    *count = MIGRATION_COUNT;
    return migrations;
}

int32_t pg_schema_version(void)
{
    return MIGRATION_COUNT;
}

/* Reads the one number that a query is for. */
static enum usher_status read_number(struct pg_connection *connection, const char *query,
                                     const struct pg_params *params, int32_t *number,
                                     struct usher_error *err)
{
    PGresult *result;
    enum usher_status status = pg_connection_query(connection, query, params, &result, err);
    if (status == USHER_OK) {
        struct pg_row row = pg_row_of(result, 0, NULL);

        *number = pg_row_int4(&row, 0);
    }
    PQclear(result);
    return status;
}

/* `*oldest` is the oldest program that can work with a schema that is newer than this one. */
static enum usher_status read_oldest_program(struct pg_connection *connection, int32_t *oldest,
                                             struct usher_error *err)
{
    struct pg_params params = {0};
    pg_params_int4(&params, pg_schema_version());
    return read_number(connection, schema_oldest_program_sql, &params, oldest, err);
}

enum usher_status pg_schema_check(struct pg_connection *connection, int32_t *version,
                                  struct usher_error *err)
{
    int32_t oldest = pg_schema_version();
    enum usher_status status =
        read_number(connection, "select coalesce(max(version), 0) from usher.schema_migration",
                    NULL, version, err);
    if (status == USHER_OK && *version > pg_schema_version())
        status = read_oldest_program(connection, &oldest, err);
    if (status != USHER_OK)
        return status;
    if (*version >= pg_schema_version() && oldest <= pg_schema_version())
        return USHER_OK;
    usher_error_set(
        err, USHER_EXIT_CONFIG,
        "could not use the schema: it is version %" PRId32 ", this program's is %" PRId32 "; %s",
        *version, pg_schema_version(),
        *version < pg_schema_version() ? "run `usher-worker migrate up`" : "run a newer program");
    return USHER_FATAL;
}
