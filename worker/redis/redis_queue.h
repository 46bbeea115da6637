/*
 * The queue between the threads of the partitions and the writer of the cache: updates to be
 * written, updates that were acknowledged, sessions, positions and heartbeats. It knows nothing of
 * Redis. Never waits for anything but its own lock.
 *
 * A session begins when what was taken before may be lost; each update belongs to one.
 */
#ifndef USHER_WORKER_REDIS_REDIS_QUEUE_H
#define USHER_WORKER_REDIS_REDIS_QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "worker/display/display_update.h"
#include "worker/model/ports.h"

enum {
    REDIS_PIPELINE = 64, /* updates sent at once */
    REDIS_QUEUE_MAX = 1024,
};

/* How far Redis follows a partition, and who said so. */
struct redis_position {
    int32_t epoch;
    int64_t seq; /* 0: everything may be missing */
};

/* What is kept for one partition. */
struct redis_partition {
    struct cache_beat beat; /* the latest heartbeat */
    bool fresh;             /* not sent yet */
    int64_t sent_ms;
    int32_t epoch;               /* of its owner; 0: none has polled in this session */
    bool ready;                  /* its position was read in this session, for this owner */
    int64_t stored_seq;          /* of that position */
    struct redis_position known; /* that Redis has acknowledged in this session */
    struct display_update *done, *done_last;
};

struct redis_queue {
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t changed;
    bool stopping;
    int64_t stop_ms; /* when the writer must have ended */
    bool connected;
    uint64_t session;
    struct display_update *updates[REDIS_QUEUE_MAX];
    uint32_t first, count;
    size_t bytes, bytes_max;
    struct redis_partition *partitions; /* by number */
    int32_t partition_count;
    bool unread; /* some partition's position is to be read */
};

/* A heartbeat to be sent, and what becomes of the position with it. */
struct redis_beat {
    struct cache_beat beat;
    bool stores_position;
    struct redis_position known; /* that the stored one must have reached */
};

/* Prepares a zeroed one, which takes updates up to so many bytes, and one more. */
void redis_queue_init(struct redis_queue *queue, int32_t partition_count, size_t bytes_max);
void redis_queue_deinit(struct redis_queue *queue);

/* ---- the partitions' side: the functions of the port ---- */

bool redis_queue_put(struct redis_queue *queue, struct display_update *update);
void redis_queue_poll(struct redis_queue *queue, int32_t partition, int32_t epoch,
                      struct cache_news *news);
void redis_queue_beat(struct redis_queue *queue, const struct cache_beat *beat);

/* Asks the writer to end within `timeout_ms`. */
void redis_queue_stop(struct redis_queue *queue, int timeout_ms);

/* ---- the writer's side ---- */

/* Waits a moment until there is something to do. False: it is to end. */
bool redis_queue_wait(struct redis_queue *queue);

/* Waits, unless it is to end. */
void redis_queue_pause(struct redis_queue *queue, int64_t wait_ms);

bool redis_queue_is_connected(struct redis_queue *queue);
void redis_queue_set_connected(struct redis_queue *queue);

/* Takes at most a pipeline's worth of updates; they are the caller's then. */
uint32_t redis_queue_take(struct redis_queue *queue,
                          struct display_update *updates[REDIS_PIPELINE]);

/* Gives updates that were written back to their partitions. */
void redis_queue_give_back(struct redis_queue *queue, struct display_update **updates,
                           uint32_t count);

/* Begins a session. What was queued or not yet given back is freed; returns how many were queued.
 */
uint32_t redis_queue_renew_session(struct redis_queue *queue, bool connected);

/* Takes a partition whose position is to be read; -1: there is none. */
int32_t redis_queue_take_unread(struct redis_queue *queue, int32_t *epoch);

/* The position of a partition was read for its owner of that epoch. */
void redis_queue_set_position(struct redis_queue *queue, int32_t partition, int32_t epoch,
                              const struct redis_position *position);

/* Takes the next heartbeat that is to be sent. */
bool redis_queue_take_beat(struct redis_queue *queue, struct redis_beat *beat);

/* It was written, and with it the position. */
void redis_queue_note_position(struct redis_queue *queue, const struct redis_beat *beat);

#endif
