/*
 * The cache port on Redis: the life of its queue, and its writer's thread, which connects, reads
 * the positions, empties the queue into Redis and gives back what was acknowledged.
 */
#include "worker/redis/redis_cache.h"
#include "worker/redis/redis_contract.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>

#include "producer/base/allocate.h"
#include "producer/base/clock.h"
#include "producer/base/thread.h"
#include "worker/display/display.h"
#include "worker/display/display_update.h"
#include "worker/redis/redis_script.h"

/*
 * ==== Writer thread ====
 *
 * Started by redis_cache_open, joined by redis_cache_close.
 */

/* Set the first ones, zero the rest. All is borrowed. */
struct redis_writer {
    const struct redis_settings *redis;
    const char *prefix;
    struct redis_worker worker;
    int64_t opened_ms;
    int32_t partitions;               /* how many there are */
    struct metrics_registry *metrics; /* NULL: none are kept */
    struct redis_queue *queue;

    /* The thread's own. */
    struct redis_link link;
    struct log_limit failure_log, emptied, replaced;
    int64_t backoff_ms;
};

enum {
    BACKOFF_MIN_MS = 100,
    BACKOFF_MAX_MS = 2000,
    LARGE_BYTES = 1 << 20 /* more takes Redis longer than any other pipeline */
};

/* ---- connected or not ---- */

static void report_connection(struct redis_writer *writer, bool up)
{
    if (writer->metrics)
        metrics_dependency(writer->metrics, METRICS_REDIS, up);
}

static void count_results(struct redis_writer *writer, enum metrics_cache_result result,
                          uint32_t times)
{
    for (uint32_t i = 0; i < times && writer->metrics; i++)
        metrics_cache_write(writer->metrics, result);
}

static enum usher_status connect_now(struct redis_writer *writer, struct usher_error *err)
{
    enum usher_status status = redis_link_open(&writer->link, writer->redis, err);
    if (status == USHER_OK)
        status = redis_contract_claim(&writer->link, writer->prefix, writer->partitions, err);
    if (status == USHER_OK)
        status = redis_script_load(&writer->link, err);
    return status;
}

static void connected(struct redis_writer *writer)
{
    redis_queue_set_connected(writer->queue);
    report_connection(writer, true);
    log_recovery(&writer->failure_log, NULL, "Redis takes updates again");
}

/* Doubled with each failure, until something was written again. */
static void back_off(struct redis_writer *writer)
{
    writer->backoff_ms = writer->backoff_ms == 0 ? BACKOFF_MIN_MS : 2 * writer->backoff_ms;
    if (writer->backoff_ms > BACKOFF_MAX_MS)
        writer->backoff_ms = BACKOFF_MAX_MS;
}

static void note_failure(struct redis_writer *writer, const struct usher_error *err)
{
    redis_link_close(&writer->link);
    report_connection(writer, false);
    log_failure(&writer->failure_log, NULL, LOG_LEVEL_WARNING, "%s", err->text);
    back_off(writer);
}

static void connect_again(struct redis_writer *writer)
{
    struct usher_error err = {0};
    redis_queue_pause(writer->queue, writer->backoff_ms);
    if (connect_now(writer, &err) == USHER_OK)
        connected(writer);
    else
        note_failure(writer, &err);
}

static void renew_session(struct redis_writer *writer, bool connected)
{
    uint32_t dropped = redis_queue_renew_session(writer->queue, connected);
    count_results(writer, METRICS_CACHE_DROPPED, dropped);
}

static void disconnected(struct redis_writer *writer, const struct usher_error *err)
{
    renew_session(writer, false);
    note_failure(writer, err);
}

/* ---- positions ---- */

static bool read_positions(struct redis_writer *writer, struct usher_error *err)
{
    int32_t epoch;
    struct redis_position position;
    for (int32_t i; (i = redis_queue_take_unread(writer->queue, &epoch)) >= 0;) {
        if (redis_position_claim(&writer->link, writer->prefix, i, epoch, &position, err) !=
            USHER_OK)
            return false;
        redis_queue_set_position(writer->queue, i, epoch, &position);
    }
    return true;
}

/* ---- writing ---- */

static const enum metrics_cache_result counted_as[] = {
    [REDIS_WRITTEN] = METRICS_CACHE_WRITTEN,
    [REDIS_STALE] = METRICS_CACHE_STALE,
    [REDIS_GAP] = METRICS_CACHE_GAP,
    [REDIS_NO_LAYOUT] = METRICS_CACHE_FAILED,
    [REDIS_REPLACED] = METRICS_CACHE_FAILED,
    [REDIS_FAILED] = METRICS_CACHE_FAILED,
    [REDIS_UNKNOWN_SCRIPT] = METRICS_CACHE_FAILED,
};

/* Some updates, and what became of each. */
struct writing {
    struct display_update **updates;
    enum redis_write results[REDIS_PIPELINE];
    uint32_t count;
};

/* Sends those with that result, all at once, and reads theirs. False: connection lost. */
static bool send_updates(struct redis_writer *writer, struct writing *writing,
                         enum redis_write result, struct usher_error *err)
{
    bool sent[REDIS_PIPELINE];
    for (uint32_t i = 0; i < writing->count; i++) {
        sent[i] = writing->results[i] == result;
        if (sent[i])
            redis_script_append(&writer->link, writer->prefix, writing->updates[i], false);
    }
    for (uint32_t i = 0; i < writing->count; i++) {
        if (sent[i]) {
            writing->results[i] = redis_script_result(&writer->link, err);
            if (writing->results[i] == REDIS_FAILED)
                return false;
        }
    }
    return true;
}

/* Returns the first one with that result, or `count`. */
static uint32_t find_result(const struct writing *writing, enum redis_write result)
{
    uint32_t i = 0;
    while (i < writing->count && writing->results[i] != result)
        i++;
    return i;
}

/* A layout is megabytes of text and most are in Redis: each that is not is sent once, by itself. */
static bool send_layouts(struct redis_writer *writer, struct writing *writing,
                         struct usher_error *err)
{
    for (uint32_t i; (i = find_result(writing, REDIS_NO_LAYOUT)) < writing->count;) {
        redis_script_append(&writer->link, writer->prefix, writing->updates[i], true);
        writing->results[i] = redis_script_result(&writer->link, err);
        if (writing->results[i] == REDIS_FAILED ||
            !send_updates(writer, writing, REDIS_NO_LAYOUT, err))
            return false;
    }
    return true;
}

/* Sends updates, and once more those whose script Redis had forgotten. False: connection lost. */
static bool write_updates(struct redis_writer *writer, struct display_update **updates,
                          uint32_t count, struct usher_error *err)
{
    struct writing writing = {.updates = updates, .count = count};
    size_t bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        writing.results[i] = REDIS_UNKNOWN_SCRIPT;
        bytes += updates[i]->size;
    }
    redis_link_expect(&writer->link, bytes < LARGE_BYTES ? 0 : bytes);
    bool sent = send_updates(writer, &writing, REDIS_UNKNOWN_SCRIPT, err);
    if (sent && find_result(&writing, REDIS_UNKNOWN_SCRIPT) < count) {
        sent = redis_script_load(&writer->link, err) == USHER_OK &&
               send_updates(writer, &writing, REDIS_UNKNOWN_SCRIPT, err);
    }
    sent = sent && send_layouts(writer, &writing, err) &&
           find_result(&writing, REDIS_UNKNOWN_SCRIPT) == count;
    for (uint32_t i = 0; i < count; i++) {
        updates[i]->gap = writing.results[i] == REDIS_GAP;
        count_results(writer, counted_as[writing.results[i]], 1);
    }
    return sent;
}

/* ---- heartbeats ---- */

/* Sends one beat, by which it is also seen whether Redis has lost what it had acknowledged. */
static bool write_beat(struct redis_writer *writer, const struct redis_beat *beat,
                       struct usher_error *err)
{
    writer->worker.uptime_s = (clock_ms() - writer->opened_ms) / 1000;
    redis_beat_append(&writer->link, writer->prefix, &writer->worker, writer->partitions, beat);
    enum redis_write result = redis_script_result(&writer->link, err);
    if (result == REDIS_GAP) {
        log_failure(&writer->emptied, NULL, LOG_LEVEL_WARNING, "Redis lost data: resynchronizing");
        renew_session(writer, true);
    }
    if (result == REDIS_REPLACED)
        log_failure(&writer->replaced, NULL, LOG_LEVEL_WARNING, "%s", err->text);
    if (result == REDIS_WRITTEN && beat->stores_position)
        redis_queue_note_position(writer->queue, beat);
    if (result == REDIS_UNKNOWN_SCRIPT)
        return redis_script_load(&writer->link, err) == USHER_OK;
    return result != REDIS_FAILED;
}

static bool write_beats(struct redis_writer *writer, struct usher_error *err)
{
    struct redis_beat beat;
    while (redis_queue_take_beat(writer->queue, &beat)) {
        if (!write_beat(writer, &beat, err))
            return false;
        writer->backoff_ms = 0;
    }
    return true;
}

/* ---- the thread ---- */

static bool write_queue(struct redis_writer *writer, struct usher_error *err)
{
    struct display_update *updates[REDIS_PIPELINE];
    uint32_t count = redis_queue_take(writer->queue, updates);
    for (uint32_t i = 0; i < count; i++)
        display_update_render(updates[i]);
    bool written = count == 0 || write_updates(writer, updates, count, err);
    if (written)
        redis_queue_give_back(writer->queue, updates, count);
    else
        for (uint32_t i = 0; i < count; i++)
            display_update_free(updates[i]);
    return written;
}

static void write_once(struct redis_writer *writer)
{
    struct usher_error err = {0};
    if (!read_positions(writer, &err) || !write_queue(writer, &err) || !write_beats(writer, &err))
        disconnected(writer, &err);
}

/* The thread: `writer` is a struct redis_writer. Returns NULL once the queue was stopped. */
static void *redis_writer_run(void *argument)
{
    struct redis_writer *writer = argument;
    struct usher_error err = {0};
    while (redis_queue_wait(writer->queue))
        if (redis_queue_is_connected(writer->queue))
            write_once(writer);
        else
            connect_again(writer);
    /* The last positions, from which the next owners continue. */
    if (redis_queue_is_connected(writer->queue))
        (void)write_beats(writer, &err);
    redis_link_close(&writer->link);
    return NULL;
}

/* ==== The cache port ==== */

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
        .opened_ms = clock_ms(),
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
