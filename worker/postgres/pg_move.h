/*
 * Moves a partition from one database to another while it sells, as the owner of the schema in
 * both: copies its rows in pages, stops it for the last one, and lets it live at the target. Knows
 * tables, not who owns the partition: its worker is fenced, and finds it at its new home.
 */
#ifndef USHER_WORKER_POSTGRES_PG_MOVE_H
#define USHER_WORKER_POSTGRES_PG_MOVE_H

#include <stdbool.h>
#include <stdint.h>

#include "usher/memory.h"
#include "usher/status.h"
#include "worker/postgres/pg_move_observer.h"
#include "worker/postgres/pg_settings.h"

struct pg_moved {
    bool was_there;     /* nothing was copied: it lived there */
    int64_t rows;       /* that were copied */
    int64_t decisions;  /* of them while it stood still, … */
    int64_t stopped_ms; /* … for so long */
};

/*
 * Moves a partition to a shard, and waits until its worker has it there; warns of programs that do
 * not know that shard. What an earlier call had copied is not copied again. On any failure
 * it lives where it lived before, and the next call goes on; where a connection is lost, it may
 * stand still until then. RETRY: a database is away, its worker has no session at the target, or
 * somebody keeps the partition's lock (69). FATAL: it lives in none of the databases or in several,
 * is being moved to another shard, or there is no such shard (65); rows differ (70); access denied
 * (77); schema wrong (78).
 */
USHER_MUST_CHECK enum usher_status pg_move(const struct pg_settings *settings, int32_t partition,
                                           const char *to, const struct pg_move_observer *observer,
                                           struct pg_moved *moved, struct usher_error *err);

/*
 * The partition stays where it lives, and what was copied is deleted; `*rows` of it. FATAL with
 * exit code 65: it lives there already. Others as of pg_move.
 */
USHER_MUST_CHECK enum usher_status pg_move_cancel(const struct pg_settings *settings,
                                                  int32_t partition, const char *to,
                                                  const struct pg_move_observer *observer,
                                                  int64_t *rows, struct usher_error *err);

/*
 * Deletes, page by page, the rows of all partitions that were moved away, in each of the databases,
 * if their new home has them; `*partitions` and `*rows` of it. FATAL with exit code 65: it has
 * less, as after it was restored; 78: there are several. Others as of pg_move.
 */
USHER_MUST_CHECK enum usher_status pg_move_forget(const struct pg_settings *settings,
                                                  const struct pg_move_observer *observer,
                                                  uint32_t *partitions, int64_t *rows,
                                                  struct usher_error *err);

#endif
