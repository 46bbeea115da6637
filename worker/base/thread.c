/* Waits and joins with a deadline: see thread.h. */
#include "worker/base/thread.h"

#include <errno.h>
#include <time.h>

void thread_condition_init(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

bool thread_wait(pthread_cond_t *condition, pthread_mutex_t *lock, int64_t deadline_ms)
{
    const struct timespec deadline = {
        .tv_sec = deadline_ms / 1000,
        .tv_nsec = deadline_ms % 1000 * 1000000,
    };
    return pthread_cond_timedwait(condition, lock, &deadline) != ETIMEDOUT;
}

bool thread_join(pthread_t thread, int64_t timeout_ms)
{
    struct timespec deadline;
    clock_gettime(CLOCK_MONOTONIC, &deadline);
    int64_t ns = deadline.tv_nsec + timeout_ms % 1000 * 1000000;
    deadline.tv_sec += timeout_ms / 1000 + ns / 1000000000;
    deadline.tv_nsec = ns % 1000000000;
    return pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, &deadline) == 0;
}
