/* What a move tells of itself while it goes on: for whoever starts one, and for its parts. */
#ifndef USHER_WORKER_POSTGRES_PG_MOVE_OBSERVER_H
#define USHER_WORKER_POSTGRES_PG_MOVE_OBSERVER_H

#include <stdint.h>

enum pg_move_step {
    PG_MOVE_COPIES,   /* a page was copied: `done` of `total` decisions */
    PG_MOVE_DELETES,  /* a page of rows was deleted: `done` up to now */
    PG_MOVE_COMPARES, /* all rows of both sides are compared */
};

struct pg_move_progress {
    enum pg_move_step step;
    int64_t done, total;
};

/* Called after each step, on the thread of the caller; and for what is worth knowing, in words. */
struct pg_move_observer {
    void *self;
    void (*moved_on)(void *self, const struct pg_move_progress *progress);
    void (*warn)(void *self, const char *text);
};

#endif
