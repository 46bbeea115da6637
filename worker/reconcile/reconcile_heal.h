/*
 * Makes Redis equal to PostgreSQL again while a worker runs, on a thread of its own: all resources
 * of the partitions that it holds, one at a time, at once after a take-over or a loss, else slowly
 * over and over (sweep). It takes its content from the database alone and writes it by the guarded
 * script, so it can neither disturb a decision nor push anything back.
 */
#ifndef USHER_WORKER_RECONCILE_RECONCILE_HEAL_H
#define USHER_WORKER_RECONCILE_RECONCILE_HEAL_H

#include <stdint.h>

#include "worker/postgres/pg_settings.h"
#include "worker/redis/redis_cache.h"

struct metrics_registry;
struct reconcile_heal;

/* Zero-initialise, then set. What it points to is borrowed until reconcile_heal_close. */
struct reconcile_heal_settings {
    const char *redis;        /* as struct redis_cache_settings; NULL: there is nothing to heal */
    const char *redis_prefix; /* NULL: "usher" */
    const struct pg_settings *postgres;
    int64_t sweep_interval_ms;        /* from one comparison of a partition to the next; 0: 60 s */
    struct metrics_registry *metrics; /* NULL: none are kept */
};

/*
 * Starts the thread and fills `healer`, for the cache. With settings->redis NULL it returns NULL,
 * and the healer does nothing.
 */
struct reconcile_heal *reconcile_heal_open(const struct reconcile_heal_settings *settings,
                                           struct cache_healer *healer);

/*
 * Stops the thread and frees all; the cache must be closed. One that is stuck for longer than
 * `timeout_ms` is left behind, for a process that is about to end. NULL is legal.
 */
void reconcile_heal_close(struct reconcile_heal *heal, int timeout_ms);

#endif
