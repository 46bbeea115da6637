/*
 * The cache port: a queue that allocators fill for the writer thread, and the life of both.
 */
#include "worker/redis/redis_cache.h"

#include <assert.h>
#include <stdlib.h>
#include <time.h>

#include "producer/base/clock.h"
#include "worker/redis/redis_cache_state.h"

enum {
    PIPELINE_BYTES = 8 * 1024 * 1024 /* sent at once, and not much more */
};

void cache_count(struct redis_cache *cache, enum metrics_cache_result result, uint32_t count)
{
    for (uint32_t i = 0; i < count && cache->settings.metrics != NULL; i++)
        metrics_cache_write(cache->settings.metrics, result);
}

/* ---- the port: allocators' threads ---- */

static bool port_put(void *self, struct display_update *update)
{
    struct redis_cache *cache = self;
    pthread_mutex_lock(&cache->lock);
    bool dropped = !cache->connected;
    bool full = cache->count == CACHE_QUEUE_MAX || cache->queued_bytes > CACHE_QUEUE_BYTES_MAX;
    if (!dropped && !full) {
        cache->queue[(cache->first + cache->count++) % CACHE_QUEUE_MAX] = update;
        cache->queued_bytes += update->size;
        pthread_cond_signal(&cache->changed);
    }
    pthread_mutex_unlock(&cache->lock);
    if (dropped) {
        display_update_free(update);
        cache_count(cache, METRICS_CACHE_DROPPED, 1);
    }
    return dropped || !full;
}

static uint64_t port_generation(void *self)
{
    struct redis_cache *cache = self;
    return atomic_load_explicit(&cache->generation, memory_order_relaxed);
}

static struct latest_beat *beat_of(struct redis_cache *cache, int32_t partition)
{
    for (uint32_t i = 0; i < cache->beat_count; i++)
        if (cache->beats[i].beat.partition == partition)
            return &cache->beats[i];
    cache->beats = realloc(cache->beats, (cache->beat_count + 1) * sizeof *cache->beats);
    assert(cache->beats != NULL);
    struct latest_beat *latest = &cache->beats[cache->beat_count++];
    *latest = (struct latest_beat){.beat.partition = partition, .sent_ms = INT64_MIN / 2};
    return latest;
}

static void port_beat(void *self, const struct cache_beat *beat)
{
    struct redis_cache *cache = self;
    pthread_mutex_lock(&cache->lock);
    struct latest_beat *latest = beat_of(cache, beat->partition);
    latest->beat = *beat;
    latest->fresh = true;
    pthread_mutex_unlock(&cache->lock);
    const struct cache_healer *healer = &cache->settings.healer;
    if (healer->held != NULL)
        healer->held(healer->self, beat->partition, beat->epoch);
}

/* ---- the queue: the writer's thread ---- */

uint32_t cache_take(struct redis_cache *cache, struct display_update *updates[CACHE_PIPELINE])
{
    uint32_t count = 0;
    size_t bytes = 0;
    pthread_mutex_lock(&cache->lock);
    while (count < CACHE_PIPELINE && cache->count > 0 && bytes < PIPELINE_BYTES) {
        struct display_update *update = cache->queue[cache->first];
        cache->first = (cache->first + 1) % CACHE_QUEUE_MAX;
        cache->count--;
        cache->queued_bytes -= update->size;
        bytes += update->size;
        updates[count++] = update;
    }
    pthread_mutex_unlock(&cache->lock);
    return count;
}

uint32_t cache_drop_queue(struct redis_cache *cache)
{
    struct display_update *updates[CACHE_PIPELINE];
    uint32_t dropped = 0;
    for (uint32_t count; (count = cache_take(cache, updates)) > 0;) {
        for (uint32_t i = 0; i < count; i++)
            display_update_free(updates[i]);
        dropped += count;
    }
    return dropped;
}

/* ---- without Redis ---- */

static bool none_put(void *self, struct display_update *update)
{
    (void)self;
    display_update_free(update);
    return true;
}

static uint64_t none_generation(void *self)
{
    (void)self;
    return 0;
}

static void none_beat(void *self, const struct cache_beat *beat)
{
    (void)self;
    (void)beat;
}

/* ---- opening and closing ---- */

static void start(struct redis_cache *cache)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&cache->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    pthread_mutex_init(&cache->lock, NULL);
    int failed = pthread_create(&cache->thread, NULL, redis_writer_run, cache);
    assert(!failed);
}

static struct redis_cache_settings with_defaults(const struct redis_cache_settings *settings)
{
    struct redis_cache_settings full = *settings;
    full.prefix = full.prefix == NULL ? "usher" : full.prefix;
    full.worker = full.worker == NULL ? "usher-worker" : full.worker;
    return full;
}

enum usher_status redis_cache_open(const struct redis_cache_settings *settings,
                                   struct redis_cache **cache, struct cache_port *port,
                                   struct usher_error *err)
{
    *cache = NULL;
    *port = (struct cache_port){.put = none_put, .generation = none_generation, .beat = none_beat};
    if (settings->uri == NULL)
        return USHER_OK;
    enum usher_status status = redis_uri_check(settings->uri, err);
    if (status != USHER_OK)
        return status;
    *cache = calloc(1, sizeof **cache);
    assert(*cache != NULL);
    (*cache)->settings = with_defaults(settings);
    start(*cache);
    *port = (struct cache_port){
        .self = *cache, .put = port_put, .generation = port_generation, .beat = port_beat};
    return USHER_OK;
}

/* A thread that is stuck is left behind with its memory: the process is about to end. */
void redis_cache_close(struct redis_cache *cache, int timeout_ms)
{
    if (cache == NULL)
        return;
    pthread_mutex_lock(&cache->lock);
    cache->stopping = true;
    cache->stop_ms = clock_ms() + timeout_ms;
    pthread_cond_signal(&cache->changed);
    pthread_mutex_unlock(&cache->lock);
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += timeout_ms / 1000 + 1;
    if (pthread_timedjoin_np(cache->thread, NULL, &until) != 0)
        return;
    redis_link_close(&cache->link);
    cache_drop_queue(cache);
    pthread_mutex_destroy(&cache->lock);
    pthread_cond_destroy(&cache->changed);
    free(cache->beats);
    free(cache);
}

enum usher_status redis_cache_check(const struct redis_cache_settings *settings,
                                    struct usher_error *err)
{
    struct redis_link link;
    enum usher_status status = redis_link_open(&link, settings->uri, err);
    if (status == USHER_OK) {
        status = redis_link_contract(&link, settings->prefix == NULL ? "usher" : settings->prefix,
                                     false, err);
    }
    redis_link_close(&link);
    return status;
}
