/*
 * Structs of one size, made in chunks and used again: no allocation for each. PURE.
 */
#ifndef USHER_WORKER_BASE_SLAB_H
#define USHER_WORKER_BASE_SLAB_H

#include <stddef.h>

struct slab_chunk;
struct slab_free;

struct slab {
    size_t size; /* of one struct; set it, the rest is zero */
    struct slab_chunk *chunks;
    struct slab_free *free;
    size_t chunk_count, free_count;
    size_t free_before; /* as many were free after the last slab_shrink */
};

/* Returns a zeroed struct, valid until slab_free or slab_deinit. Never NULL. */
void *slab_alloc(struct slab *slab);

void slab_free(struct slab *slab, void *at);

/*
 * Gives back the chunks of which everything is free, if an eighth of all became free since the last
 * time: it goes through all that is free.
 */
void slab_shrink(struct slab *slab);

/* Frees all of them. The slab is empty and usable again. */
void slab_deinit(struct slab *slab);

#endif
