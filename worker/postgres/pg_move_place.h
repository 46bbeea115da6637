/*
 * The two databases between which a partition moves, and what a statement is about in either. For
 * pg_move and pg_move_rows.
 */
#ifndef USHER_WORKER_POSTGRES_PG_MOVE_PLACE_H
#define USHER_WORKER_POSTGRES_PG_MOVE_PLACE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "worker/postgres/pg_connection.h"
#include "worker/postgres/pg_move_observer.h"
#include "worker/postgres/pg_session.h"
#include "worker/postgres/pg_value.h"

/* A database, and what its row of the partition says: see 004_moves.sql. Names are empty for null.
 */
struct move_place {
    struct pg_connection connection; /* closed: there is none */
    char name[PG_SHARD_SIZE];
    bool has_row;
    char shard[PG_SHARD_SIZE], destination[PG_SHARD_SIZE];
    int32_t partition_count, epoch;
};

struct move {
    const struct pg_settings *settings;
    int32_t partition;
    const char *to;
    const struct pg_move_observer *observer;
    struct move_place source, target;
    int64_t rows;    /* that were copied, or deleted */
    bool has_worker; /* one had it, with a session at the target */
};

static inline bool move_lives_in(const struct move_place *place)
{
    return place->has_row && place->name[0] != '\0' && strcmp(place->shard, place->name) == 0;
}

static inline bool move_has_stopped(const struct move_place *place)
{
    return place->has_row && place->shard[0] == '\0' && place->destination[0] != '\0';
}

/* FATAL (65): why, and the name of what it is about. */
enum usher_status move_refuse(const struct move *move, const char *why, const char *name,
                              struct usher_error *err);

/* FATAL (65): somebody else changed the partition's row there. */
enum usher_status move_changed_meanwhile(const struct move *move, const struct move_place *place,
                                         struct usher_error *err);

void move_tell(const struct move *move, enum pg_move_step step, int64_t done, int64_t total);

/* ---- statements ---- */

/* Runs one; `*rows` is how many it returned or changed. */
USHER_MUST_CHECK enum usher_status move_run(struct move_place *place, const char *sql,
                                            const struct pg_params *params, int64_t *rows,
                                            struct usher_error *err);

/* The same of one that must change one row: FATAL if it does not. */
USHER_MUST_CHECK enum usher_status move_run_one(const struct move *move, struct move_place *place,
                                                const char *sql, const struct pg_params *params,
                                                struct usher_error *err);

/* The same of one that is about the partition and, unless it is NULL, a shard. */
enum usher_status move_run_about(const struct move *move, struct move_place *place, const char *sql,
                                 const char *shard, int64_t *rows, struct usher_error *err);

/* The only column of its only row, in the arena; NULL: null. */
USHER_MUST_CHECK enum usher_status move_read_text(struct move_place *place, const char *sql,
                                                  const struct pg_params *params,
                                                  struct usher_arena *arena, const char **text,
                                                  struct usher_error *err);

USHER_MUST_CHECK enum usher_status move_commit(struct move_place *place, struct usher_error *err);

/* ---- finding them ---- */

/* Opens one of the databases, for statements that take long, and reads what it says. */
USHER_MUST_CHECK enum usher_status move_open_place(const struct move *move, uint32_t number,
                                                   struct move_place *place,
                                                   struct usher_error *err);

/* Opens the target, and where the partition comes from, if it is there still. Statuses of pg_move.
 */
USHER_MUST_CHECK enum usher_status move_open_places(struct move *move, struct usher_error *err);

void move_close_places(struct move *move);

enum {
    MOVE_LOOK_MS = 100, /* until all databases are looked at again, … */
    MOVE_LOOKS_MAX = 5, /* … so often */
};

/* Waits before another look, and not before the first. */
void move_rest_before(int turn);

#endif
