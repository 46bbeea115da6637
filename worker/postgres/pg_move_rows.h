/*
 * The rows of a partition: copied from one database to another, page by page, compared, and
 * deleted. Knows the tables, not when a partition lives where.
 */
#ifndef USHER_WORKER_POSTGRES_PG_MOVE_ROWS_H
#define USHER_WORKER_POSTGRES_PG_MOVE_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "usher/memory.h"
#include "worker/postgres/pg_move_place.h"

/* FATAL (65): the schema has tables that are not known here. */
USHER_MUST_CHECK enum usher_status move_refuse_tables(struct move *move, struct usher_error *err);

struct move_page {
    int64_t after, upto, last; /* seqs: of the page, and of the source */
    bool stopped;  /* the source stands still: the last page makes it live at the target */
    bool compares; /* all rows of both sides, once those of the page are here */
    const char *unfinished, *charts, *row; /* as in move.sql; in the arena */
    struct usher_arena arena;
};

/*
 * One transaction at the target; at the source one that only reads. The last page of a partition
 * that stands still makes it live at the target.
 */
USHER_MUST_CHECK enum usher_status move_copy_page(struct move *move, struct move_page *page,
                                                  struct usher_error *err);

/* Deletes all rows of the partition there, its own last, if its home has them. */
USHER_MUST_CHECK enum usher_status move_delete_left(struct move *move, struct move_place *place,
                                                    struct move_place *home,
                                                    struct usher_error *err);

/* For people. `target` NULL: what it had left at the source was deleted. */
USHER_MUST_CHECK enum usher_status move_note(const struct move *move, struct move_place *home,
                                             const char *source, const char *target,
                                             struct usher_error *err);

#endif
