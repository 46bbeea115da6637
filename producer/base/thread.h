/*
 * Threads and conditions with a deadline by the monotonic clock: a join gives up on a thread that
 * hangs. Knows nothing of what the threads do.
 */
#ifndef USHER_PRODUCER_BASE_THREAD_H
#define USHER_PRODUCER_BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Initialises a condition for thread_wait. Destroy it with pthread_cond_destroy. */
void thread_condition_init(pthread_cond_t *condition);

/*
 * Waits, with `lock` held, until the condition is signalled or the monotonic clock (clock_ms)
 * reads `deadline_ms`; may also wake for no reason. False: the deadline has passed.
 */
bool thread_wait(pthread_cond_t *condition, pthread_mutex_t *lock, int64_t deadline_ms);

/*
 * Waits up to timeout_ms until the thread ends, and joins it. False: it still runs, so whatever it
 * uses must be left alone.
 */
bool thread_join(pthread_t thread, int64_t timeout_ms);

#endif
