/*
 * What is shared by everything that happens to a partition: its clock, its outbox, the records that
 * it gives back, and what others see of it.
 */
#include "worker/partition/partition_state.h"

#include <assert.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "producer/base/clock.h"
#include "worker/observe/metrics.h"
#include "worker/partition/memory_budget.h"

enum {
    REPLAY_BATCHES = 2, /* batches of records kept beside those in flight */
    OUTBOX_WAIT_MS = 10 /* a moment */
};

void partition_init(struct partition *p, const struct partition_settings *settings,
                    const struct partition_ports *ports)
{
    p->settings = *settings;
    p->ports = *ports;
    p->log = log_context_with(NULL, "partition=%d", settings->partition);
    p->wake_descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    assert(p->wake_descriptor >= 0);
    pthread_mutex_init(&p->view_lock, NULL);
    quarantine_init(&p->quarantine);
    portion_init(&p->portion, settings->batch_limit);
    pipeline_init(&p->pipeline, settings->batches_in_flight, settings->batch_limit, EXPIRY_LIMIT);
    replay_buffer_init(&p->replay,
                       (settings->batches_in_flight + REPLAY_BATCHES) * settings->batch_limit);
    p->display = display_open(settings->partition);
    cache_sync_init(&p->cache_sync, settings->partition, &p->ports.record, &p->ports.cache,
                    p->display, &p->log);
    (void)partition_moved(p);
}

void partition_forget(struct partition *p)
{
    const struct metrics_kept nothing = {0};
    partition_release(p, INT64_MAX);
    pipeline_abandon(&p->pipeline);
    pipeline_return_memory(&p->pipeline);
    inventory_destroy(p->inventory);
    p->inventory = NULL;
    display_reset(p->display, p->position.epoch, 0);
    cache_sync_deinit(&p->cache_sync);
    usher_arena_deinit(&p->scratch);
    metrics_keep(p->ports.metrics, &nothing);
    memory_budget_note(p->ports.budget, p->settings.partition, MEMORY_OWNS_NONE);
    partition_release_memory(p);
    memory_budget_release(p->ports.budget, p->settings.partition, MEMORY_FOR_CACHE);
}

void partition_deinit(struct partition *p)
{
    cache_sync_deinit(&p->cache_sync);
    display_close(p->display);
    pipeline_deinit(&p->pipeline);
    replay_buffer_deinit(&p->replay);
    pthread_mutex_destroy(&p->view_lock);
    close(p->wake_descriptor);
}

/* ---- time ---- */

int64_t partition_monotonic_ms(const struct partition *p)
{
    (void)p;
    return clock_ms();
}

int64_t partition_monotonic_us(const struct partition *p)
{
    (void)p;
    return clock_us();
}

int64_t partition_clock_ms(const struct partition *p)
{
    return partition_monotonic_ms(p) + p->clock_offset_ms;
}

/* Over takeovers, too: the last `now` is stored with each batch. */
int64_t partition_now_ms(const struct partition *p)
{
    int64_t now = partition_clock_ms(p);
    return now > p->position.now_ms ? now : p->position.now_ms;
}

int64_t partition_ahead_ms(const struct partition *p)
{
    int64_t ahead_ms = p->position.now_ms - partition_clock_ms(p);
    return ahead_ms > 0 ? ahead_ms : 0;
}

/* ---- waiting and stopping ---- */

void partition_stop(struct partition *p, int64_t drain_ms)
{
    uint64_t one = 1;
    atomic_store(&p->stop_ms, partition_monotonic_ms(p) + drain_ms);
    atomic_store(&p->stopping, true);
    ssize_t written = write(p->wake_descriptor, &one, sizeof one);
    assert(written == sizeof one);
}

void partition_sleep(struct partition *p, int64_t ms)
{
    struct pollfd wake = {.fd = p->wake_descriptor, .events = POLLIN};
    (void)poll(&wake, 1, (int)ms);
}

/* ---- the outbox and the log ---- */

enum usher_status partition_serve_outbox(struct partition *p, struct usher_error *err)
{
    return p->ports.outbox.poll(p->ports.outbox.self, &p->position.published_seq,
                                &p->position.published_offset, err);
}

enum usher_status partition_serve_reports(struct partition *p, struct usher_error *err)
{
    return p->ports.outbox.poll(p->ports.outbox.self, NULL, NULL, err);
}

void partition_wait_for_outbox(struct partition *p)
{
    (void)partition_moved(p);
    partition_sleep(p, OUTBOX_WAIT_MS);
}

int64_t partition_taken_until(struct partition *p)
{
    struct log_record *at;
    uint32_t undecided = replay_buffer_undecided(&p->replay, &at);
    return undecided > 0 ? at[undecided - 1].offset + 1 : p->position.next_offset;
}

bool partition_is_settled(struct partition *p)
{
    struct log_record *at;
    return pipeline_is_empty(&p->pipeline) && replay_buffer_undecided(&p->replay, &at) == 0;
}

bool partition_is_published(struct partition *p)
{
    return pipeline_is_empty(&p->pipeline) && p->ports.outbox.pending(p->ports.outbox.self) == 0;
}

bool partition_leaves_unrecorded(const struct partition *p)
{
    return p->stopping && p->position.published_seq > p->recorded_seq;
}

void partition_release(struct partition *p, int64_t below_offset)
{
    struct log_record *records;
    uint32_t count = replay_buffer_below(&p->replay, below_offset, &records);
    if (count > 0)
        p->ports.log.release(p->ports.log.self, records, count);
    replay_buffer_drop(&p->replay, count);
}

void partition_settle_memory(struct partition *p)
{
    memory_budget_settle(p->ports.budget, p->settings.partition, MEMORY_FOR_BATCH, p->spare_bytes);
}

void partition_return_memory(struct partition *p)
{
    memory_budget_return(p->ports.budget, p->settings.partition, MEMORY_FOR_BATCH, p->spare_bytes);
}

void partition_release_memory(struct partition *p)
{
    p->wants_bytes = p->spare_bytes = 0;
    memory_budget_release(p->ports.budget, p->settings.partition, MEMORY_FOR_BATCH);
}

/* ---- what others see ---- */

int64_t partition_moved(struct partition *p)
{
    int64_t now_ms = partition_monotonic_ms(p);
    atomic_store_explicit(&p->moved_ms, now_ms, memory_order_relaxed);
    return now_ms;
}

static int64_t oldest_pending_ms(const struct partition *p)
{
    return p->replay.first < p->replay.end ? p->replay.records[p->replay.first].appended_ms : 0;
}

/* Records taken and not known to be committed, and those not yet taken. */
static int64_t lag_of(const struct partition *p)
{
    uint32_t kept = p->replay.end - p->replay.first;
    int64_t taken_until =
        kept > 0 ? p->replay.records[p->replay.end - 1].offset + 1 : p->committed_offset;
    return kept + p->ports.log.lag(p->ports.log.self, taken_until);
}

void partition_publish_view(struct partition *p)
{
    int64_t lag = lag_of(p);
    int64_t ahead_ms = p->position.epoch != 0 ? partition_ahead_ms(p) : 0;
    pthread_mutex_lock(&p->view_lock);
    p->view.stage = p->stage;
    p->view.epoch = p->position.epoch;
    p->view.next_offset = p->committed_offset;
    p->view.next_seq = p->position.next_seq;
    p->view.published_seq = p->position.published_seq;
    p->view.lag = lag;
    p->view.retries = p->retries;
    p->view.clock_ahead_ms = ahead_ms;
    pthread_mutex_unlock(&p->view_lock);
    metrics_clock_ahead(p->ports.metrics, ahead_ms);
    metrics_halted(p->ports.metrics, p->stage == STAGE_HALTED);
    metrics_retries(p->ports.metrics, p->retries);
    metrics_position(p->ports.metrics, p->position.epoch, p->committed_offset, lag,
                     oldest_pending_ms(p));
}

void partition_publish_error(struct partition *p, const struct usher_error *err)
{
    pthread_mutex_lock(&p->view_lock);
    p->view.error = *err;
    pthread_mutex_unlock(&p->view_lock);
}

void partition_look(struct partition *p, struct partition_view *view)
{
    pthread_mutex_lock(&p->view_lock);
    *view = p->view;
    pthread_mutex_unlock(&p->view_lock);
    view->moved_ms = atomic_load_explicit(&p->moved_ms, memory_order_relaxed);
}
