/* The only file that asks the C library for memory, and what happens when there is none. */
#include "producer/base/allocate.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

_Noreturn void memory_exhausted(size_t size)
{
    (void)fprintf(stderr, "out of memory: could not allocate %zu bytes\n", size);
    abort();
}

/* malloc(0) may return NULL, which is no lack of memory. */
static size_t at_least_one(size_t size)
{
    return size > 0 ? size : 1;
}

void *memory_alloc(size_t size)
{
    void *at = malloc(at_least_one(size));
    if (!at)
        memory_exhausted(size);
    return at;
}

/* The product in bytes; one that overflows cannot be allocated. */
static size_t array_size(size_t count, size_t size)
{
    if (size > 0 && count > SIZE_MAX / size)
        memory_exhausted(SIZE_MAX);
    return count * size;
}

void *memory_calloc(size_t count, size_t size)
{
    size_t total = array_size(count, size);
    void *at = calloc(1, at_least_one(total));
    if (!at)
        memory_exhausted(total);
    return at;
}

void *memory_realloc(void *at, size_t count, size_t size)
{
    size_t total = array_size(count, size);
    void *moved = realloc(at, at_least_one(total));
    if (!moved)
        memory_exhausted(total);
    return moved;
}
