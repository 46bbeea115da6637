/*
 * A run of records in one array, moved to its front when the end is reached. PURE.
 */
#include "worker/partition/replay_buffer.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "producer/base/allocate.h"

void replay_buffer_init(struct replay_buffer *buffer, uint32_t capacity)
{
    *buffer = (struct replay_buffer){.capacity = capacity};
    buffer->records = memory_calloc(capacity, sizeof *buffer->records);
}

void replay_buffer_deinit(struct replay_buffer *buffer)
{
    free(buffer->records);
    *buffer = (struct replay_buffer){0};
}

uint32_t replay_buffer_room(struct replay_buffer *buffer, struct log_record **at)
{
    /* Moving only when less than half is left keeps the cost per record constant. */
    if (buffer->first > 0 && buffer->capacity - buffer->end < buffer->capacity / 2) {
        uint32_t count = buffer->end - buffer->first;
        memmove(buffer->records, buffer->records + buffer->first, count * sizeof *buffer->records);
        buffer->next -= buffer->first;
        buffer->end = count;
        buffer->first = 0;
    }
    *at = buffer->records + buffer->end;
    return buffer->capacity - buffer->end;
}

void replay_buffer_add(struct replay_buffer *buffer, uint32_t count)
{
    assert(count <= buffer->capacity - buffer->end);
    for (uint32_t i = 0; i < count; i++)
        buffer->bytes += log_record_size(&buffer->records[buffer->end + i]);
    buffer->end += count;
}

uint32_t replay_buffer_undecided(const struct replay_buffer *buffer, struct log_record **at)
{
    *at = buffer->records + buffer->next;
    return buffer->end - buffer->next;
}

void replay_buffer_mark_decided(struct replay_buffer *buffer, uint32_t count)
{
    assert(count <= buffer->end - buffer->next);
    buffer->next += count;
}

void replay_buffer_rewind(struct replay_buffer *buffer)
{
    buffer->next = buffer->first;
}

uint32_t replay_buffer_below(const struct replay_buffer *buffer, int64_t offset,
                             struct log_record **at)
{
    uint32_t count = 0;
    *at = buffer->records + buffer->first;
    while (buffer->first + count < buffer->end && (*at)[count].offset < offset)
        count++;
    return count;
}

void replay_buffer_drop(struct replay_buffer *buffer, uint32_t count)
{
    assert(count <= buffer->end - buffer->first);
    for (uint32_t i = 0; i < count; i++)
        buffer->bytes -= log_record_size(&buffer->records[buffer->first + i]);
    buffer->first += count;
    if (buffer->next < buffer->first)
        buffer->next = buffer->first;
}
