/*
 * In which of several databases each partition lives. They say it themselves, each of what it has,
 * so that only all of them together know of a partition that it lives in one. For readers.
 */
#ifndef USHER_WORKER_POSTGRES_PG_HOMES_H
#define USHER_WORKER_POSTGRES_PG_HOMES_H

#include <stdbool.h>
#include <stdint.h>

#include "usher/memory.h"
#include "usher/status.h"
#include "worker/postgres/pg_settings.h"

enum {
    PG_HOME_UNKNOWN = -1,   /* in none of those that were asked */
    PG_HOME_SEVERAL = -2,   /* in more than one: nobody may decide it */
    PG_HOME_LEFT = -3,      /* in none of them, and one has rows of it */
    PG_HOME_UNDERWAY = -4,  /* in none: it stands still on its way from one to another */
    PG_HOME_NOT_NAMED = -5, /* in none: one says that it lives in a shard that was not asked */
};

/* Zero-initialise. */
struct pg_homes {
    int32_t *of;         /* by partition: the place of its database, or PG_HOME_…; in an arena */
    const char **shards; /* by partition: in which it lives as far as is told; NULL: nothing is */
    int32_t count;       /* of partitions, as recorded; 0: none is */
    const char *names;   /* of those that answered: " a b "; one without a name: " - " */
};

/* Adds the answer of a database to the statement homes.sql, which others have not answered yet. */
void pg_homes_add(struct pg_homes *homes, int32_t place, const char *answer,
                  struct usher_arena *arena);

/* Whether one without a name answered, and no other: what never started lives there, too. */
bool pg_homes_is_only(const struct pg_homes *homes);

/*
 * Once all have answered: whether each partition lives in exactly one of them; `partition_count` of
 * the topic; 0: as recorded. `*home` is what is wrong with those that `err` names, as of one moment
 * in each of them: a move may explain all but PG_HOME_NOT_NAMED. Else statuses of pg_homes_check.
 */
enum usher_status pg_homes_judge(struct pg_homes *homes, int32_t partition_count, int32_t *home,
                                 struct usher_arena *arena, struct usher_error *err);

/* Whether all are to be asked again, which waits a moment: a move may explain what is wrong. */
bool pg_homes_look_again(int32_t home, int turn);

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
