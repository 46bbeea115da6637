/*
 * The schema's migrations, which the program carries inside itself: forward only, each file once,
 * in order, checksummed, each in a transaction, one migrator at a time.
 */
#ifndef USHER_WORKER_POSTGRES_PG_MIGRATE_H
#define USHER_WORKER_POSTGRES_PG_MIGRATE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "usher/status.h"
#include "worker/postgres/pg_settings.h"

/* What becomes of workers that are as new as the schema that the database has. */
enum pg_migration_way {
    PG_WAY_NONE = 0, /* the migration was applied, or there is no schema to work with yet */
    PG_WAY_ROLLING,  /* they go on meanwhile */
    PG_WAY_STOP,     /* they must be stopped before */
};

/* A file, and what became of it. */
struct pg_migration_state {
    const char *name;
    const char *database; /* of several, which one: host:port/database; NULL */
    int64_t applied_ms;   /* 0: it is pending */
    const char *by;       /* the role that applied it; NULL */
    bool changed;         /* the applied migration differs from the file */
    enum pg_migration_way way;
    int32_t program; /* of ROLLING: the oldest version of the schema whose workers go on */
};

/* Who is told of files. */
struct pg_migration_reporter {
    void (*report)(void *context, const struct pg_migration_state *state);
    void *context;
};

/*
 * Of each database: reports pending migrations, applies them and prints a line for each to `out`,
 * or that none is pending. FATAL with exit code 78: the database is newer than this program,
 * an applied file has changed, or a file failed (nothing of it is left); 77: access denied, or
 * logged in as the workers or the readers do. RETRY: the database is away (69).
 */
USHER_MUST_CHECK enum usher_status pg_migrate_up(const struct pg_settings *settings,
                                                 const struct pg_migration_reporter *reporter,
                                                 FILE *out, struct usher_error *err);

/*
 * Gives the database that has no name this one, and prints what it did to `out`; nothing where one
 * of the databases has it already. FATAL with exit code 65: all have other names, or several have
 * none. Others as pg_migrate_up.
 */
USHER_MUST_CHECK enum usher_status pg_migrate_shard(const struct pg_settings *settings,
                                                    const char *name, FILE *out,
                                                    struct usher_error *err);

/* Tells each file in order, of each database. Errors as pg_migrate_up. */
USHER_MUST_CHECK enum usher_status pg_migrate_list(const struct pg_settings *settings,
                                                   const struct pg_migration_reporter *reporter,
                                                   struct usher_error *err);

/* Prints the SQL of all files, or of the one with that name (NULL: all). FATAL (64): no such. */
USHER_MUST_CHECK enum usher_status pg_migrate_print(const char *name, FILE *out,
                                                    struct usher_error *err);

#endif
