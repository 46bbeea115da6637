/*
 * Counters, gauges and histograms: where they are kept, and how they are set. metrics.def has their
 * rows. Kept in one registry, which main owns and passes along; no global. Each partition's part is
 * written by its allocator's thread alone, with relaxed atomics.
 *
 * A partition's part stays when the partition is lost, since counters must not go back; it is
 * found again when the partition comes back.
 */
#ifndef USHER_WORKER_OBSERVE_METRICS_H
#define USHER_WORKER_OBSERVE_METRICS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "usher/message.h"

/* ---- what is counted ---- */

enum {
    METRICS_BUCKETS_MAX = 20,
    METRICS_SHARD_SIZE = 64 /* of the name of a database, with its NUL */
};

/* Upper bounds of buckets, in the unit of the values; `divisor` turns them into that of the text.
 */
struct metrics_bounds {
    int64_t at[METRICS_BUCKETS_MAX];
    uint32_t count;
    int64_t divisor;
};

extern const struct metrics_bounds metrics_request_ms_bounds; /* Kafka's times have no finer ones */
extern const struct metrics_bounds metrics_latency_us_bounds;
extern const struct metrics_bounds metrics_recovery_us_bounds;
extern const struct metrics_bounds metrics_requests_bounds; /* requests per batch */

struct metrics_histogram {
    const struct metrics_bounds *bounds;
    _Atomic int64_t counts[METRICS_BUCKETS_MAX + 1]; /* the last: above all bounds */
    _Atomic int64_t sum;
};

/* Shown in seconds. */
struct metrics_time {
    _Atomic int64_t ms;
};

/* The result of a cache update. */
enum metrics_cache_result {
    METRICS_CACHE_WRITTEN = 0,
    METRICS_CACHE_STALE, /* Redis already has the same or a newer revision or epoch */
    METRICS_CACHE_GAP, /* Redis lacks the revision that the update builds on: a full one follows */
    METRICS_CACHE_DROPPED, /* the connection was lost before it was sent: it is put again */
    METRICS_CACHE_FAILED,
    METRICS_CACHE_RESULT_COUNT,
};

enum metrics_dependency {
    METRICS_KAFKA = 0,
    METRICS_POSTGRES,
    METRICS_REDIS,
    METRICS_DEPENDENCY_COUNT,
};

enum metrics_dependency_state {
    METRICS_UNSEEN = 0,
    METRICS_DOWN,
    METRICS_UP,
};

/* Rows kept in memory, which may be evicted. */
enum metrics_kind {
    METRICS_RESOURCES = 0,
    METRICS_BOOKINGS,
    METRICS_IDS,
    METRICS_KIND_COUNT,
};

/* The states of a unit. */
enum metrics_unit_state {
    METRICS_UNITS_FREE = 0,
    METRICS_UNITS_HELD,
    METRICS_UNITS_SOLD,
    METRICS_UNITS_BLOCKED,
    METRICS_UNIT_STATE_COUNT,
};

/* How much of it is kept; bytes are estimated. `units` have a number, `by_state` are all. */
struct metrics_kept {
    int64_t resources, bookings, ids, units, bytes;
    int64_t by_state[METRICS_UNIT_STATE_COUNT];
};

/*
 * Which resources requests were refused for, and why: those that were refused last, the last one
 * first. The only rows of a partition that are not counters; under a lock, for the pages.
 */
enum {
    METRICS_REFUSED_ROWS = 64
};

struct metrics_refused {
    pthread_mutex_t lock;
    uint32_t count;
    struct metrics_refused_row {
        char resource[USHER_ID_MAX + 1];
        enum usher_reason reason;
        int64_t requests, since_ms, last_ms;
    } rows[METRICS_REFUSED_ROWS];
};

/* Of one partition: its rows of metrics.def, each a member by its name. */
struct metrics {
    int32_t partition;
    struct metrics *next;
    char shard[METRICS_SHARD_SIZE]; /* under the registry's lock; empty: unknown */
#define PARTITION_METRIC(name, kind, lines, help) _Atomic int64_t name;
#define PARTITION_METRICS(name, size, kind, lines, help) _Atomic int64_t name size;
#define PARTITION_TIME(name, help) struct metrics_time name;
#define PARTITION_HISTOGRAM(name, bounds, help) struct metrics_histogram name;
#include "worker/observe/metrics.def"
    struct metrics_refused refused;
};

/* Of the process. */
struct metrics_registry {
    const char *version;
    pthread_mutex_t lock;  /* of the list; parts are never removed from it */
    struct metrics *parts; /* by partition */
    _Atomic int64_t cache_writes[METRICS_CACHE_RESULT_COUNT];
    _Atomic int64_t dependencies[METRICS_DEPENDENCY_COUNT];
    _Atomic int64_t reconnects[METRICS_DEPENDENCY_COUNT];
#define WORKER_METRIC(name, kind, lines, help) _Atomic int64_t name;
#include "worker/observe/metrics.def"
};

/* ---- setting a metric by its name: always the same thread, so that no instruction locks ---- */

static inline int64_t metrics_get(const _Atomic int64_t *metric)
{
    return atomic_load_explicit(metric, memory_order_relaxed);
}

static inline void metrics_set(_Atomic int64_t *metric, int64_t value)
{
    atomic_store_explicit(metric, value, memory_order_relaxed);
}

static inline void metrics_add(_Atomic int64_t *metric, int64_t more)
{
    metrics_set(metric, metrics_get(metric) + more);
}

/* The value is in the unit of the bounds. */
void metrics_observe(struct metrics_histogram *histogram, int64_t value);

/* ---- the registry: any thread ---- */

/* Borrows the version of the program. Never NULL. */
struct metrics_registry *metrics_open(const char *version);

/*
 * In which of several databases a partition lives, if this worker ever had it; copies the name.
 * NULL: in none, or that is not known.
 */
void metrics_shard(struct metrics_registry *registry, int32_t partition, const char *name);

/* Frees it with every struct metrics in it. NULL is legal. */
void metrics_close(struct metrics_registry *registry);

/* Returns the part of a partition, created at the first call; valid until metrics_close. */
struct metrics *metrics_of(struct metrics_registry *registry, int32_t partition);

void metrics_cache_write(struct metrics_registry *registry, enum metrics_cache_result result);

/*
 * Records that a dependency answered or failed; the last call counts, and one that answers after it
 * failed is counted. Never called: not shown. One thread for each dependency.
 */
void metrics_dependency(struct metrics_registry *registry, enum metrics_dependency dependency,
                        bool up);

/* "kafka", …; static storage. */
const char *metrics_dependency_name(enum metrics_dependency dependency);

/* The state of a dependency. */
enum metrics_dependency_state metrics_dependency_state(const struct metrics_registry *registry,
                                                       enum metrics_dependency dependency);

/* ---- events that move several metrics of a partition: its allocator's thread only ---- */

/* A request was decided. */
void metrics_decision(struct metrics *metrics, enum usher_op op, enum usher_outcome outcome,
                      enum usher_reason reason);

/*
 * A request for a resource that there is was refused. Where no row is left, the one whose last
 * request is the oldest is given up.
 */
void metrics_refuse(struct metrics *metrics, const char *resource, enum usher_reason reason,
                    int64_t now_ms);

/* A request got the answer that it had before; it was counted by its outcome then. */
void metrics_repeat(struct metrics *metrics, enum usher_op op);

/* A decision was made that nobody asked for: a hold expired, a party was served, … */
void metrics_unrequested(struct metrics *metrics, enum usher_outcome outcome);

/* What the partition keeps in memory now. */
void metrics_keep(struct metrics *metrics, const struct metrics_kept *kept);

/* The partition was assigned to this worker, or revoked. */
void metrics_assigned(struct metrics *metrics, bool assigned);

#endif
