/*
 * Chunks of equal structs and a list of the free ones, linked through themselves. PURE.
 */
#include "worker/base/slab.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "producer/base/allocate.h"

enum {
    CHUNK_COUNT = 256 /* structs in a chunk */
};

struct slab_chunk {
    struct slab_chunk *next;
    _Alignas(max_align_t) unsigned char bytes[];
};

struct slab_free {
    struct slab_free *next;
};

static void add_chunk(struct slab *slab)
{
    assert(slab->size >= sizeof(struct slab_free) && slab->size % sizeof(void *) == 0);
    struct slab_chunk *chunk = memory_alloc(sizeof *chunk + CHUNK_COUNT * slab->size);
    chunk->next = slab->chunks;
    slab->chunks = chunk;
    slab->chunk_count++;
    for (size_t i = CHUNK_COUNT; i-- > 0;)
        slab_free(slab, chunk->bytes + i * slab->size);
}

void *slab_alloc(struct slab *slab)
{
    if (!slab->free)
        add_chunk(slab);
    struct slab_free *at = slab->free;
    slab->free = at->next;
    slab->free_count--;
    return memset(at, 0, slab->size);
}

void slab_free(struct slab *slab, void *at)
{
    struct slab_free *free_one = at;
    free_one->next = slab->free;
    slab->free = free_one;
    slab->free_count++;
}

/* ---- giving back ---- */

/* A chunk, and how many of its structs are free. */
struct occupancy {
    struct slab_chunk *chunk;
    size_t free_count;
};

static int compare_chunks(const void *a, const void *b)
{
    const struct occupancy *left = a;
    const struct occupancy *right = b;
    return (left->chunk > right->chunk) - (left->chunk < right->chunk);
}

/* The last chunk that begins before the struct. */
static struct occupancy *chunk_of(struct occupancy *chunks, size_t count, const void *at)
{
    size_t low = 0;
    while (count - low > 1) {
        size_t middle = low + (count - low) / 2;
        if ((const void *)chunks[middle].chunk < at)
            low = middle;
        else
            count = middle;
    }
    return &chunks[low];
}

/* Takes those of chunks that are to go out of the list of the free ones. */
static void forget_free(struct slab *slab, struct occupancy *chunks, size_t count)
{
    struct slab_free **link = &slab->free;
    while (*link) {
        if (chunk_of(chunks, count, *link)->free_count < CHUNK_COUNT) {
            link = &(*link)->next;
            continue;
        }
        *link = (*link)->next;
        slab->free_count--;
    }
}

static void free_chunks(struct slab *slab, const struct occupancy *chunks, size_t count)
{
    slab->chunks = NULL;
    slab->chunk_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (chunks[i].free_count == CHUNK_COUNT) {
            free(chunks[i].chunk);
            continue;
        }
        chunks[i].chunk->next = slab->chunks;
        slab->chunks = chunks[i].chunk;
        slab->chunk_count++;
    }
}

void slab_shrink(struct slab *slab)
{
    size_t count = 0;
    if (slab->free_count < slab->free_before)
        slab->free_before = slab->free_count;
    if ((slab->free_count - slab->free_before) * 8 < slab->chunk_count * CHUNK_COUNT ||
        slab->free_count < CHUNK_COUNT)
        return;
    struct occupancy *chunks = memory_calloc(slab->chunk_count, sizeof *chunks);
    for (struct slab_chunk *chunk = slab->chunks; chunk; chunk = chunk->next)
        chunks[count++].chunk = chunk;
    qsort(chunks, count, sizeof *chunks, compare_chunks);
    for (const struct slab_free *at = slab->free; at; at = at->next)
        chunk_of(chunks, count, at)->free_count++;
    forget_free(slab, chunks, count);
    free_chunks(slab, chunks, count);
    free(chunks);
    slab->free_before = slab->free_count;
}

void slab_deinit(struct slab *slab)
{
    for (struct slab_chunk *chunk = slab->chunks, *next; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    *slab = (struct slab){.size = slab->size};
}
