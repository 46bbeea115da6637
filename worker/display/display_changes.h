/*
 * Changes that the cache has not acknowledged, in the order in which they were decided, and the
 * watermark below them. PURE: it does not know what changed, nor who acknowledges it.
 */
#ifndef USHER_WORKER_DISPLAY_DISPLAY_CHANGES_H
#define USHER_WORKER_DISPLAY_DISPLAY_CHANGES_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "worker/base/list.h"

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
