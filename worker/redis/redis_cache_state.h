/*
 * The inside of the cache, shared by redis_cache.c (its life and the port) and redis_writer.c (its
 * thread). Nobody else includes it.
 */
#ifndef USHER_WORKER_REDIS_REDIS_CACHE_STATE_H
#define USHER_WORKER_REDIS_REDIS_CACHE_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "producer/base/log.h"
#include "worker/display/display.h"
#include "worker/observe/metrics.h"
#include "worker/redis/redis_cache.h"
#include "worker/redis/redis_link.h"

enum {
    CACHE_PIPELINE = 64, /* updates sent at once */
    CACHE_QUEUE_MAX = 1024,
    CACHE_QUEUE_BYTES_MAX = 64 * 1024 * 1024
};

/* What the cache keeps for one partition. */
struct redis_partition {
    struct cache_beat beat; /* the latest sign of life */
    bool fresh;             /* not sent yet */
    int64_t sent_ms;
    int32_t epoch;      /* of its owner; 0: nobody has asked for news */
    bool ready;         /* its position was read in this session, for this owner */
    int64_t stored_seq; /* that position; 0: there was none */
    int64_t known_seq;  /* that Redis has acknowledged in this session */
    struct display_update *done, *done_last;
};

struct redis_cache {
    struct redis_cache_settings settings;
    pthread_t thread;

    pthread_mutex_t lock; /* of all below, up to the thread's own */
    pthread_cond_t changed;
    bool stopping;
    int64_t stop_ms; /* when the writer must have ended */
    bool connected;
    uint64_t session; /* grows whenever Redis may have lost anything */
    struct display_update *queue[CACHE_QUEUE_MAX];
    uint32_t first, count;
    size_t queued_bytes;
    struct redis_partition *partitions; /* by number */
    bool unread;                        /* some partition's position is to be read */

    /* The writer thread's own. */
    struct redis_link link;
    struct log_limit trouble, emptied;
    int64_t backoff_ms;
};

/* Takes at most a pipeline's worth of updates off the queue; they are the caller's then. */
uint32_t cache_take(struct redis_cache *cache, struct display_update *updates[CACHE_PIPELINE]);

/* Gives updates that were written back to their partitions. */
void cache_give_back(struct redis_cache *cache, struct display_update **updates, uint32_t count);

/* Begins a new session: what was queued or written and not yet given back is freed. */
void cache_renew_session(struct redis_cache *cache, bool connected);

void cache_count(struct redis_cache *cache, enum metrics_cache_result result, uint32_t count);

/* redis_writer.c: the thread. */
void *redis_writer_run(void *cache);

#endif
