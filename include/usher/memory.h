/*
 * Two kinds of memory for the codec. An arena has many small pieces, all freed at once. A buffer is
 * one growing run of bytes. The process aborts when it runs out of memory, because a single writer
 * could do nothing else that is safe.
 */
#ifndef USHER_MEMORY_H
#define USHER_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "usher/status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct usher_arena_block;

/* Zero-initialise to make an empty one. Blocks are kept over a reset and used again. */
struct usher_arena {
    struct usher_arena_block *first;
    struct usher_arena_block *current;
    size_t used; /* bytes used of the current block */
};

/* Returns `size` zeroed bytes, aligned for any type, valid until reset or deinit. Never NULL. */
void *usher_arena_alloc(struct usher_arena *arena, size_t size);

/* The same without the zeros: its content is undefined. */
void *usher_arena_room(struct usher_arena *arena, size_t size);

/* Copies `size` bytes and adds a NUL. Valid until reset or deinit. */
char *usher_arena_text(struct usher_arena *arena, const char *text, size_t size);

/* A decimal number as text. Valid until reset or deinit. */
char *usher_arena_number(struct usher_arena *arena, int64_t number);

/* printf into the arena. */
char *usher_arena_format(struct usher_arena *arena, const char *format, ...) USHER_PRINTF(2, 3);

/* Frees all allocations at once. Keeps up to 4 MiB of blocks for reuse. */
void usher_arena_reset(struct usher_arena *arena);

/* Frees the blocks. The arena is empty and usable again. */
void usher_arena_deinit(struct usher_arena *arena);

/* Zero-initialise to make an empty one. `at` is not NUL-terminated. */
struct usher_buffer {
    char *at;
    size_t size;
    size_t capacity;
};

/* Makes room for `more` bytes after `size` and returns where they go. The caller adds to size. */
char *usher_buffer_reserve(struct usher_buffer *buffer, size_t more);

void usher_buffer_append(struct usher_buffer *buffer, const void *bytes, size_t size);

/* Appends text up to its NUL. */
void usher_buffer_text(struct usher_buffer *buffer, const char *text);

/* Appends a decimal number. */
void usher_buffer_number(struct usher_buffer *buffer, int64_t number);

/* Appends text as a JSON string, with quotes, escaped where needed. NULL gives null. */
void usher_buffer_json_string(struct usher_buffer *buffer, const char *text);

/* Frees the bytes. The buffer is empty and usable again. */
void usher_buffer_deinit(struct usher_buffer *buffer);

#ifdef __cplusplus
}
#endif
#endif
