/*
 * What the metrics are made of: shared by metrics.c, which counts, and metrics_text.c, which
 * writes them out. Nobody else includes it.
 */
#ifndef USHER_WORKER_OBSERVE_METRICS_STATE_H
#define USHER_WORKER_OBSERVE_METRICS_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "worker/observe/metrics.h"

enum {
    HISTOGRAM_BUCKETS_MAX = 20
};

/* Upper bounds of buckets, in the unit of the values; `divisor` turns them into that of the text.
 */
struct histogram_bounds {
    int64_t at[HISTOGRAM_BUCKETS_MAX];
    uint32_t count;
    int64_t divisor;
};

extern const struct histogram_bounds bounds_latency;  /* microseconds, shown as seconds */
extern const struct histogram_bounds bounds_recovery; /* microseconds, shown as seconds */
extern const struct histogram_bounds bounds_requests; /* requests a batch */

struct histogram {
    _Atomic uint64_t buckets[HISTOGRAM_BUCKETS_MAX + 1]; /* the last: above all bounds */
    _Atomic int64_t sum;
};

struct metrics {
    int32_t partition;
    struct metrics *next;

    _Atomic uint64_t requests[USHER_OP_COUNT][USHER_OUTCOME_COUNT];
    _Atomic uint64_t refusals[USHER_REASON_COUNT];
    _Atomic uint64_t dead_letters[USHER_REASON_COUNT];
    _Atomic uint64_t holds_expired, results_published, fenced;
    struct histogram request_wait, request_latency;
    struct histogram batch_requests, batch_load, batch_decide, batch_commit, batch_publish;
    struct histogram recovery;

    _Atomic bool assigned;
    _Atomic int64_t epoch, committed_offset, lag, halted, oldest_pending_ms, outbox_pending;
};

enum dependency_state {
    DEPENDENCY_UNKNOWN = 0,
    DEPENDENCY_DOWN,
    DEPENDENCY_UP,
};

struct metrics_registry {
    pthread_mutex_t lock;  /* of the list; parts are never removed from it */
    struct metrics *parts; /* by partition */
    _Atomic uint64_t cache_writes[METRICS_CACHE_RESULT_COUNT];
    _Atomic int dependencies[METRICS_DEPENDENCY_COUNT];
    _Atomic int64_t reconcile_differences;
};

#endif
