/*
 * All that the dashboard knows: a row for each resource, the resources that somebody looks at, the
 * partitions; and the thread that follows Redis and keeps them up to date. Knows nothing of HTTP.
 */
#ifndef USHER_WORKER_DASHBOARD_BOARD_H
#define USHER_WORKER_DASHBOARD_BOARD_H

#include <pthread.h>
#include <stdatomic.h>

#include "worker/dashboard/shown.h"

enum {
    PACE_COUNT = 30, /* how many times … */
    PACE_MS = 10000, /* … so long the units sold are counted */
    BOARD_PARTITIONS_MAX = 1024
};

/* A resource in the overview. */
struct row {
    struct table_node node;      /* by id */
    struct list_node by_changes; /* the last one changed is the newest */
    uint64_t changed;            /* when, as a number of the board */
    bool unread, seen;
    char *id;
    struct facts facts;
    int64_t pace_at;          /* the number of the last period, since 1970, */
    int32_t pace[PACE_COUNT]; /* and units sold in that one and those before, by number */
};

struct board_partition {
    int32_t partition;
    bool alive;
    char worker[128];
    int64_t epoch, offset, lag, last_decided_ms;
};

struct board;

struct board_settings {
    struct redis_settings redis;
    int64_t memory_max; /* bytes, for resources that are looked at, and their logs */
    /* Called by the thread, without the lock, after each round. */
    void (*turned)(void *context, struct board *board);
    void *context;
};

struct board {
    struct board_settings settings;
    pthread_mutex_t lock; /* of all but the last three */
    struct table rows, showns;
    struct list rows_by_changes;
    uint64_t changes;    /* number of the last change of a row */
    uint64_t generation; /* which rises when a row is gone */
    struct board_partition partitions[BOARD_PARTITIONS_MAX];
    uint32_t partition_count;
    int32_t partition_total; /* as an owner says; 0: none has yet */
    bool connected, rows_loaded;
    int64_t status_number; /* rises with each look at the partitions */
    uint64_t messages;     /* received */
    _Atomic bool stopping;
    _Atomic int64_t turned_ms; /* CLOCK_MONOTONIC; of the last round */
    pthread_t thread;
};

/* Starts to follow, and goes on until it is closed, whatever becomes of Redis. */
struct board *board_open(const struct board_settings *settings);
void board_close(struct board *board);

/* ==== With the lock held ==== */

struct row *board_row(const struct board *board, const char *id);

/*
 * Returns the resource, which is loaded soon if it is not yet; NULL: there is none of this name.
 * Valid while the lock is held, or its `viewers` are counted.
 */
struct shown *board_look(struct board *board, const char *id);

/* The JSON of a layout that a resource has which somebody looks at; NULL: there is none. */
const char *board_layout(const struct board *board, const char *layout);

/* Appends a row, or whether Redis and the partitions are alive, as a JSON object. */
void board_write_row(const struct row *row, struct usher_buffer *out);
void board_write_status(const struct board *board, struct usher_buffer *out);

/* Appends the partitions, with their owners. */
void board_write_partitions(const struct board *board, struct usher_buffer *out);

#endif
