/*
 * The monotonic clock, for timeouts and latencies, never for what is stored or decided; and the
 * clock of the wall, for people.
 */
#ifndef USHER_PRODUCER_BASE_CLOCK_H
#define USHER_PRODUCER_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline int64_t clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static inline int64_t clock_us(void)
{
    return clock_ns() / 1000;
}

static inline int64_t clock_ms(void)
{
    return clock_ns() / 1000000;
}

/* Milliseconds since 1970; it may be set back. */
static inline int64_t clock_wall_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

#endif
