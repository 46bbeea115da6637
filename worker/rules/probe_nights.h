/*
 * The page of a probe, and the room types on it. PURE.
 */
#ifndef USHER_WORKER_RULES_PROBE_NIGHTS_H
#define USHER_WORKER_RULES_PROBE_NIGHTS_H

#include "worker/rules/decision.h"

enum {
    PROBE_SIZE_MAX = 400000, /* bytes of pools per answer, about */
    PROBE_ROOM_SIZE = 80     /* bytes of a room type at most, without its name, nights and rates */
};

struct probe_page {
    struct decision *decision;
    struct usher_pool_status *pools;
    uint32_t count;
    size_t size;
    const char *next; /* where the next page begins; not NULL: this one is full */
};

static inline const struct resource *probe_resource(const struct probe_page *page)
{
    return page->decision->resource;
}

static inline struct usher_arena *probe_arena(const struct probe_page *page)
{
    return &page->decision->batch->arena;
}

/* Adds the nights [from, to) of a room type, as many as fit. */
void probe_add_room(struct probe_page *page, const struct pool_name *name, int32_t from,
                    int32_t to);

/* Adds all nights of it, from the first to the last one on sale. */
void probe_add_all_nights(struct probe_page *page, const struct pool_name *name);

#endif
