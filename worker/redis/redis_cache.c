/*
 * The cache port on Redis: the life of its queue and of its writer's thread.
 */
#include "worker/redis/redis_cache.h"

#include <assert.h>
#include <stdlib.h>

#include "producer/base/allocate.h"
#include "worker/base/thread.h"
#include "worker/redis/redis_queue.h"
#include "worker/redis/redis_uri.h"
#include "worker/redis/redis_writer.h"

enum {
    JOIN_GRACE_MS = 1000 /* beside the time that it has: it may wait for a reply */
};

struct redis_cache {
    struct redis_queue queue;
    struct redis_writer writer;
    pthread_t thread;
};

/* ---- the port ---- */

static bool port_put(void *self, struct display_update *update)
{
    struct redis_cache *cache = self;
    return redis_queue_put(&cache->queue, update);
}

static void port_poll(void *self, int32_t partition, int32_t epoch, struct cache_news *news)
{
    struct redis_cache *cache = self;
    redis_queue_poll(&cache->queue, partition, epoch, news);
}

static void port_beat(void *self, const struct cache_beat *beat)
{
    struct redis_cache *cache = self;
    redis_queue_beat(&cache->queue, beat);
}

/* ---- without Redis ---- */

static bool none_put(void *self, struct display_update *update)
{
    (void)self;
    (void)update;
    return false;
}

static void none_poll(void *self, int32_t partition, int32_t epoch, struct cache_news *news)
{
    (void)self;
    (void)partition;
    (void)epoch;
    *news = (struct cache_news){0};
}

static void none_beat(void *self, const struct cache_beat *beat)
{
    (void)self;
    (void)beat;
}

/* ---- opening and closing ---- */

static struct redis_cache *start(const struct redis_cache_settings *settings)
{
    struct redis_cache *cache = memory_calloc(1, sizeof *cache);
    redis_queue_init(&cache->queue, settings->partition_count, settings->queue_bytes);
    cache->writer = (struct redis_writer){
        .redis = settings->redis,
        .prefix = settings->redis->prefix,
        .worker = settings->worker,
        .partitions = settings->partition_count,
        .metrics = settings->metrics,
        .queue = &cache->queue,
    };
    int failed = pthread_create(&cache->thread, NULL, redis_writer_run, &cache->writer);
    assert(!failed);
    return cache;
}

enum usher_status redis_cache_open(const struct redis_cache_settings *settings,
                                   struct redis_cache **cache, struct cache_port *port,
                                   struct usher_error *err)
{
    *cache = NULL;
    *port = (struct cache_port){.put = none_put, .poll = none_poll, .beat = none_beat};
    if (!settings->redis->uri)
        return USHER_OK;
    enum usher_status status = redis_settings_check(settings->redis, err);
    if (status != USHER_OK)
        return status;
    *cache = start(settings);
    *port =
        (struct cache_port){.self = *cache, .put = port_put, .poll = port_poll, .beat = port_beat};
    return USHER_OK;
}

/* A thread that is stuck is left behind with its memory: the process is about to end. */
void redis_cache_close(struct redis_cache *cache, int timeout_ms)
{
    if (!cache)
        return;
    redis_queue_stop(&cache->queue, timeout_ms);
    if (!thread_join(cache->thread, timeout_ms + JOIN_GRACE_MS))
        return;
    redis_queue_deinit(&cache->queue);
    free(cache);
}
