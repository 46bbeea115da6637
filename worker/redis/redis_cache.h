/*
 * The cache port on Redis: one writer thread for the whole worker process, shared by all
 * partitions. Best effort and off the decision path: no call here waits for Redis, and it never
 * reads Redis to decide anything.
 *
 * Writing: a bounded queue, sent in pipelines. One script writes a resource and publishes its
 * message, only when (epoch, rev) is equal or higher. What Redis has acknowledged is given back to
 * its partition, which sends its position with the next heartbeat: the position
 * `usher:shown:<partition>`, stored behind those writes on the same connection.
 *
 * After any error the connection is discarded and another one made, with back-off; a new session
 * begins, and updates not acknowledged by then count as not written. A session also begins when the
 * position is missing or went back: Redis was emptied, or is another one.
 *
 * The process must ignore SIGPIPE, and block its signals before it opens the cache.
 */
#ifndef USHER_WORKER_REDIS_REDIS_CACHE_H
#define USHER_WORKER_REDIS_REDIS_CACHE_H

#include <stdint.h>

#include "producer/base/log.h"
#include "usher/status.h"
#include "worker/model/ports.h"
#include "worker/observe/metrics.h"
#include "worker/redis/redis_link.h"
#include "worker/redis/redis_queue.h"
#include "worker/redis/redis_settings.h"

struct metrics_registry;
struct redis_cache;

/* Zero-initialise, then set. All is borrowed as long as the cache is open. */
struct redis_cache_settings {
    const struct redis_settings *redis;
    struct redis_worker worker;       /* shown in usher:worker:<p> */
    int32_t partition_count;          /* of the topic */
    size_t queue_bytes;               /* of updates that may wait to be written */
    struct metrics_registry *metrics; /* NULL: none are kept */
};

/*
 * Starts the thread and returns at once, whether Redis answers or not; fills `port`. With
 * settings->redis->uri NULL the port drops everything. FATAL as redis_settings_read. Closed with
 * redis_cache_close.
 */
USHER_MUST_CHECK enum usher_status redis_cache_open(const struct redis_cache_settings *settings,
                                                    struct redis_cache **cache,
                                                    struct cache_port *port,
                                                    struct usher_error *err);

/*
 * Sends what is queued, but not for longer than `timeout_ms`, stops the thread and frees all. No
 * allocator may use the port any more. NULL is legal.
 */
void redis_cache_close(struct redis_cache *cache, int timeout_ms);

#endif
