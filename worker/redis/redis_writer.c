/*
 * The writer thread of the cache: connects to Redis, empties the queue into it, and says so when
 * Redis may have lost something.
 */
#include "worker/redis/redis_cache_state.h"

#include <time.h>

#include "producer/base/clock.h"
#include "worker/redis/redis_script.h"

enum {
    BEAT_INTERVAL_MS = 1000,
    BEAT_KEPT_MS = 10000, /* well below the time that Redis keeps one */
    IDLE_WAIT_MS = 500,
    BACKOFF_MIN_MS = 100,
    BACKOFF_MAX_MS = 2000
};

/* ---- connected or not ---- */

static void grow_generation(struct redis_cache *cache)
{
    atomic_fetch_add_explicit(&cache->generation, 1, memory_order_relaxed);
}

static void say_up(struct redis_cache *cache, bool up)
{
    if (cache->settings.metrics != NULL)
        metrics_dependency(cache->settings.metrics, METRICS_REDIS, up);
}

/* Whether the writer is to go on; the lock is held. */
static bool goes_on(const struct redis_cache *cache)
{
    if (!cache->stopping)
        return true;
    return cache->connected && cache->count > 0 && clock_ms() < cache->stop_ms;
}

/* Waits for a change or for `wait_ms`; the lock is held. */
static void wait_changed(struct redis_cache *cache, int64_t wait_ms)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    int64_t ns = until.tv_nsec + wait_ms % 1000 * 1000000;
    until.tv_sec += wait_ms / 1000 + ns / 1000000000;
    until.tv_nsec = ns % 1000000000;
    pthread_cond_timedwait(&cache->changed, &cache->lock, &until);
}

static enum usher_status connect_now(struct redis_cache *cache, struct usher_error *err)
{
    enum usher_status status = redis_link_open(&cache->link, cache->settings.uri, err);
    if (status == USHER_OK)
        status = redis_link_contract(&cache->link, cache->settings.prefix, true, err);
    if (status == USHER_OK)
        status = redis_script_load(&cache->link, err);
    return status;
}

/* Redis may have lost anything: it is made good by whole pictures and by the healer. */
static void mend_all(struct redis_cache *cache)
{
    const struct cache_healer *healer = &cache->settings.healer;
    grow_generation(cache);
    if (healer->all != NULL)
        healer->all(healer->self);
}

static void connected(struct redis_cache *cache)
{
    cache->backoff_ms = 0;
    pthread_mutex_lock(&cache->lock);
    cache->connected = true;
    pthread_mutex_unlock(&cache->lock);
    mend_all(cache);
    say_up(cache, true);
    log_recovery(&cache->trouble, NULL, "Redis takes updates again");
}

static void connect_or_back_off(struct redis_cache *cache)
{
    struct usher_error err = {0};
    if (connect_now(cache, &err) == USHER_OK) {
        connected(cache);
        return;
    }
    redis_link_close(&cache->link);
    say_up(cache, false);
    log_failure(&cache->trouble, NULL, LOG_LEVEL_WARNING, "%s", err.text);
    cache->backoff_ms = cache->backoff_ms == 0 ? BACKOFF_MIN_MS : 2 * cache->backoff_ms;
    if (cache->backoff_ms > BACKOFF_MAX_MS)
        cache->backoff_ms = BACKOFF_MAX_MS;
    int64_t until_ms = clock_ms() + cache->backoff_ms;
    pthread_mutex_lock(&cache->lock);
    while (!cache->stopping && clock_ms() < until_ms)
        wait_changed(cache, until_ms - clock_ms());
    pthread_mutex_unlock(&cache->lock);
}

static void disconnected(struct redis_cache *cache, const struct usher_error *err)
{
    redis_link_close(&cache->link);
    pthread_mutex_lock(&cache->lock);
    cache->connected = false;
    grow_generation(cache);
    pthread_mutex_unlock(&cache->lock);
    cache_count(cache, METRICS_CACHE_DROPPED, cache_drop_queue(cache));
    say_up(cache, false);
    log_failure(&cache->trouble, NULL, LOG_LEVEL_WARNING, "%s", err->text);
}

/* ---- writing ---- */

static const enum metrics_cache_result counted_as[] = {
    [REDIS_WRITTEN] = METRICS_CACHE_WRITTEN, [REDIS_STALE] = METRICS_CACHE_STALE,
    [REDIS_GAP] = METRICS_CACHE_GAP,         [REDIS_UNKNOWN_SCRIPT] = METRICS_CACHE_FAILED,
    [REDIS_FAILED] = METRICS_CACHE_FAILED,
};

/* Sends those whose result is `which`, and reads what became of them. False: connection lost. */
static bool send_updates(struct redis_cache *cache, struct display_update **updates,
                         enum redis_write *results, uint32_t count, struct usher_error *err)
{
    for (uint32_t i = 0; i < count; i++)
        if (results[i] == REDIS_UNKNOWN_SCRIPT)
            redis_script_append(&cache->link, cache->settings.prefix, updates[i]);
    for (uint32_t i = 0; i < count; i++) {
        if (results[i] == REDIS_UNKNOWN_SCRIPT) {
            results[i] = redis_script_result(&cache->link, err);
            if (results[i] == REDIS_FAILED)
                return false;
        }
    }
    return true;
}

/* The set of resources follows what was written whole: only then may a state have changed. */
static bool send_listings(struct redis_cache *cache, struct display_update **updates,
                          const enum redis_write *results, uint32_t count, struct usher_error *err)
{
    uint32_t sent = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (results[i] == REDIS_WRITTEN && updates[i]->from == 0) {
            redis_listing_append(&cache->link, cache->settings.prefix, updates[i]);
            sent++;
        }
    }
    for (; sent > 0; sent--)
        if (redis_listing_result(&cache->link, err) != USHER_OK)
            return false;
    return true;
}

/* Redis has lost what a change starts from: whole pictures from now on, and this one is healed. */
static void mend_gaps(struct redis_cache *cache, struct display_update **updates,
                      const enum redis_write *results, uint32_t count)
{
    const struct cache_healer *healer = &cache->settings.healer;
    bool any = false;
    for (uint32_t i = 0; i < count; i++) {
        if (results[i] == REDIS_GAP) {
            any = true;
            if (healer->resource != NULL)
                healer->resource(healer->self, updates[i]->resource_no);
        }
    }
    if (any)
        grow_generation(cache);
}

/* Sends updates, and once more those whose script Redis had forgotten. */
static bool write_updates(struct redis_cache *cache, struct display_update **updates,
                          uint32_t count, struct usher_error *err)
{
    enum redis_write results[CACHE_PIPELINE];
    for (uint32_t i = 0; i < count; i++)
        results[i] = REDIS_UNKNOWN_SCRIPT;
    bool sent = send_updates(cache, updates, results, count, err);
    for (uint32_t i = 0; sent && i < count; i++) {
        if (results[i] == REDIS_UNKNOWN_SCRIPT) {
            sent = redis_script_load(&cache->link, err) == USHER_OK &&
                   send_updates(cache, updates, results, count, err);
            break;
        }
    }
    if (sent)
        sent = send_listings(cache, updates, results, count, err);
    mend_gaps(cache, updates, results, count);
    for (uint32_t i = 0; i < count; i++)
        cache_count(cache, counted_as[results[i]], 1);
    return sent;
}

/* Takes the next beat that is to be sent; `*repeated`: Redis must still have the one before. */
static bool take_beat(struct redis_cache *cache, struct cache_beat *beat, bool *repeated)
{
    int64_t now_ms = clock_ms();
    bool found = false;
    pthread_mutex_lock(&cache->lock);
    for (uint32_t i = 0; i < cache->beat_count && !found; i++) {
        struct latest_beat *latest = &cache->beats[i];
        if (latest->fresh && now_ms - latest->sent_ms >= BEAT_INTERVAL_MS) {
            *beat = latest->beat;
            *repeated = now_ms - latest->sent_ms < BEAT_KEPT_MS;
            latest->fresh = false;
            latest->sent_ms = now_ms;
            found = true;
        }
    }
    pthread_mutex_unlock(&cache->lock);
    return found;
}

/* Sends one beat, by which it is also seen whether Redis was emptied while nothing was written. */
static bool write_beat(struct redis_cache *cache, const struct cache_beat *beat, bool repeated,
                       struct usher_error *err)
{
    redis_beat_append(&cache->link, cache->settings.prefix, cache->settings.worker, beat);
    enum redis_write result = redis_script_result(&cache->link, err);
    if (result == REDIS_GAP && repeated) {
        log_failure(&cache->emptied, NULL, LOG_LEVEL_WARNING,
                    "Redis was emptied: writing all of it again");
        mend_all(cache);
    }
    if (result == REDIS_UNKNOWN_SCRIPT)
        return redis_script_load(&cache->link, err) == USHER_OK;
    return result != REDIS_FAILED;
}

static bool write_beats(struct redis_cache *cache, struct usher_error *err)
{
    struct cache_beat beat;
    bool repeated;
    while (take_beat(cache, &beat, &repeated))
        if (!write_beat(cache, &beat, repeated, err))
            return false;
    return true;
}

/* ---- the thread ---- */

static void write_once(struct redis_cache *cache)
{
    struct usher_error err = {0};
    struct display_update *updates[CACHE_PIPELINE];
    uint32_t count = cache_take(cache, updates);
    for (uint32_t i = 0; i < count; i++)
        display_update_draw(updates[i]);
    bool written = count == 0 || write_updates(cache, updates, count, &err);
    for (uint32_t i = 0; i < count; i++)
        display_update_free(updates[i]);
    if (!written || !write_beats(cache, &err))
        disconnected(cache, &err);
}

void *redis_writer_run(void *argument)
{
    struct redis_cache *cache = argument;
    pthread_mutex_lock(&cache->lock);
    while (goes_on(cache)) {
        if (cache->connected && cache->count == 0)
            wait_changed(cache, IDLE_WAIT_MS);
        bool is_connected = cache->connected;
        pthread_mutex_unlock(&cache->lock);
        if (is_connected)
            write_once(cache);
        else
            connect_or_back_off(cache);
        pthread_mutex_lock(&cache->lock);
    }
    pthread_mutex_unlock(&cache->lock);
    return NULL;
}
