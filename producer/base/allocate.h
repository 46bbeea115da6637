/*
 * Memory for the whole project, by one policy: a process that runs out of memory says "out of
 * memory: could not allocate N bytes" on stderr and aborts. There is nothing that a single
 * writer could safely do instead, and what it had not committed is processed again after a
 * restart. None of these returns NULL, not even for nothing; what they return is freed by
 * free(). The only callers of malloc and its kin; arenas and buffers are built on them.
 */
#ifndef USHER_PRODUCER_BASE_ALLOCATE_H
#define USHER_PRODUCER_BASE_ALLOCATE_H

#include <stddef.h>

#define ALLOCATES(...) __attribute__((warn_unused_result, returns_nonnull, alloc_size(__VA_ARGS__)))

/* Allocates `size` bytes; what is in them is undefined. */
void *memory_alloc(size_t size) ALLOCATES(1);

/* Allocates an array of `count` members of `size` bytes each, all zero. */
void *memory_calloc(size_t count, size_t size) ALLOCATES(1, 2);

/* Grows or shrinks an array to `count` members of `size` bytes. Takes `at` (may be NULL). */
void *memory_realloc(void *at, size_t count, size_t size) ALLOCATES(2, 3);

#undef ALLOCATES

#endif
