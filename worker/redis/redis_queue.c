/*
 * The queue between the partitions and the writer of the cache.
 */
#include "worker/redis/redis_queue.h"

#include <stdlib.h>

#include "producer/base/allocate.h"
#include "producer/base/clock.h"
#include "producer/base/thread.h"

enum {
    PIPELINE_BYTES = 8 * 1024 * 1024, /* sent at once, and not much more */
    BEAT_INTERVAL_MS = 1000,
    IDLE_WAIT_MS = 500
};

/* ---- the partitions' side ---- */

bool redis_queue_put(struct redis_queue *queue, struct display_update *update)
{
    pthread_mutex_lock(&queue->lock);
    bool full = queue->count == REDIS_QUEUE_MAX || queue->bytes > queue->bytes_max;
    bool taken = !full && queue->connected && update->session == queue->session;
    if (taken) {
        queue->updates[(queue->first + queue->count++) % REDIS_QUEUE_MAX] = update;
        queue->bytes += update->size;
        pthread_cond_signal(&queue->changed);
    }
    pthread_mutex_unlock(&queue->lock);
    return taken;
}

void redis_queue_poll(struct redis_queue *queue, int32_t partition, int32_t epoch,
                      struct cache_news *news)
{
    struct redis_partition *known = &queue->partitions[partition];
    pthread_mutex_lock(&queue->lock);
    if (known->epoch != epoch) {
        known->epoch = epoch;
        known->ready = false;
        queue->unread = true;
        pthread_cond_signal(&queue->changed);
    }
    *news = (struct cache_news){.session = queue->session,
                                .ready = queue->connected && known->ready,
                                .shown_seq = known->stored_seq,
                                .done = known->done};
    known->done = known->done_last = NULL;
    pthread_mutex_unlock(&queue->lock);
}

void redis_queue_beat(struct redis_queue *queue, const struct cache_beat *beat)
{
    struct redis_partition *known = &queue->partitions[beat->partition];
    pthread_mutex_lock(&queue->lock);
    known->beat = *beat;
    known->fresh = true;
    pthread_mutex_unlock(&queue->lock);
}

/* ---- updates: the writer's side ---- */

uint32_t redis_queue_take(struct redis_queue *queue, struct display_update *updates[REDIS_PIPELINE])
{
    uint32_t count = 0;
    size_t bytes = 0;
    pthread_mutex_lock(&queue->lock);
    while (count < REDIS_PIPELINE && queue->count > 0 && bytes < PIPELINE_BYTES) {
        struct display_update *update = queue->updates[queue->first];
        queue->first = (queue->first + 1) % REDIS_QUEUE_MAX;
        queue->count--;
        queue->bytes -= update->size;
        bytes += update->size;
        updates[count++] = update;
    }
    pthread_mutex_unlock(&queue->lock);
    return count;
}

void redis_queue_give_back(struct redis_queue *queue, struct display_update **updates,
                           uint32_t count)
{
    pthread_mutex_lock(&queue->lock);
    for (uint32_t i = 0; i < count; i++) {
        struct redis_partition *partition = &queue->partitions[updates[i]->partition];
        updates[i]->next = NULL;
        *(partition->done_last ? &partition->done_last->next : &partition->done) = updates[i];
        partition->done_last = updates[i];
    }
    pthread_mutex_unlock(&queue->lock);
}

static uint32_t drop_queue(struct redis_queue *queue)
{
    uint32_t dropped = queue->count;
    while (queue->count > 0) {
        display_update_free(queue->updates[queue->first]);
        queue->first = (queue->first + 1) % REDIS_QUEUE_MAX;
        queue->count--;
    }
    queue->bytes = 0;
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

uint32_t redis_queue_renew_session(struct redis_queue *queue, bool connected)
{
    pthread_mutex_lock(&queue->lock);
    queue->session++;
    queue->connected = connected;
    queue->unread = true;
    uint32_t dropped = drop_queue(queue);
    for (int32_t i = 0; i < queue->partition_count; i++) {
        drop_done(&queue->partitions[i]);
        queue->partitions[i].ready = false;
        queue->partitions[i].epoch = 0; /* its owner asks again, a former one does not */
    }
    pthread_mutex_unlock(&queue->lock);
    return dropped;
}

/* ---- waiting ---- */

/* Whether the writer is to continue; the lock is held. */
static bool goes_on(const struct redis_queue *queue)
{
    if (!queue->stopping)
        return true;
    return queue->connected && queue->count > 0 && clock_ms() < queue->stop_ms;
}

/* Waits for a change or for `wait_ms`; the lock is held. */
static void wait_changed(struct redis_queue *queue, int64_t wait_ms)
{
    (void)thread_wait(&queue->changed, &queue->lock, clock_ms() + wait_ms);
}

bool redis_queue_wait(struct redis_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    if (goes_on(queue) && queue->connected && queue->count == 0 && !queue->unread)
        wait_changed(queue, IDLE_WAIT_MS);
    bool going = goes_on(queue);
    pthread_mutex_unlock(&queue->lock);
    return going;
}

void redis_queue_pause(struct redis_queue *queue, int64_t wait_ms)
{
    int64_t until_ms = clock_ms() + wait_ms;
    pthread_mutex_lock(&queue->lock);
    while (!queue->stopping && clock_ms() < until_ms)
        wait_changed(queue, until_ms - clock_ms());
    pthread_mutex_unlock(&queue->lock);
}

bool redis_queue_is_connected(struct redis_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    bool connected = queue->connected;
    pthread_mutex_unlock(&queue->lock);
    return connected;
}

void redis_queue_set_connected(struct redis_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->connected = true;
    pthread_mutex_unlock(&queue->lock);
}

void redis_queue_stop(struct redis_queue *queue, int timeout_ms)
{
    pthread_mutex_lock(&queue->lock);
    queue->stopping = true;
    queue->stop_ms = clock_ms() + timeout_ms;
    pthread_cond_signal(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
}

/* ---- positions and heartbeats ---- */

int32_t redis_queue_take_unread(struct redis_queue *queue, int32_t *epoch)
{
    int32_t unread = -1;
    pthread_mutex_lock(&queue->lock);
    for (int32_t i = 0; queue->unread && i < queue->partition_count && unread < 0; i++)
        if (queue->partitions[i].epoch != 0 && !queue->partitions[i].ready)
            unread = i;
    queue->unread = unread >= 0;
    *epoch = unread >= 0 ? queue->partitions[unread].epoch : 0;
    pthread_mutex_unlock(&queue->lock);
    return unread;
}

/* What was read for an earlier owner is read again. */
void redis_queue_set_position(struct redis_queue *queue, int32_t partition, int32_t epoch,
                              const struct redis_position *position)
{
    struct redis_partition *known = &queue->partitions[partition];
    pthread_mutex_lock(&queue->lock);
    known->ready = known->epoch == epoch;
    known->stored_seq = position->seq;
    known->known = *position;
    pthread_mutex_unlock(&queue->lock);
}

bool redis_queue_take_beat(struct redis_queue *queue, struct redis_beat *beat)
{
    int64_t now_ms = clock_ms();
    bool found = false;
    pthread_mutex_lock(&queue->lock);
    for (int32_t i = 0; i < queue->partition_count && !found; i++) {
        struct redis_partition *partition = &queue->partitions[i];
        bool due = queue->stopping || now_ms - partition->sent_ms >= BEAT_INTERVAL_MS;
        if (partition->fresh && due) {
            bool ready = partition->ready && partition->epoch == partition->beat.epoch;
            *beat = (struct redis_beat){
                .beat = partition->beat,
                .stores_position = ready && partition->beat.session == queue->session,
                .known = partition->known,
            };
            partition->fresh = false;
            partition->sent_ms = now_ms;
            found = true;
        }
    }
    pthread_mutex_unlock(&queue->lock);
    return found;
}

void redis_queue_note_position(struct redis_queue *queue, const struct redis_beat *beat)
{
    struct redis_partition *partition = &queue->partitions[beat->beat.partition];
    pthread_mutex_lock(&queue->lock);
    partition->known =
        (struct redis_position){.epoch = beat->beat.epoch, .seq = beat->beat.shown_seq};
    pthread_mutex_unlock(&queue->lock);
}

/* ---- its life ---- */

void redis_queue_init(struct redis_queue *queue, int32_t partition_count, size_t bytes_max)
{
    queue->bytes_max = bytes_max;
    thread_condition_init(&queue->changed);
    pthread_mutex_init(&queue->lock, NULL);
    queue->session = 1;
    queue->partition_count = partition_count;
    queue->partitions = memory_calloc((size_t)partition_count, sizeof *queue->partitions);
}

void redis_queue_deinit(struct redis_queue *queue)
{
    redis_queue_renew_session(queue, false); /* frees what is left */
    pthread_mutex_destroy(&queue->lock);
    pthread_cond_destroy(&queue->changed);
    free(queue->partitions);
}
