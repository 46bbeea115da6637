/*
 * Counters, gauges and histograms: what is counted, and by which events; metrics_render.h has the
 * names. Kept in one registry, which main owns and passes along; no global. Each partition's part
 * is written by its allocator's thread alone, with relaxed atomics.
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

extern const struct metrics_bounds metrics_request_time_bounds; /* milliseconds, as seconds: Kafka's
                                                                   times have no finer ones */
extern const struct metrics_bounds metrics_latency_bounds;      /* microseconds, shown as seconds */
extern const struct metrics_bounds metrics_recovery_bounds;     /* microseconds, shown as seconds */
extern const struct metrics_bounds metrics_request_bounds;      /* requests per batch */

struct metrics_histogram {
    _Atomic int64_t counts[METRICS_BUCKETS_MAX + 1]; /* the last: above all bounds */
    _Atomic int64_t sum;
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

/* Of one partition. Written by the functions below only. */
struct metrics {
    int32_t partition;
    struct metrics *next;
    char shard[METRICS_SHARD_SIZE]; /* under the registry's lock; empty: unknown */

    _Atomic int64_t requests[USHER_OP_COUNT][USHER_OUTCOME_COUNT]; /* no outcome: repeats */
    _Atomic int64_t unrequested[USHER_OUTCOME_COUNT];
    _Atomic int64_t refusals[USHER_REASON_COUNT];
    _Atomic int64_t dead_letters[USHER_REASON_COUNT];
    _Atomic int64_t holds_expired, results_published, acquisitions, fenced;
    _Atomic int64_t request_bytes, unreadable, unexplained, unchecked;
    struct metrics_histogram request_wait, request_latency;
    struct metrics_histogram batch_requests, batch_load, batch_decide, batch_commit, batch_publish;
    struct metrics_histogram recovery;
    _Atomic int64_t assigned; /* 0 or 1 */
    _Atomic int64_t epoch, committed_offset, lag, retries, halted, oldest_pending_ms,
        outbox_pending, display_lag, open_transaction_ms, append_ahead_ms, clock_ahead_ms;
    _Atomic int64_t kept_resources, kept_bookings, kept_ids, kept_units, kept_bytes;
    _Atomic int64_t evicted[METRICS_KIND_COUNT];
    _Atomic int64_t units[METRICS_UNIT_STATE_COUNT];
    _Atomic int64_t holds_open, parties_waiting;
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
    _Atomic int64_t partition_count;
    _Atomic int64_t mixed_carts; /* negative: not known */
    _Atomic int64_t memory_max, memory_free, memory_tight;
};

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

/* How many partitions there are, whoever owns them. */
void metrics_partitions(struct metrics_registry *registry, int32_t count);

/* Carts that are sold in a part; negative: not known. */
void metrics_mixed_carts(struct metrics_registry *registry, int64_t count);

/*
 * The memory that the process may use and uses, in bytes, and whether partitions keep less for it.
 */
void metrics_memory(struct metrics_registry *registry, int64_t max, int64_t used, bool tight);

/* ---- a partition's part: its allocator's thread only ---- */

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

/* Records were taken from the log, with so many bytes as unpacked; of `unreadable` none are known.
 */
void metrics_taken(struct metrics *metrics, size_t bytes, uint32_t unreadable);

/* Offsets of the log that were read over: nothing explains why, or that is not known. */
void metrics_gaps(struct metrics *metrics, int64_t unexplained, int64_t unchecked);

/* The time from a record's append to its decision. */
void metrics_request_wait(struct metrics *metrics, int64_t wait_ms);

/* A batch of `requests` records is committed; the duration of each step. */
void metrics_batch(struct metrics *metrics, uint32_t requests, int64_t load_us, int64_t decide_us,
                   int64_t commit_us);

/* All answers of a batch are delivered, `publish_us` after its commit. */
void metrics_batch_published(struct metrics *metrics, int64_t publish_us);

/* An answer was delivered, `latency_ms` after its request was appended to the log. */
void metrics_request_latency(struct metrics *metrics, int64_t latency_ms);

/* Answers delivered since the last call. */
void metrics_published(struct metrics *metrics, uint32_t delivered);

/* Answers and dead letters still to be delivered: to be told also while Kafka takes none. */
void metrics_outbox(struct metrics *metrics, uint32_t pending);

/* A dead letter was stored: "malformed", "wrong_partition" or "internal" by the reason. */
void metrics_dead_letter(struct metrics *metrics, enum usher_reason reason);

/*
 * The position of the partition. `lag` is in messages. `oldest_pending_ms` is the append time of
 * the oldest record consumed and not answered yet, in milliseconds since 1970; 0: none.
 */
void metrics_position(struct metrics *metrics, int32_t epoch, int64_t next_offset, int64_t lag,
                      int64_t oldest_pending_ms);

/* What keeps a partition, or its time, from going on, and whether clocks agree. */
struct metrics_delays {
    int64_t open_transaction_ms; /* for how long one has kept requests from being read; 0: none */
    int64_t append_ahead_ms;     /* of Kafka's clock at the last append, to the database's clock; 0:
                                    none of late */
    int64_t clock_ahead_ms; /* of the last decision's time, to the database's clock; 0: it is not */
};

void metrics_delays(struct metrics *metrics, const struct metrics_delays *delays);

/* Decisions that Redis does not show yet. */
void metrics_display_lag(struct metrics *metrics, int64_t decisions);

/* Whether the partition is halted until an operator intervenes: alert on it. */
void metrics_halted(struct metrics *metrics, bool halted);

/* Failures in a row since anything succeeded; 0: the partition gets on. */
void metrics_retries(struct metrics *metrics, int64_t failures);

/* What the partition keeps in memory now, and how much more of a kind was evicted. */
void metrics_keep(struct metrics *metrics, const struct metrics_kept *kept);
void metrics_evict(struct metrics *metrics, enum metrics_kind kind, uint32_t count);

/* Holds that are open, and parties that wait, of all that the database has; negative: unknown. */
void metrics_open_bookings(struct metrics *metrics, int64_t holds, int64_t parties);

/* The partition was assigned to this worker, or revoked. */
void metrics_assigned(struct metrics *metrics, bool assigned);

/* The partition was acquired, for the first time or after a failure. */
void metrics_acquired(struct metrics *metrics);

/* Another worker owns the partition now. */
void metrics_fenced(struct metrics *metrics);

/* A takeover, or a recovery after an error, was complete after this time. */
void metrics_recovery(struct metrics *metrics, int64_t recovery_us);

#endif
