/*
 * The writer thread of the cache. Started and joined by redis_cache.c.
 */
#ifndef USHER_WORKER_REDIS_REDIS_WRITER_H
#define USHER_WORKER_REDIS_REDIS_WRITER_H

#include "producer/base/log.h"
#include "worker/observe/metrics.h"
#include "worker/redis/redis_link.h"
#include "worker/redis/redis_queue.h"

/* Set the first ones, zero the rest. All is borrowed. */
struct redis_writer {
    const struct redis_settings *redis;
    const char *prefix, *worker;
    int32_t partitions;               /* how many there are */
    struct metrics_registry *metrics; /* NULL: none are kept */
    struct redis_queue *queue;

    /* The thread's own. */
    struct redis_link link;
    struct log_limit trouble, emptied, replaced;
    int64_t backoff_ms;
};

/* The thread: `writer` is a struct redis_writer. Returns NULL once the queue was stopped. */
void *redis_writer_run(void *writer);

#endif
