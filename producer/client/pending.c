/* The messages in flight: a chained hash table and a list by age. */
#include "producer/client/pending.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "producer/base/allocate.h"

enum {
    BLOCK_ENTRIES = 256,
    BUCKETS_AT_FIRST = 1024
};

/* Entries never move, since librdkafka holds pointers to them: blocks are added, not grown. */
struct pending_block {
    struct pending_block *next;
    struct pending_entry entries[BLOCK_ENTRIES];
};

static void add_block(struct pending *pending)
{
    struct pending_block *block = memory_calloc(1, sizeof *block);
    block->next = pending->blocks;
    pending->blocks = block;
    for (size_t i = BLOCK_ENTRIES; i-- > 0;) {
        block->entries[i].next = pending->free;
        pending->free = &block->entries[i];
    }
}

struct pending_entry *pending_add(struct pending *pending)
{
    if (!pending->free)
        add_block(pending);
    struct pending_entry *entry = pending->free;
    pending->free = entry->next;
    *entry = (struct pending_entry){0};
    pending->count++;
    return entry;
}

/* ---- buckets ---- */

/* FNV-1a: ids differ in their last characters, which it spreads over all bits. */
static uint64_t hash_bytes(uint64_t hash, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(1099511628211);
    return hash;
}

static struct pending_entry **bucket_of(const struct pending *pending, const char *id,
                                        size_t id_size)
{
    uint64_t hash = hash_bytes(UINT64_C(14695981039346656037), id, id_size);
    hash ^= hash >> 32;
    return &pending->buckets[hash & (pending->bucket_count - 1)];
}

static void append(struct pending_entry **bucket, struct pending_entry *entry)
{
    while (*bucket)
        bucket = &(*bucket)->next;
    entry->next = NULL;
    *bucket = entry;
}

/* Rehashes all waiting entries in order of age, so that the oldest of equal ones stays first. */
static void grow_buckets(struct pending *pending)
{
    free(pending->buckets);
    pending->bucket_count =
        pending->bucket_count == 0 ? BUCKETS_AT_FIRST : pending->bucket_count * 4;
    pending->buckets = memory_calloc(pending->bucket_count, sizeof(struct pending_entry *));
    for (struct pending_entry *entry = pending->oldest; entry; entry = entry->newer)
        append(bucket_of(pending, entry->id, entry->id_size), entry);
}

/* ---- waiting ---- */

void pending_await(struct pending *pending, struct pending_entry *entry, const char *id,
                   const char *resource)
{
    size_t id_size = strlen(id), resource_size = strlen(resource);
    assert(!entry->waiting && id_size <= sizeof entry->id &&
           resource_size <= sizeof entry->resource);
    if (pending->waiting_count >= pending->bucket_count)
        grow_buckets(pending);
    memcpy(entry->id, id, id_size);
    memcpy(entry->resource, resource, resource_size);
    entry->id_size = (uint8_t)id_size;
    entry->resource_size = (uint8_t)resource_size;
    entry->waiting = true;
    entry->older = pending->newest;
    entry->newer = NULL;
    if (!pending->newest)
        pending->oldest = entry;
    else
        pending->newest->newer = entry;
    pending->newest = entry;
    pending->waiting_count++;
    append(bucket_of(pending, id, id_size), entry);
}

struct pending_entry *pending_find(const struct pending *pending, const char *id, size_t id_size,
                                   const char *resource, size_t resource_size)
{
    struct pending_entry *entry =
        pending->bucket_count == 0 ? NULL : *bucket_of(pending, id, id_size);
    for (; entry; entry = entry->next)
        if (entry->id_size == id_size && entry->resource_size == resource_size &&
            memcmp(entry->id, id, id_size) == 0 &&
            memcmp(entry->resource, resource, resource_size) == 0)
            return entry;
    return NULL;
}

void pending_settle(struct pending *pending, struct pending_entry *entry)
{
    assert(entry->waiting);
    struct pending_entry **at = bucket_of(pending, entry->id, entry->id_size);
    while (*at != entry)
        at = &(*at)->next;
    *at = entry->next;
    if (!entry->older)
        pending->oldest = entry->newer;
    else
        entry->older->newer = entry->newer;
    if (!entry->newer)
        pending->newest = entry->older;
    else
        entry->newer->older = entry->older;
    entry->waiting = false;
    pending->waiting_count--;
}

void pending_remove(struct pending *pending, struct pending_entry *entry)
{
    assert(!entry->waiting);
    entry->next = pending->free;
    pending->free = entry;
    pending->count--;
}

void pending_deinit(struct pending *pending)
{
    while (pending->blocks) {
        struct pending_block *block = pending->blocks;
        pending->blocks = block->next;
        free(block);
    }
    free(pending->buckets);
    *pending = (struct pending){0};
}
