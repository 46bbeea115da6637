/*
 * Growing arrays: a pointer, a count and a limit that their owner keeps. PURE.
 */
#ifndef USHER_WORKER_BASE_ARRAY_H
#define USHER_WORKER_BASE_ARRAY_H

#include <stddef.h>
#include <stdint.h>

#include "producer/base/allocate.h"

/* Returns the array with room for one more than `count` members; where it grows, it doubles. */
static inline void *array_room(void *at, uint32_t count, uint32_t *limit, size_t size)
{
    if (count < *limit)
        return at;
    *limit = 2 * *limit + 4;
    return memory_realloc(at, *limit, size);
}

#endif
