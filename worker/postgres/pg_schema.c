/*
 * The embedded migrations, and the version that a database has of them.
 */
#include "worker/postgres/pg_schema.h"

#include <inttypes.h>

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

enum usher_status pg_schema_check(struct pg_connection *connection, struct usher_error *err)
{
    PGresult *result;
    enum usher_status status = pg_connection_query(
        connection, "select coalesce(max(version), 0) from usher.schema_migration", NULL, &result,
        err);
    if (status != USHER_OK)
        return status;
    struct pg_row row = pg_row_of(result, 0, NULL);
    int32_t version = pg_row_int4(&row, 0);
    PQclear(result);
    if (version == pg_schema_version())
        return USHER_OK;
    usher_error_set(
        err, USHER_EXIT_CONFIG,
        "could not use the schema: it is version %" PRId32 ", this program's is %" PRId32 "; %s",
        version, pg_schema_version(),
        version < pg_schema_version() ? "run `usher-worker migrate up`" : "run a newer program");
    return USHER_FATAL;
}
