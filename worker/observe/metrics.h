/*
 * Counters, gauges and histograms, by the names of the contract, and their Prometheus text. Kept
 * in one registry, which main owns and passes along; no global. Each partition's part is written
 * by its allocator's thread alone, with relaxed atomics, and read by whoever renders the text.
 *
 * A partition's part stays when the partition is lost, since counters must not go back; it is
 * found again when the partition comes back.
 */
#ifndef USHER_WORKER_OBSERVE_METRICS_H
#define USHER_WORKER_OBSERVE_METRICS_H

#include <stdbool.h>
#include <stdint.h>

#include "usher/memory.h"
#include "usher/message.h"

struct metrics;          /* of one partition */
struct metrics_registry; /* of the process */

/* ---- the registry: any thread ---- */

/* Never NULL. */
struct metrics_registry *metrics_open(void);

/* NULL is legal. Every struct metrics of it is gone, too. */
void metrics_close(struct metrics_registry *registry);

/* The part of a partition, made when it is asked for first; valid until metrics_close. */
struct metrics *metrics_of(struct metrics_registry *registry, int32_t partition);

/* Appends all of it in the Prometheus text format, version 0.0.4. */
void metrics_render(struct metrics_registry *registry, struct usher_buffer *out);

/* What became of an update for the cache. */
enum metrics_cache_result {
    METRICS_CACHE_WRITTEN = 0,
    METRICS_CACHE_STALE,   /* Redis has the same or newer already, or a newer owner's */
    METRICS_CACHE_GAP,     /* Redis lacks what the update starts from: it is written whole */
    METRICS_CACHE_DROPPED, /* Redis is away */
    METRICS_CACHE_HEALED,  /* differed from PostgreSQL and was written anew */
    METRICS_CACHE_FAILED,
    METRICS_CACHE_RESULT_COUNT,
};

enum metrics_dependency {
    METRICS_KAFKA = 0,
    METRICS_POSTGRES,
    METRICS_REDIS,
    METRICS_DEPENDENCY_COUNT,
};

void metrics_cache_write(struct metrics_registry *registry, enum metrics_cache_result result);

/* Whoever sees a dependency fail or answer says so; the last word counts. Unsaid: not shown. */
void metrics_dependency(struct metrics_registry *registry, enum metrics_dependency dependency,
                        bool up);

/* Differences between Redis and PostgreSQL that the last sweep of this worker found. */
void metrics_reconcile_differences(struct metrics_registry *registry, int64_t count);

/* ---- a partition's part: its allocator's thread only ---- */

/* One request decided, or one unasked decision (op of the request that made the booking). */
void metrics_decision(struct metrics *metrics, enum usher_op op, enum usher_outcome outcome,
                      enum usher_reason reason);

/* From a record's append time to its decision. */
void metrics_request_wait(struct metrics *metrics, int64_t wait_ms);

/* A batch of `requests` records is known to be committed; the time that each step took. */
void metrics_batch(struct metrics *metrics, uint32_t requests, int64_t load_us, int64_t decide_us,
                   int64_t commit_us);

/* All answers of a batch are delivered, `publish_us` after its commit was known. */
void metrics_batch_published(struct metrics *metrics, int64_t publish_us);

/* An answer was delivered, `latency_us` after its request was appended to the log. */
void metrics_latency_us(struct metrics *metrics, int64_t latency_us);

/* Answers delivered since the last call, and those that are still to be. */
void metrics_published(struct metrics *metrics, uint32_t delivered, uint32_t pending);

/* A dead letter was stored: "malformed", "wrong_partition" or "internal" by the reason. */
void metrics_dead_letter(struct metrics *metrics, enum usher_reason reason);

/*
 * Where the partition stands. `lag` is in messages. `oldest_pending_ms` is the append time of the
 * oldest record that was taken and not yet answered, in milliseconds since 1970; 0: none.
 */
void metrics_position(struct metrics *metrics, int32_t epoch, int64_t next_offset, int64_t lag,
                      int64_t oldest_pending_ms);

/* Whether the partition waits for a person: alarm on it. */
void metrics_halted(struct metrics *metrics, bool halted);

/* The partition was assigned to this worker, or is not any more. */
void metrics_assigned(struct metrics *metrics, bool assigned);

/* Somebody else owns the partition now. */
void metrics_fenced(struct metrics *metrics);

/* A take-over, or a recovery after an error, reached ACTIVE after this time. */
void metrics_recovery(struct metrics *metrics, int64_t recovery_us);

#endif
