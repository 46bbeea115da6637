/*
 * The monotonic clock, in microseconds.
 */
#ifndef CLOCK_US_H
#define CLOCK_US_H

#include <stdint.h>
#include <time.h>

static inline int64_t clock_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

#endif
