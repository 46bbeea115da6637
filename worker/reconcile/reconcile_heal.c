/*
 * The healer: compares what Redis has with what PostgreSQL has and writes what differs.
 */
#include "worker/reconcile/reconcile_heal.h"

#include <assert.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "producer/base/clock.h"
#include "producer/base/log.h"
#include "worker/observe/metrics.h"
#include "worker/postgres/pg_catalog.h"
#include "worker/reconcile/reconcile_mend.h"

enum {
    SWEEP_INTERVAL_MS = 60000,
    HELD_MS = 10000,   /* a partition counts as held for so long after its last beat */
    RETRY_MS = 1000,   /* after Redis or PostgreSQL failed */
    WISHES_MAX = 1000, /* single resources asked for; more: all are compared */
    REST_FACTOR = 4,   /* a sweep rests so much longer than it works */
    REST_MAX_MS = 1000
};

/* A partition held now, or held before. */
struct held {
    int32_t partition, epoch;
    int64_t beat_ms; /* the last one */
    bool urgent;     /* to be compared at once, and without rests */
    int64_t due_ms;  /* of the next sweep */
    int64_t differences;
};

struct reconcile_heal {
    struct reconcile_heal_settings settings;
    pthread_t thread;
    pthread_mutex_t lock; /* of all below, up to the connections */
    pthread_cond_t changed;
    bool stopping;
    struct held *held;
    uint32_t held_count;
    int64_t wishes[WISHES_MAX];
    uint32_t wish_count;

    /* The thread's own. */
    struct mend mend;
    struct log_limit trouble;
};

/* ---- the healer as the cache sees it: any thread, never waits for I/O ---- */

static struct held *held_of(struct reconcile_heal *heal, int32_t partition)
{
    for (uint32_t i = 0; i < heal->held_count; i++)
        if (heal->held[i].partition == partition)
            return &heal->held[i];
    heal->held = realloc(heal->held, (heal->held_count + 1) * sizeof *heal->held);
    assert(heal->held != NULL);
    struct held *held = &heal->held[heal->held_count++];
    *held = (struct held){.partition = partition};
    return held;
}

static void healer_held(void *self, int32_t partition, int32_t epoch)
{
    struct reconcile_heal *heal = self;
    pthread_mutex_lock(&heal->lock);
    struct held *held = held_of(heal, partition);
    held->beat_ms = clock_ms();
    if (held->epoch != epoch) {
        held->epoch = epoch;
        held->urgent = true;
        pthread_cond_signal(&heal->changed);
    }
    pthread_mutex_unlock(&heal->lock);
}

static void want_all(struct reconcile_heal *heal)
{
    for (uint32_t i = 0; i < heal->held_count; i++)
        heal->held[i].urgent = true;
    pthread_cond_signal(&heal->changed);
}

static void healer_all(void *self)
{
    struct reconcile_heal *heal = self;
    pthread_mutex_lock(&heal->lock);
    want_all(heal);
    pthread_mutex_unlock(&heal->lock);
}

static void healer_resource(void *self, int64_t resource_no)
{
    struct reconcile_heal *heal = self;
    pthread_mutex_lock(&heal->lock);
    bool known = false;
    for (uint32_t i = 0; i < heal->wish_count && !known; i++)
        known = heal->wishes[i] == resource_no;
    if (!known && heal->wish_count < WISHES_MAX) {
        heal->wishes[heal->wish_count++] = resource_no;
        pthread_cond_signal(&heal->changed);
    } else if (!known) {
        heal->wish_count = 0;
        want_all(heal);
    }
    pthread_mutex_unlock(&heal->lock);
}

/* ---- waiting ---- */

/* Waits for a change or for `wait_ms`; the lock is held. */
static void wait_changed(struct reconcile_heal *heal, int64_t wait_ms)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    int64_t ns = until.tv_nsec + wait_ms % 1000 * 1000000;
    until.tv_sec += wait_ms / 1000 + ns / 1000000000;
    until.tv_nsec = ns % 1000000000;
    pthread_cond_timedwait(&heal->changed, &heal->lock, &until);
}

/* Sleeps, unless it is to stop. */
static void rest(struct reconcile_heal *heal, int64_t wait_ms)
{
    int64_t until_ms = clock_ms() + wait_ms;
    pthread_mutex_lock(&heal->lock);
    for (int64_t now_ms = clock_ms(); !heal->stopping && now_ms < until_ms; now_ms = clock_ms())
        wait_changed(heal, until_ms - now_ms);
    pthread_mutex_unlock(&heal->lock);
}

/* ---- single resources, and partitions ---- */

static bool take_wish(struct reconcile_heal *heal, int64_t *no)
{
    pthread_mutex_lock(&heal->lock);
    bool any = heal->wish_count > 0 && !heal->stopping;
    if (any)
        *no = heal->wishes[--heal->wish_count];
    pthread_mutex_unlock(&heal->lock);
    return any;
}

static enum usher_status heal_wishes(struct reconcile_heal *heal, struct usher_error *err)
{
    int64_t no;
    int64_t differences = 0;
    while (take_wish(heal, &no)) {
        enum usher_status status = mend_one(&heal->mend, no, false, &differences, err);
        if (status != USHER_OK) {
            healer_resource(heal, no);
            return status;
        }
    }
    return USHER_OK;
}

/* After some work: single resources that were asked for go first, then a sweep rests. */
static enum usher_status pause_sweep(struct reconcile_heal *heal, const struct held *held,
                                     int64_t worked_ms, struct usher_error *err)
{
    int64_t rest_ms = held->urgent ? 0 : REST_FACTOR * worked_ms;
    rest(heal, rest_ms < REST_MAX_MS ? rest_ms : REST_MAX_MS);
    return heal_wishes(heal, err);
}

static bool stopping(struct reconcile_heal *heal)
{
    pthread_mutex_lock(&heal->lock);
    bool is_stopping = heal->stopping;
    pthread_mutex_unlock(&heal->lock);
    return is_stopping;
}

/* One page of a partition's resources after `*after_no`, which moves. */
static enum usher_status sweep_page(struct reconcile_heal *heal, struct held *held,
                                    int64_t *after_no, bool *done, struct usher_error *err)
{
    struct usher_arena ids = {0};
    struct pg_catalog_page page;
    enum usher_status status = pg_catalog_next(heal->mend.catalog, *after_no, &ids, &page, err);
    *done = page.count < PG_CATALOG_PAGE;
    for (uint32_t i = 0; i < page.count && status == USHER_OK; i++) {
        if (page.entries[i].partition != held->partition || stopping(heal)) {
            *done = true;
            break;
        }
        int64_t began_ms = clock_ms();
        *after_no = page.entries[i].no;
        status = mend_one(&heal->mend, page.entries[i].no, !held->urgent, &held->differences, err);
        if (status == USHER_OK)
            status = pause_sweep(heal, held, clock_ms() - began_ms, err);
    }
    usher_arena_deinit(&ids);
    return status;
}

static enum usher_status sweep(struct reconcile_heal *heal, struct held *held,
                               struct usher_error *err)
{
    int64_t after_no = row_number(held->partition, 0);
    enum usher_status status = USHER_OK;
    held->differences = 0;
    for (bool done = false; status == USHER_OK && !done;)
        status = sweep_page(heal, held, &after_no, &done, err);
    if (status == USHER_OK && held->differences > 0) {
        struct log_context context = log_context_with(
            NULL, "partition=%" PRId32 " resources=%" PRId64, held->partition, held->differences);
        log_info(&context, "healed the cache");
    }
    return status;
}

/* ---- the thread ---- */

/* Takes the next partition that is to be compared into `*now`. False: none is. */
static bool take_due(struct reconcile_heal *heal, struct held *now)
{
    int64_t now_ms = clock_ms();
    for (uint32_t i = 0; i < heal->held_count; i++) {
        struct held *held = &heal->held[i];
        bool is_held = now_ms - held->beat_ms < HELD_MS;
        if (is_held && (held->urgent || held->due_ms <= now_ms)) {
            *now = *held;
            held->urgent = false;
            held->due_ms = now_ms + heal->settings.sweep_interval_ms;
            return true;
        }
    }
    return false;
}

/* Keeps what a sweep found; one that failed is to be done again. */
static void settle_due(struct reconcile_heal *heal, const struct held *done,
                       enum usher_status status)
{
    int64_t sum = 0;
    pthread_mutex_lock(&heal->lock);
    struct held *held = held_of(heal, done->partition);
    held->differences = done->differences;
    held->urgent |= status != USHER_OK;
    for (uint32_t i = 0; i < heal->held_count; i++)
        sum += heal->held[i].differences;
    pthread_mutex_unlock(&heal->lock);
    if (heal->settings.metrics != NULL)
        metrics_reconcile_differences(heal->settings.metrics, sum);
}

static void work(struct reconcile_heal *heal, struct held *due)
{
    struct usher_error err = {0};
    enum usher_status status = mend_connect(&heal->mend, &err);
    if (status == USHER_OK)
        status = heal_wishes(heal, &err);
    if (status == USHER_OK && due != NULL)
        status = sweep(heal, due, &err);
    if (due != NULL)
        settle_due(heal, due, status);
    if (status == USHER_OK) {
        log_recovery(&heal->trouble, NULL, "the cache is compared with the database again");
        return;
    }
    log_failure(&heal->trouble, NULL, LOG_LEVEL_WARNING,
                "could not compare the cache with the database: %s", err.text);
    mend_disconnect(&heal->mend);
    rest(heal, RETRY_MS);
}

static void *run(void *argument)
{
    struct reconcile_heal *heal = argument;
    pthread_mutex_lock(&heal->lock);
    while (!heal->stopping) {
        struct held due;
        bool any = take_due(heal, &due);
        if (!any && heal->wish_count == 0) {
            wait_changed(heal, RETRY_MS);
            continue;
        }
        pthread_mutex_unlock(&heal->lock);
        work(heal, any ? &due : NULL);
        pthread_mutex_lock(&heal->lock);
    }
    pthread_mutex_unlock(&heal->lock);
    mend_disconnect(&heal->mend);
    return NULL;
}

struct reconcile_heal *reconcile_heal_open(const struct reconcile_heal_settings *settings,
                                           struct cache_healer *healer)
{
    *healer = (struct cache_healer){0};
    if (settings->redis == NULL)
        return NULL;
    struct reconcile_heal *heal = calloc(1, sizeof *heal);
    assert(heal != NULL);
    heal->settings = *settings;
    heal->mend = (struct mend){.settings = &heal->settings};
    if (heal->settings.sweep_interval_ms == 0)
        heal->settings.sweep_interval_ms = SWEEP_INTERVAL_MS;
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&heal->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    pthread_mutex_init(&heal->lock, NULL);
    int failed = pthread_create(&heal->thread, NULL, run, heal);
    assert(!failed);
    *healer = (struct cache_healer){
        .self = heal, .held = healer_held, .all = healer_all, .resource = healer_resource};
    return heal;
}

void reconcile_heal_close(struct reconcile_heal *heal, int timeout_ms)
{
    if (heal == NULL)
        return;
    pthread_mutex_lock(&heal->lock);
    heal->stopping = true;
    pthread_cond_signal(&heal->changed);
    pthread_mutex_unlock(&heal->lock);
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += timeout_ms / 1000 + 1;
    if (pthread_timedjoin_np(heal->thread, NULL, &until) != 0)
        return;
    pthread_mutex_destroy(&heal->lock);
    pthread_cond_destroy(&heal->changed);
    mend_disconnect(&heal->mend);
    free(heal->held);
    free(heal);
}
