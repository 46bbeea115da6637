/*
 * An update for the cache: what of a resource is to be written, and the message for those who
 * follow it. Drawn from the resource in memory, by the thread that owns that; written out later, by
 * the thread that sends it. PURE: it knows no Redis, only the words of the contract.
 */
#ifndef USHER_WORKER_DISPLAY_DISPLAY_UPDATE_H
#define USHER_WORKER_DISPLAY_DISPLAY_UPDATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "usher/memory.h"
#include "worker/inventory/resource.h"
#include "worker/inventory/shared_catalogue.h"
#include "worker/model/rows.h"

struct display_field {
    const char *name, *value;
};

/* Characters of the seats string from `at` on. */
struct display_patch {
    uint32_t at, size;
    const char *text; /* not NUL-terminated */
};

/* Units of a pool, as they are shown. */
struct display_pool {
    uint32_t index; /* in the catalogue */
    uint32_t free;  /* what can be sold */
    struct unit_counts taken;
};

/* What was drawn and not yet written out. */
struct display_snapshot {
    int64_t catalogue_rev; /* as of which the catalogue was put */
    enum usher_sale_state state;
    uint32_t waiting;                  /* parties on its waiting list */
    int64_t free, held, sold, blocked; /* over all pools; `free` can be sold */
    struct display_pool *pools;        /* whole: all on sale; else those that may have changed */
    uint32_t pool_count;
};

/*
 * One resource's way from `from` to `rev`. All values are absolute, so it may be applied to what is
 * shown of the same epoch with a rev in [from, rev]. With `from` 0 it is whole and replaces what is
 * there. Self-contained; freed with display_update_free by whoever owns it.
 */
struct display_update {
    int32_t partition, epoch;
    uint64_t ownership; /* of the display that had it put */
    int64_t rev, from;
    int64_t shown_ms;
    int64_t resource_no;
    struct catalogue *catalogue; /* held: texts below may be its own */
    const char *resource;
    const char *layout;                  /* name of its layout; "": it has no seats */
    uint32_t seat_count;                 /* of the resource */
    const char *seats;                   /* of a whole one, not NUL-terminated; NULL: none */
    const struct display_patch *patches; /* of a change */
    uint32_t patch_count;
    uint32_t pool_total; /* pools of the resource */
    int64_t takings;     /* in minor units of its currency */

    /* Once it is written out. */
    const struct display_field *fields; /* whole: all of the hash; else those that may change */
    uint32_t field_count;
    const struct display_field *pools; /* whole: all; else those that may have changed */
    uint32_t pool_count;
    const char *message; /* JSON for the channel of the resource */
    size_t message_size;
    const char *overview; /* JSON for the channel of all resources */
    size_t overview_size;

    /* Of a whole one, then: what it sells, and where it is listed. */
    const char *catalogue_json;
    size_t catalogue_json_size;
    bool listed; /* not a draft */
    const char *kind, *state;
    int64_t starts_ms; /* 0: unknown */

    size_t size; /* bytes of all of it once it is written out, about: for the bounds of queues */
    const struct display_snapshot *snapshot; /* NULL: it is written out */
    struct usher_arena arena;                /* owns all of the above */

    /* For the cache, and when it gives the update back. */
    uint64_t session; /* of the cache, that it was made for */
    struct display_update *next;
    bool gap; /* it lacks what this one starts from: nothing was written */
};

/*
 * Draws a resource as it is in memory: all of it with `from` 0, else what was noted since it was
 * drawn last, as of `from`. Forgets what was noted. `catalogue_rev` is that of the whole update
 * with which the catalogue is put. Owned by the caller.
 */
struct display_update *display_update_snapshot(struct resource *resource, int32_t partition,
                                               int32_t epoch, int64_t from, int64_t catalogue_rev);

/* Frees an update. NULL is legal. */
void display_update_free(struct display_update *update);

/*
 * Writes out what was drawn; what was written out already stays as it is. Any thread that owns the
 * update.
 */
void display_update_render(struct display_update *update);

/*
 * Appends the layout of a resource that has seats: written with the update only where the cache
 * lacks it.
 */
void display_update_render_layout(const struct display_update *update, struct usher_buffer *out);

/*
 * Draws all of a resource as the database has it. Borrows `loaded` during the call. NULL: its rows
 * contradict each other.
 */
struct display_update *display_update_snapshot_loaded(const struct loaded_resource *loaded,
                                                      int32_t partition, int32_t epoch);

/* The same, written out: for those that heal, rebuild and compare. */
struct display_update *display_whole(const struct loaded_resource *loaded, int32_t partition,
                                     int32_t epoch, int64_t now_ms);

#endif
