/*
 * In which of several databases each partition lives. They say it themselves, each of what it has,
 * so that only all of them together know of a partition that it lives in one. For readers.
 */
#ifndef USHER_WORKER_POSTGRES_PG_HOMES_H
#define USHER_WORKER_POSTGRES_PG_HOMES_H

#include <stdint.h>

#include "usher/memory.h"
#include "usher/status.h"
#include "worker/postgres/pg_settings.h"

enum {
    PG_HOME_UNKNOWN = -1,  /* in none of those that were asked */
    PG_HOME_SEVERAL = -2,  /* in more than one: nobody may decide it */
    PG_HOME_LEFT = -3,     /* in none of them, and one has rows of it */
    PG_HOME_UNDERWAY = -4, /* in none: it stands still on its way from one to another */
};

struct pg_homes {
    int32_t *of;   /* by partition: the place of its database, or PG_HOME_…; in an arena */
    int32_t count; /* of partitions, as recorded; 0: none is */
};

/* Adds the answer of a database to the statement homes.sql, which others have not answered yet. */
void pg_homes_add(struct pg_homes *homes, int32_t place, const char *answer,
                  struct usher_arena *arena);

/*
 * Whether each partition lives in exactly one of the databases, however many the settings name; a
 * moment's move is waited for. `partition_count` of the topic; 0: as recorded. RETRY (69): one
 * lives in none of them, or a database is away. FATAL (78): one lives in several, the schema is
 * wrong, or one of several databases has no name; access denied (77).
 */
USHER_MUST_CHECK enum usher_status pg_homes_check(const struct pg_settings *settings,
                                                  int32_t partition_count, struct usher_error *err);

/*
 * Says in words which partitions are being moved, or have left rows behind, database by database,
 * if there are several. Statuses as of pg_homes_check, but for where a partition lives.
 */
USHER_MUST_CHECK enum usher_status pg_homes_states(const struct pg_settings *settings,
                                                   void (*say)(void *self, const char *text),
                                                   void *self, struct usher_error *err);

#endif
