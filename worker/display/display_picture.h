/*
 * The committed picture of one resource: its pools' counts and a character for each seat, and
 * what of it changed since it was last put; the update that carries it, and the changes that are
 * not acknowledged. PURE; inside of the display, not for others.
 */
#ifndef USHER_WORKER_DISPLAY_DISPLAY_PICTURE_H
#define USHER_WORKER_DISPLAY_DISPLAY_PICTURE_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "usher/memory.h"
#include "worker/base/list.h"
#include "worker/inventory/sellable.h"
#include "worker/inventory/shared_catalogue.h"
#include "worker/model/batch.h"
#include "worker/model/rows.h"

struct catalogue;

/* What a unit is shown as; its character is that of PICTURE_CHARACTERS. */
enum picture_state {
    PICTURE_FREE = 0,
    PICTURE_HELD,
    PICTURE_SOLD,
    PICTURE_BLOCKED,
    PICTURE_STATE_COUNT
};

struct picture_pool {
    uint32_t counts[PICTURE_STATE_COUNT]; /* of units, by what they are shown as */
    bool changed;
};

struct picture {
    struct catalogue *catalogue; /* held */
    int64_t rev;
    int64_t catalogue_rev;               /* as of which the catalogue was put; 0: not yet */
    uint32_t waiting;                    /* parties on its waiting list */
    enum usher_sale_state state;         /* changes without another catalogue */
    int64_t counts[PICTURE_STATE_COUNT]; /* over all pools */
    struct picture_pool *pools;
    char *seats;
    struct sellable sellable; /* of the free units, under the quotas; see picture_offer */

    /* What was changed (touched, even if it is as before) since the last take. */
    uint64_t *seats_changed;       /* a bit a seat */
    uint32_t word_first, word_end; /* the words of it that may have bits */
    uint32_t *pools_changed;       /* indexes, each once */
    uint32_t pools_changed_count;

    void *memory; /* owns pools, seats and what was changed */
};

/*
 * Draws the row and the units of `loaded` with the catalogue of the resource in memory, which is
 * held once more; NULL: with that of `loaded`.
 */
void picture_init(struct picture *picture, const struct loaded_resource *loaded,
                  struct catalogue *catalogue);

void picture_deinit(struct picture *picture);

/* Brings what can be sold up to date with what is free. Before it is copied or shown. */
void picture_offer(struct picture *picture);

/* Returns how many units of a pool, and of all pools together, can be sold. */
uint32_t picture_free(const struct picture *picture, uint32_t pool);

int64_t picture_free_in_all(const struct picture *picture);

/* Copies what it shows, not what was changed, into the arena; the catalogue is borrowed. */
struct picture *picture_copy(const struct picture *picture, struct usher_arena *arena);

/* Moves one numbered unit of it; its `from` must be what the picture shows. */
void picture_move(struct picture *picture, const struct unit_change *change);

/* Sets how many units are taken of a pool that shows no seats. */
void picture_set_counts(struct picture *picture, uint32_t pool, struct unit_counts taken);

/* Forgets what was changed: it was put. */
void picture_settle(struct picture *picture);

/*
 * ==== Updates ====
 *
 * An update for the cache: what of a resource is to be written, and the message for those who
 * follow it. It does not know what it is made from.
 */

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

/*
 * ==== Changes ====
 *
 * Changes that the cache has not acknowledged, in the order in which they were decided, and the
 * watermark below them. PURE: it does not know what changed, nor who acknowledges it.
 */

/* One resource's change, inside of what changed. Zero-initialise. */
struct display_change {
    struct list_node node;
    int64_t seq; /* nothing below it is missing in the cache for want of this change */
    bool listed;
};

/* Zero-initialise. */
struct display_changes {
    struct list list;    /* by seq */
    int64_t applied_seq; /* all decisions up to it were applied */
};

/* Adds a change; its seq is not below that of any other. */
static inline void changes_add(struct display_changes *changes, struct display_change *change,
                               int64_t seq)
{
    assert(!change->listed);
    change->seq = seq;
    change->listed = true;
    list_add(&changes->list, &change->node);
}

/* Removes one that is listed. */
static inline void changes_remove(struct display_changes *changes, struct display_change *change)
{
    assert(change->listed);
    list_remove(&changes->list, &change->node);
    change->listed = false;
}

/* Gives the place of one that is listed to another one that is not. */
static inline void changes_replace(struct display_changes *changes, struct display_change *old,
                                   struct display_change *change)
{
    assert(old->listed && !change->listed);
    change->seq = old->seq;
    change->listed = true;
    old->listed = false;
    list_replace(&changes->list, &old->node, &change->node);
}

/* Everything that decisions up to this seq changed was acknowledged. */
static inline int64_t changes_watermark(const struct display_changes *changes)
{
    struct list_node *oldest = changes->list.oldest;
    return oldest ? ENTRY_OF(oldest, struct display_change, node)->seq - 1 : changes->applied_seq;
}

#endif
