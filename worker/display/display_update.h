/*
 * An update for the cache: what of a resource is to be written, and the message for those who
 * follow it. It does not know what it is made from.
 */
#ifndef USHER_WORKER_DISPLAY_DISPLAY_UPDATE_H
#define USHER_WORKER_DISPLAY_DISPLAY_UPDATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "usher/memory.h"

struct catalogue;
struct picture;

struct display_field {
    const char *name, *value;
};

/* Characters of the seats string from `at` on. */
struct display_patch {
    uint32_t at, size;
    const char *text; /* not NUL-terminated */
};

/*
 * One resource's way from `from` to `rev`. All values are absolute, so it may be applied to any
 * picture of the same epoch whose rev lies in [from, rev]. With `from` 0 it is the whole picture
 * and replaces what is there. Self-contained; freed with display_update_free by whoever owns it.
 *
 * A whole picture of a large hall is megabytes of text, so display_next only copies what it needs
 * for it, and the thread that sends it has it written out: display_update_draw.
 */
struct display_update {
    int32_t partition, epoch;
    int64_t rev, from;
    int64_t shown_ms;
    int64_t resource_no;
    struct catalogue *catalogue; /* held: texts below may be its own */
    const char *resource;
    const char *layout;                 /* name of its layout; "": it has no seats */
    const struct display_field *fields; /* whole: all of the hash; else those that may change */
    uint32_t field_count;
    uint32_t seat_count;                 /* of the resource */
    const char *seats;                   /* of a whole picture, not NUL-terminated; NULL: none */
    const struct display_patch *patches; /* of a change */
    uint32_t patch_count;
    const struct display_field *pools; /* whole: all; else those that may have changed */
    uint32_t pool_count;
    uint32_t pool_total; /* pools of the resource */
    const char *message; /* JSON for the channel of the resource */
    size_t message_size;
    const char *overview; /* JSON for the channel of all resources */
    size_t overview_size;

    /* Of a whole picture: what it sells, and where it is listed. */
    const char *catalogue_json;
    size_t catalogue_json_size;
    bool listed; /* not a draft */
    const char *kind, *state;
    int64_t starts_ms; /* 0: unknown */

    size_t size;              /* bytes of all of it once drawn, about: for the bounds of queues */
    struct picture *undrawn;  /* a whole picture to be drawn: no fields nor texts yet; else NULL */
    struct usher_arena arena; /* owns all of the above */

    /* For the cache, and when it gives the update back. */
    uint64_t session; /* of the cache, that it was made for */
    struct display_update *next;
    bool gap; /* it lacks what this one starts from: nothing was written */
};

/* Frees an update. NULL is legal. */
void display_update_free(struct display_update *update);

#endif
