/*
 * The schema that this program carries inside itself, and whether a database has it.
 */
#ifndef USHER_WORKER_POSTGRES_PG_SCHEMA_H
#define USHER_WORKER_POSTGRES_PG_SCHEMA_H

#include <stdint.h>

#include "worker/postgres/pg_connection.h"

/* A file of schema/postgres: "001_name.sql" is version 1. */
struct pg_migration {
    const char *name;
    const char *text;
    int32_t program; /* the oldest version whose workers go on under it; 0: it does not say */
};

/* All of them, in order, from version 1 on without a gap. */
const struct pg_migration *pg_schema_migrations(uint32_t *count);

/* The version of the newest one. */
int32_t pg_schema_version(void);

/*
 * FATAL (78) unless the database has this version, or a newer one whose migrations all say that
 * programs of this version can work with them. `*version` is the database's.
 */
USHER_MUST_CHECK enum usher_status pg_schema_check(struct pg_connection *connection,
                                                   int32_t *version, struct usher_error *err);

#endif
