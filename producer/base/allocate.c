/*
 * Allocates memory for the whole project, under one policy: a process that runs out of memory says
 * "out of memory: could not allocate N bytes" on stderr and aborts. There is nothing that a single
 * writer could safely do instead, and what it had not committed is processed again after a restart.
 * None of these returns NULL, not even for nothing; what they return goes back by free(). The only
 * callers of malloc and its kin.
 */
#include "producer/base/allocate.h"

#include <assert.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "usher/memory.h"

/* ==== Allocation ==== */

/*
 * Aborts like the others: for a size that cannot be expressed, or a library that returned NULL.
 */
static _Noreturn void memory_exhausted(size_t size)
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

/* ==== Arenas and buffers ==== */

enum {
    BLOCK_SIZE_MIN = 1024, /* doubled by each next one; many arenas hold little */
    BUFFER_SIZE_MIN = 256,
};

static const size_t KEPT_SIZE_MAX = (size_t)4 * 1024 * 1024;

struct usher_arena_block {
    struct usher_arena_block *next;
    size_t capacity;
    _Alignas(max_align_t) unsigned char bytes[];
};

static struct usher_arena_block *block_open(size_t capacity)
{
    if (capacity > SIZE_MAX - sizeof(struct usher_arena_block))
        memory_exhausted(SIZE_MAX);
    struct usher_arena_block *block = memory_alloc(sizeof *block + capacity);
    block->next = NULL;
    block->capacity = capacity;
    return block;
}

/* Makes a block with room for `size` the current one: the next if it is large enough, else new. */
static void block_advance(struct usher_arena *arena, size_t size)
{
    struct usher_arena_block *current = arena->current;
    struct usher_arena_block *next = current ? current->next : arena->first;
    if (!next || next->capacity < size) {
        size_t capacity = current ? 2 * current->capacity : BLOCK_SIZE_MIN;
        struct usher_arena_block *block = block_open(capacity > size ? capacity : size);
        block->next = next;
        next = block;
        if (!current)
            arena->first = block;
        else
            current->next = block;
    }
    arena->current = next;
    arena->used = 0;
}

static unsigned char *arena_take(struct usher_arena *arena, size_t size, size_t alignment)
{
    size_t start = (arena->used + alignment - 1) & ~(alignment - 1);
    if (!arena->current || start > arena->current->capacity ||
        size > arena->current->capacity - start) {
        block_advance(arena, size);
        start = 0;
    }
    arena->used = start + size;
    return arena->current->bytes + start;
}

void *usher_arena_room(struct usher_arena *arena, size_t size)
{
    return arena_take(arena, size, _Alignof(max_align_t));
}

void *usher_arena_alloc(struct usher_arena *arena, size_t size)
{
    return memset(usher_arena_room(arena, size), 0, size);
}

char *usher_arena_text(struct usher_arena *arena, const char *text, size_t size)
{
    char *copy = (char *)arena_take(arena, size + 1, 1);
    if (size > 0)
        memcpy(copy, text, size);
    copy[size] = '\0';
    return copy;
}

enum {
    DIGITS_MAX = 20 /* of an int64_t, with its sign */
};

/* Writes a number so that it ends where the digits end; returns how many characters it has. */
static size_t write_digits(int64_t number, char digits[DIGITS_MAX])
{
    size_t start = DIGITS_MAX;
    uint64_t rest = number < 0 ? 0U - (uint64_t)number : (uint64_t)number;
    do {
        digits[--start] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (number < 0)
        digits[--start] = '-';
    return DIGITS_MAX - start;
}

char *usher_arena_number(struct usher_arena *arena, int64_t number)
{
    char digits[DIGITS_MAX];
    size_t size = write_digits(number, digits);
    return usher_arena_text(arena, digits + DIGITS_MAX - size, size);
}

char *usher_arena_format(struct usher_arena *arena, const char *format, ...)
{
    size_t room = arena->current ? arena->current->capacity - arena->used : 0;
    char *text = room == 0 ? NULL : (char *)arena->current->bytes + arena->used;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, room, format, arguments);
    va_end(arguments);
    assert(length >= 0);

    size_t size = (size_t)length + 1;
    text = (char *)arena_take(arena, size, 1);
    if (size <= room)
        return text; /* where it was tried is where it goes */
    va_start(arguments, format);
    (void)vsnprintf(text, size, format, arguments);
    va_end(arguments);
    return text;
}

static void blocks_close(struct usher_arena_block *block)
{
    while (block) {
        struct usher_arena_block *next = block->next;
        free(block);
        block = next;
    }
}

void usher_arena_reset(struct usher_arena *arena)
{
    size_t kept = 0;
    struct usher_arena_block **link = &arena->first;
    while (*link && kept + (*link)->capacity <= KEPT_SIZE_MAX) {
        kept += (*link)->capacity;
        link = &(*link)->next;
    }
    blocks_close(*link);
    *link = NULL;
    arena->current = arena->first;
    arena->used = 0;
}

void usher_arena_deinit(struct usher_arena *arena)
{
    blocks_close(arena->first);
    *arena = (struct usher_arena){NULL, NULL, 0};
}

static void buffer_grow(struct usher_buffer *buffer, size_t more)
{
    if (more > SIZE_MAX / 2 - buffer->size)
        memory_exhausted(SIZE_MAX);
    size_t capacity = 2 * buffer->capacity;
    if (capacity < buffer->size + more)
        capacity = buffer->size + more;
    if (capacity < BUFFER_SIZE_MIN)
        capacity = BUFFER_SIZE_MIN;
    buffer->at = memory_realloc(buffer->at, capacity, 1);
    buffer->capacity = capacity;
}

/* Without a call where there is room: a request and its answer are some sixty appends. */
static inline char *reserve(struct usher_buffer *buffer, size_t more)
{
    if (!buffer->at || more > buffer->capacity - buffer->size)
        buffer_grow(buffer, more);
    return buffer->at + buffer->size;
}

char *usher_buffer_reserve(struct usher_buffer *buffer, size_t more)
{
    return reserve(buffer, more);
}

static inline void append(struct usher_buffer *buffer, const void *bytes, size_t size)
{
    if (size == 0)
        return;
    memcpy(reserve(buffer, size), bytes, size);
    buffer->size += size;
}

void usher_buffer_append(struct usher_buffer *buffer, const void *bytes, size_t size)
{
    append(buffer, bytes, size);
}

void usher_buffer_text(struct usher_buffer *buffer, const char *text)
{
    append(buffer, text, strlen(text));
}

void usher_buffer_number(struct usher_buffer *buffer, int64_t number)
{
    char digits[DIGITS_MAX];
    size_t size = write_digits(number, digits);
    append(buffer, digits + DIGITS_MAX - size, size);
}

/* Escapes a byte that a JSON string may not contain; returns the end. */
static char *json_escape(char *to, unsigned char byte)
{
    static const char digits[] = "0123456789abcdef";
    *to++ = '\\';
    if (byte == '"' || byte == '\\') {
        *to++ = (char)byte;
        return to;
    }
    memcpy(to, "u00", 3);
    to[3] = digits[byte >> 4];
    to[4] = digits[byte & 15];
    return to + 5;
}

void usher_buffer_json_string(struct usher_buffer *buffer, const char *text)
{
    if (!text) {
        usher_buffer_append(buffer, "null", 4);
        return;
    }
    /* Reserves the worst case: every byte an escape of six. */
    char *start = reserve(buffer, 6 * strlen(text) + 2);
    char *to = start;
    *to++ = '"';
    for (const char *at = text; *at != '\0'; at++) {
        unsigned char byte = (unsigned char)*at;
        if (byte < 0x20 || byte == '"' || byte == '\\')
            to = json_escape(to, byte);
        else
            *to++ = *at;
    }
    *to++ = '"';
    buffer->size += (size_t)(to - start);
}

void usher_buffer_deinit(struct usher_buffer *buffer)
{
    free(buffer->at);
    *buffer = (struct usher_buffer){NULL, 0, 0};
}
