/*
 * How a connection comes to be: reached within a deadline, its session set up, the server looked
 * over, and its schema compared with the one that this program carries inside itself.
 */
#ifndef USHER_WORKER_POSTGRES_PG_SESSION_H
#define USHER_WORKER_POSTGRES_PG_SESSION_H

#include <stdint.h>

#include "worker/postgres/pg_connection.h"
#include "worker/postgres/pg_settings.h"

/*
 * Closes the old connection, connects again and sets the session up: synchronous commit, timeouts,
 * nothing left to the server's defaults. Non-blocking from then on. RETRY: the server is away (69).
 * FATAL: access denied (77); too old, not UTF-8, or behind a pooler (78); it is the database of
 * another URI of the settings (64).
 */
USHER_MUST_CHECK enum usher_status pg_session_open(struct pg_connection *connection,
                                                   const struct pg_settings *settings,
                                                   struct usher_error *err);

/* The same, and FATAL (78) unless this program can work with the schema: pg_schema_check. */
USHER_MUST_CHECK enum usher_status pg_session_open_schema(struct pg_connection *connection,
                                                          const struct pg_settings *settings,
                                                          struct usher_error *err);

/*
 * ==== Several databases ====
 *
 * Which databases the settings name.
 */

/* How many there are; at least 1. */
uint32_t pg_session_databases(const struct pg_settings *settings);

/* The settings for one of them. */
struct pg_settings pg_session_one(const struct pg_settings *settings, uint32_t place);

enum {
    PG_SHARD_SIZE = 64 /* of the name of a database, with its NUL */
};

/*
 * The name of a database that was opened by these settings. FATAL (78): it has none, and so it is
 * none of several, or has that of another one. Others as of a query.
 */
USHER_MUST_CHECK enum usher_status pg_session_shard(struct pg_connection *connection,
                                                    const struct pg_settings *one,
                                                    char name[PG_SHARD_SIZE],
                                                    struct usher_error *err);

/* Where it is, for people: host:port/database, in the arena. */
const char *pg_session_where(const struct pg_settings *one, struct usher_arena *arena);

/*
 * ==== The schema ====
 *
 * The schema that this program carries inside itself, and whether a database has it.
 */

/* A file of schema/postgres. */
struct pg_migration {
    const char *name;
    const char *text;
    int32_t version; /* the number in its name: 1 of "001_name.sql" */
    int32_t program; /* the oldest version whose workers go on under it; 0: it does not say */
};

/* All of them, in the order of their versions. */
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
