/*
 * The writer thread of the cache: connects to Redis, reads the positions, empties the queue into it
 * and gives back what was acknowledged. It begins a new session when Redis may have lost something.
 */
#include "worker/redis/redis_cache_state.h"

#include "producer/base/clock.h"
#include "worker/base/thread.h"
#include "worker/redis/redis_script.h"

enum {
    BEAT_INTERVAL_MS = 1000,
    IDLE_WAIT_MS = 500,
    BACKOFF_MIN_MS = 100,
    BACKOFF_MAX_MS = 2000
};

/* ---- connected or not ---- */

static void report_connection(struct redis_cache *cache, bool up)
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

static enum usher_status connect_now(struct redis_cache *cache, struct usher_error *err)
{
    enum usher_status status = redis_link_open(&cache->link, cache->settings.uri, err);
    if (status == USHER_OK)
        status = redis_link_contract(&cache->link, cache->settings.prefix, true, err);
    if (status == USHER_OK)
        status = redis_script_load(&cache->link, err);
    return status;
}

static void connected(struct redis_cache *cache)
{
    pthread_mutex_lock(&cache->lock);
    cache->connected = true;
    pthread_mutex_unlock(&cache->lock);
    report_connection(cache, true);
    log_recovery(&cache->trouble, NULL, "Redis takes updates again");
}

/* Doubled with each failure, until something was written again. */
static void back_off(struct redis_cache *cache)
{
    cache->backoff_ms = cache->backoff_ms == 0 ? BACKOFF_MIN_MS : 2 * cache->backoff_ms;
    if (cache->backoff_ms > BACKOFF_MAX_MS)
        cache->backoff_ms = BACKOFF_MAX_MS;
}

static void wait_backoff(struct redis_cache *cache)
{
    int64_t until_ms = clock_ms() + cache->backoff_ms;
    pthread_mutex_lock(&cache->lock);
    bool in_time = true;
    while (!cache->stopping && in_time)
        in_time = thread_wait(&cache->changed, &cache->lock, until_ms);
    pthread_mutex_unlock(&cache->lock);
}

static void note_failure(struct redis_cache *cache, const struct usher_error *err)
{
    redis_link_close(&cache->link);
    report_connection(cache, false);
    log_failure(&cache->trouble, NULL, LOG_LEVEL_WARNING, "%s", err->text);
    back_off(cache);
}

static void connect_again(struct redis_cache *cache)
{
    struct usher_error err = {0};
    wait_backoff(cache);
    if (connect_now(cache, &err) == USHER_OK)
        connected(cache);
    else
        note_failure(cache, &err);
}

static void disconnected(struct redis_cache *cache, const struct usher_error *err)
{
    cache_renew_session(cache, false);
    note_failure(cache, err);
}

/* ---- positions ---- */

/* Takes a partition whose position is to be read; -1: there is none. */
static int32_t take_unread(struct redis_cache *cache, int32_t *epoch)
{
    int32_t unread = -1;
    pthread_mutex_lock(&cache->lock);
    for (int32_t i = 0; cache->unread && i < cache->settings.partition_count && unread < 0; i++)
        if (cache->partitions[i].epoch != 0 && !cache->partitions[i].ready)
            unread = i;
    cache->unread = unread >= 0;
    *epoch = unread >= 0 ? cache->partitions[unread].epoch : 0;
    pthread_mutex_unlock(&cache->lock);
    return unread;
}

/* What was read for an earlier owner is read again. */
static bool read_positions(struct redis_cache *cache, struct usher_error *err)
{
    int32_t epoch;
    int64_t seq;
    for (int32_t i; (i = take_unread(cache, &epoch)) >= 0;) {
        if (redis_position_read(&cache->link, cache->settings.prefix, i, epoch, &seq, err) !=
            USHER_OK)
            return false;
        struct redis_partition *partition = &cache->partitions[i];
        pthread_mutex_lock(&cache->lock);
        partition->ready = partition->epoch == epoch;
        partition->stored_seq = partition->known_seq = seq;
        pthread_mutex_unlock(&cache->lock);
    }
    return true;
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
    for (uint32_t i = 0; sent && i < count; i++)
        sent = results[i] != REDIS_UNKNOWN_SCRIPT;
    if (sent)
        sent = send_listings(cache, updates, results, count, err);
    for (uint32_t i = 0; i < count; i++) {
        updates[i]->gap = results[i] == REDIS_GAP;
        cache_count(cache, counted_as[results[i]], 1);
    }
    return sent;
}

/* ---- beats ---- */

/* Takes the next beat that is to be sent. */
static bool take_beat(struct redis_cache *cache, struct redis_beat *beat)
{
    int64_t now_ms = clock_ms();
    bool found = false;
    pthread_mutex_lock(&cache->lock);
    for (int32_t i = 0; i < cache->settings.partition_count && !found; i++) {
        struct redis_partition *partition = &cache->partitions[i];
        if (partition->fresh && now_ms - partition->sent_ms >= BEAT_INTERVAL_MS) {
            bool ready = partition->ready && partition->epoch == partition->beat.epoch;
            *beat = (struct redis_beat){
                .beat = partition->beat,
                .stores_position = ready && partition->beat.session == cache->session,
                .known_seq = partition->known_seq,
            };
            partition->fresh = false;
            partition->sent_ms = now_ms;
            found = true;
        }
    }
    pthread_mutex_unlock(&cache->lock);
    return found;
}

static void note_position(struct redis_cache *cache, const struct redis_beat *beat)
{
    struct redis_partition *partition = &cache->partitions[beat->beat.partition];
    pthread_mutex_lock(&cache->lock);
    partition->known_seq = beat->beat.shown_seq;
    pthread_mutex_unlock(&cache->lock);
}

/* Sends one beat, by which it is also seen whether Redis has lost what it had acknowledged. */
static bool write_beat(struct redis_cache *cache, const struct redis_beat *beat,
                       struct usher_error *err)
{
    redis_beat_append(&cache->link, cache->settings.prefix, cache->settings.worker, beat);
    enum redis_write result = redis_script_result(&cache->link, err);
    if (result == REDIS_GAP) {
        log_failure(&cache->emptied, NULL, LOG_LEVEL_WARNING,
                    "Redis was emptied or went back: writing again what it lacks");
        cache_renew_session(cache, true);
    }
    if (result == REDIS_WRITTEN && beat->stores_position)
        note_position(cache, beat);
    if (result == REDIS_UNKNOWN_SCRIPT)
        return redis_script_load(&cache->link, err) == USHER_OK;
    return result != REDIS_FAILED;
}

static bool write_beats(struct redis_cache *cache, struct usher_error *err)
{
    struct redis_beat beat;
    while (take_beat(cache, &beat)) {
        if (!write_beat(cache, &beat, err))
            return false;
        cache->backoff_ms = 0;
    }
    return true;
}

/* ---- the thread ---- */

static bool write_queue(struct redis_cache *cache, struct usher_error *err)
{
    struct display_update *updates[CACHE_PIPELINE];
    uint32_t count = cache_take(cache, updates);
    for (uint32_t i = 0; i < count; i++)
        display_update_draw(updates[i]);
    bool written = count == 0 || write_updates(cache, updates, count, err);
    if (written)
        cache_give_back(cache, updates, count);
    else
        for (uint32_t i = 0; i < count; i++)
            display_update_free(updates[i]);
    return written;
}

static void write_once(struct redis_cache *cache)
{
    struct usher_error err = {0};
    if (!read_positions(cache, &err) || !write_queue(cache, &err) || !write_beats(cache, &err))
        disconnected(cache, &err);
}

void *redis_writer_run(void *argument)
{
    struct redis_cache *cache = argument;
    pthread_mutex_lock(&cache->lock);
    while (goes_on(cache)) {
        if (cache->connected && cache->count == 0 && !cache->unread)
            thread_wait(&cache->changed, &cache->lock, clock_ms() + IDLE_WAIT_MS);
        bool is_connected = cache->connected;
        pthread_mutex_unlock(&cache->lock);
        if (is_connected)
            write_once(cache);
        else
            connect_again(cache);
        pthread_mutex_lock(&cache->lock);
    }
    pthread_mutex_unlock(&cache->lock);
    return NULL;
}
