/*
 * A run of records in one array, moved to its front when the end is reached. PURE.
 */
#include "worker/partition/replay_buffer.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void kept_init(struct kept *kept, uint32_t capacity)
{
    *kept = (struct kept){.capacity = capacity};
    kept->records = calloc(capacity, sizeof *kept->records);
    assert(kept->records);
}

void kept_deinit(struct kept *kept)
{
    free(kept->records);
    *kept = (struct kept){0};
}

uint32_t kept_room(struct kept *kept, struct log_record **at)
{
    /* Moving only when less than half is left keeps the cost a record constant. */
    if (kept->first > 0 && kept->capacity - kept->end < kept->capacity / 2) {
        uint32_t count = kept->end - kept->first;
        memmove(kept->records, kept->records + kept->first, count * sizeof *kept->records);
        kept->next -= kept->first;
        kept->end = count;
        kept->first = 0;
    }
    *at = kept->records + kept->end;
    return kept->capacity - kept->end;
}

void kept_add(struct kept *kept, uint32_t count)
{
    assert(count <= kept->capacity - kept->end);
    for (uint32_t i = 0; i < count; i++)
        kept->bytes += log_record_size(&kept->records[kept->end + i]);
    kept->end += count;
}

uint32_t kept_undecided(const struct kept *kept, struct log_record **at)
{
    *at = kept->records + kept->next;
    return kept->end - kept->next;
}

void kept_decided(struct kept *kept, uint32_t count)
{
    assert(count <= kept->end - kept->next);
    kept->next += count;
}

void kept_rewind(struct kept *kept)
{
    kept->next = kept->first;
}

uint32_t kept_below(const struct kept *kept, int64_t offset, struct log_record **at)
{
    uint32_t count = 0;
    *at = kept->records + kept->first;
    while (kept->first + count < kept->end && (*at)[count].offset < offset)
        count++;
    return count;
}

void kept_came_before(struct kept *kept, int64_t appended_ms)
{
    if (appended_ms > kept->log_ms)
        kept->log_ms = appended_ms;
}

void kept_drop(struct kept *kept, uint32_t count)
{
    assert(count <= kept->end - kept->first);
    for (uint32_t i = 0; i < count; i++)
        kept->bytes -= log_record_size(&kept->records[kept->first + i]);
    for (uint32_t i = 0; i < count; i++)
        kept_came_before(kept, kept->records[kept->first + i].appended_ms);
    kept->first += count;
    if (kept->next < kept->first)
        kept->next = kept->first;
}
