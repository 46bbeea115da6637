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
    for (size_t i = CHUNK_COUNT; i-- > 0;)
        slab_free(slab, chunk->bytes + i * slab->size);
}

void *slab_alloc(struct slab *slab)
{
    if (!slab->free)
        add_chunk(slab);
    struct slab_free *at = slab->free;
    slab->free = at->next;
    return memset(at, 0, slab->size);
}

void slab_free(struct slab *slab, void *at)
{
    struct slab_free *free_one = at;
    free_one->next = slab->free;
    slab->free = free_one;
}

void slab_deinit(struct slab *slab)
{
    for (struct slab_chunk *chunk = slab->chunks, *next; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    slab->chunks = NULL;
    slab->free = NULL;
}
