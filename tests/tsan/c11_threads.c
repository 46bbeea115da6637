/*
 * Threads and locks of C11 on those of POSIX, for builds under the thread sanitizer: it knows only
 * the latter, and librdkafka uses the former, so that it would crash at the first thread and see a
 * race wherever librdkafka holds a lock. Programs that define these names give them to librdkafka
 * too. And the one call of POSIX that the sanitizer does not know, on one that it does.
 */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>

/* The C library has both kinds of objects in one shape. */
_Static_assert(sizeof(mtx_t) >= sizeof(pthread_mutex_t), "a lock of POSIX in the place of C11's");
_Static_assert(sizeof(cnd_t) >= sizeof(pthread_cond_t), "a condition likewise");

/* Libraries that are not built for the sanitizer: their atomic operations are not seen. */
const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void)
{
    return "race:librdkafka.so\n"
           "race:libcrypto.so\n";
}

static pthread_mutex_t *mutex(mtx_t *lock)
{
    return (pthread_mutex_t *)(void *)lock;
}

static pthread_cond_t *condition(cnd_t *news)
{
    return (pthread_cond_t *)(void *)news;
}

static int status(int error)
{
    switch (error) {
    case 0:
        return thrd_success;
    case EBUSY:
        return thrd_busy;
    case ETIMEDOUT:
        return thrd_timedout;
    case ENOMEM:
        return thrd_nomem;
    default:
        return thrd_error;
    }
}

/* ---- threads ---- */

struct start {
    thrd_start_t run;
    void *argument;
};

static void *run(void *context)
{
    struct start start = *(struct start *)context;
    free(context);
    return (void *)(intptr_t)start.run(start.argument);
}

int thrd_create(thrd_t *thread, thrd_start_t function, void *argument)
{
    struct start *start = malloc(sizeof *start);
    if (!start)
        return thrd_nomem;
    *start = (struct start){function, argument};
    int error = pthread_create(thread, NULL, run, start);
    if (error != 0)
        free(start);
    return status(error);
}

int thrd_join(thrd_t thread, int *result)
{
    void *value;
    int error = pthread_join(thread, &value);
    if (error == 0 && result)
        *result = (int)(intptr_t)value;
    return status(error);
}

int pthread_clockjoin_np(pthread_t thread, void **result, clockid_t clock,
                         const struct timespec *until)
{
    enum {
        NS_PER_S = 1000000000
    };
    struct timespec now, wall;
    clock_gettime(clock, &now);
    clock_gettime(CLOCK_REALTIME, &wall);
    wall.tv_sec += until->tv_sec - now.tv_sec;
    wall.tv_nsec += until->tv_nsec - now.tv_nsec;
    wall.tv_sec += wall.tv_nsec < 0 ? -1 : wall.tv_nsec / NS_PER_S;
    wall.tv_nsec = (wall.tv_nsec + NS_PER_S) % NS_PER_S;
    return pthread_timedjoin_np(thread, result, &wall);
}

/* ---- locks ---- */

int mtx_init(mtx_t *lock, int type)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    if (((unsigned)type & (unsigned)mtx_recursive) != 0)
        pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    int error = pthread_mutex_init(mutex(lock), &attributes);
    pthread_mutexattr_destroy(&attributes);
    return status(error);
}

int mtx_lock(mtx_t *lock)
{
    return status(pthread_mutex_lock(mutex(lock)));
}

int mtx_trylock(mtx_t *lock)
{
    return status(pthread_mutex_trylock(mutex(lock)));
}

int mtx_timedlock(mtx_t *restrict lock, const struct timespec *restrict until)
{
    return status(pthread_mutex_timedlock(mutex(lock), until));
}

int mtx_unlock(mtx_t *lock)
{
    return status(pthread_mutex_unlock(mutex(lock)));
}

void mtx_destroy(mtx_t *lock)
{
    pthread_mutex_destroy(mutex(lock));
}

/* ---- conditions ---- */

int cnd_init(cnd_t *news)
{
    return status(pthread_cond_init(condition(news), NULL));
}

int cnd_signal(cnd_t *news)
{
    return status(pthread_cond_signal(condition(news)));
}

int cnd_broadcast(cnd_t *news)
{
    return status(pthread_cond_broadcast(condition(news)));
}

int cnd_wait(cnd_t *news, mtx_t *lock)
{
    return status(pthread_cond_wait(condition(news), mutex(lock)));
}

int cnd_timedwait(cnd_t *restrict news, mtx_t *restrict lock, const struct timespec *restrict until)
{
    return status(pthread_cond_timedwait(condition(news), mutex(lock), until));
}

void cnd_destroy(cnd_t *news)
{
    pthread_cond_destroy(condition(news));
}
