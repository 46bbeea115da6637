/*
 * Makes Redis equal to PostgreSQL again, on a thread of its own: all resources of the partitions
 * that this worker holds, one at a time, at once where that was asked for, else slowly over and
 * over. It takes its content from the database alone and writes it by the guarded script, so it
 * can neither disturb a decision nor push anything back. Inside of the redis_ files.
 */
#ifndef USHER_WORKER_REDIS_HEAL_H
#define USHER_WORKER_REDIS_HEAL_H

#include <stdint.h>

#include "redis_cache.h"

struct redis_heal;

/* Starts the thread. Borrows what the settings point to. Never NULL. */
struct redis_heal *redis_heal_open(const struct redis_cache_settings *settings);

/*
 * Any thread, never waits for I/O. `held`: the partition gave a sign of life under this epoch; a
 * new one is compared at once. `all`: Redis may have lost anything. `resource`: Redis lacks it.
 */
void redis_heal_held(struct redis_heal *heal, int32_t partition, int32_t epoch);
void redis_heal_all(struct redis_heal *heal);
void redis_heal_resource(struct redis_heal *heal, int64_t resource_no);

/*
 * Stops the thread and frees all. False: it was stuck for longer than `timeout_ms` and is left
 * behind, for a process that is about to end. NULL is legal.
 */
bool redis_heal_close(struct redis_heal *heal, int timeout_ms);

#endif
