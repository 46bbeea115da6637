/*
 * The cache port: a queue that allocators fill for the writer thread, and the life of both.
 */
#include "worker/redis/redis_cache.h"

#include <assert.h>
#include <stdlib.h>

#include "producer/base/clock.h"
#include "worker/base/thread.h"
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
    bool full = cache->count == CACHE_QUEUE_MAX || cache->queued_bytes > CACHE_QUEUE_BYTES_MAX;
    bool taken = !full && cache->connected && update->session == cache->session;
    if (taken) {
        cache->queue[(cache->first + cache->count++) % CACHE_QUEUE_MAX] = update;
        cache->queued_bytes += update->size;
        pthread_cond_signal(&cache->changed);
    }
    pthread_mutex_unlock(&cache->lock);
    return taken;
}

static void port_poll(void *self, int32_t partition, int32_t epoch, struct cache_news *news)
{
    struct redis_cache *cache = self;
    struct redis_partition *known = &cache->partitions[partition];
    pthread_mutex_lock(&cache->lock);
    if (known->epoch != epoch) {
        known->epoch = epoch;
        known->ready = false;
        cache->unread = true;
        pthread_cond_signal(&cache->changed);
    }
    *news = (struct cache_news){.session = cache->session,
                                .ready = cache->connected && known->ready,
                                .shown_seq = known->stored_seq,
                                .done = known->done};
    known->done = known->done_last = NULL;
    pthread_mutex_unlock(&cache->lock);
}

static void port_beat(void *self, const struct cache_beat *beat)
{
    struct redis_cache *cache = self;
    struct redis_partition *known = &cache->partitions[beat->partition];
    pthread_mutex_lock(&cache->lock);
    known->beat = *beat;
    known->fresh = true;
    pthread_mutex_unlock(&cache->lock);
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

void cache_give_back(struct redis_cache *cache, struct display_update **updates, uint32_t count)
{
    pthread_mutex_lock(&cache->lock);
    for (uint32_t i = 0; i < count; i++) {
        struct redis_partition *partition = &cache->partitions[updates[i]->partition];
        updates[i]->next = NULL;
        *(partition->done_last ? &partition->done_last->next : &partition->done) = updates[i];
        partition->done_last = updates[i];
    }
    pthread_mutex_unlock(&cache->lock);
}

static uint32_t drop_queue(struct redis_cache *cache)
{
    uint32_t dropped = cache->count;
    while (cache->count > 0) {
        display_update_free(cache->queue[cache->first]);
        cache->first = (cache->first + 1) % CACHE_QUEUE_MAX;
        cache->count--;
    }
    cache->queued_bytes = 0;
    return dropped;
}

static void drop_done(struct redis_partition *partition)
{
    struct display_update *next;
    for (struct display_update *update = partition->done; update; update = next) {
        next = update->next;
        display_update_free(update);
    }
    partition->done = partition->done_last = NULL;
}

void cache_renew_session(struct redis_cache *cache, bool connected)
{
    pthread_mutex_lock(&cache->lock);
    cache->session++;
    cache->connected = connected;
    cache->unread = true;
    uint32_t dropped = drop_queue(cache);
    for (int32_t i = 0; i < cache->settings.partition_count; i++) {
        drop_done(&cache->partitions[i]);
        cache->partitions[i].ready = false;
    }
    pthread_mutex_unlock(&cache->lock);
    cache_count(cache, METRICS_CACHE_DROPPED, dropped);
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

static void start(struct redis_cache *cache)
{
    thread_condition_init(&cache->changed);
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
    *port = (struct cache_port){.put = none_put, .poll = none_poll, .beat = none_beat};
    if (settings->uri == NULL)
        return USHER_OK;
    enum usher_status status = redis_uri_check(settings->uri, err);
    if (status != USHER_OK)
        return status;
    *cache = calloc(1, sizeof **cache);
    assert(*cache != NULL);
    (*cache)->settings = with_defaults(settings);
    (*cache)->session = 1;
    (*cache)->partitions = calloc((size_t)settings->partition_count, sizeof *(*cache)->partitions);
    assert((*cache)->partitions != NULL);
    start(*cache);
    *port =
        (struct cache_port){.self = *cache, .put = port_put, .poll = port_poll, .beat = port_beat};
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
    if (!thread_join(cache->thread, timeout_ms + 1000))
        return;
    redis_link_close(&cache->link);
    cache_renew_session(cache, false); /* frees what is left */
    pthread_mutex_destroy(&cache->lock);
    pthread_cond_destroy(&cache->changed);
    free(cache->partitions);
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
