/* Waits and joins with a deadline: see thread.h. */
#include "producer/base/thread.h"

#include <errno.h>
#include <time.h>

#include "producer/base/clock.h"

void thread_condition_init(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

/* A time of the monotonic clock. */
static struct timespec timespec_of(int64_t ms)
{
    return (struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
}

bool thread_wait(pthread_cond_t *condition, pthread_mutex_t *lock, int64_t deadline_ms)
{
    const struct timespec deadline = timespec_of(deadline_ms);
    return pthread_cond_timedwait(condition, lock, &deadline) != ETIMEDOUT;
}

bool thread_join(pthread_t thread, int64_t timeout_ms)
{
    const struct timespec deadline = timespec_of(clock_ms() + timeout_ms);
    return pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, &deadline) == 0;
}
