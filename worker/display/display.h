/*
 * What readers are shown of one partition: updates drawn from the resources in memory, when each is
 * put, and how far the cache has acknowledged them. PURE: no clock, no I/O. It knows nothing of
 * Redis, only of the words of the contract (states, counts, seats as one character each,
 * revisions).
 *
 * A resource is drawn when memory equals its committed state, or will: when the batch that
 * changed it is sealed, and the update is kept until that batch is committed; or later, once all
 * that changed it is. Content is a function of (resource, rev). A batch that fails takes memory
 * with it, and what was drawn: display_reset.
 *
 * In the allocator's loop:
 *     after a takeover                display_reset(display, inventory, epoch, seq)
 *     for each sealed batch           display_seal(display, batch, …)
 *     for each committed batch        display_committed(display, batch)
 *     when a resource is evicted      display_evict(display, resource)
 *     whenever there is time
 *         while ((update = display_next(display, now_ms)) && cache->put(cache->self, update))
 *             display_taken(display)
 *     when the cache is done with one display_acknowledge(display, update)
 *     when the cache may have lost    display_suspend(display), and display_resume(display) once
 *     something                       it is known what has to be put again
 */
#ifndef USHER_WORKER_DISPLAY_DISPLAY_H
#define USHER_WORKER_DISPLAY_DISPLAY_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "producer/base/list.h"
#include "worker/display/display_update.h"
#include "worker/inventory/inventory.h"
#include "worker/inventory/resource.h"
#include "worker/model/batch.h"
#include "worker/model/rows.h"

struct display;

enum {
    /*
     * A resource is put at most once in 50 ms; where so many change that more than 5 puts a
     * millisecond would be due, each less often: a put costs as much as a booking, and Redis is one
     * thread for all partitions. At most 10 s apart: what people look at must not be minutes old.
     */
    DISPLAY_INTERVAL_MS = 50,
    DISPLAY_INTERVAL_MAX_MS = 10000,
    DISPLAY_PUTS_PER_MS = 5,

    /* Where so much waits for a commit or the cache, nothing more is drawn ahead. */
    DISPLAY_AHEAD_MAX = 1024,
    DISPLAY_AHEAD_BYTES_MAX = 4 << 20
};

/* Returns an empty display of a partition. Never NULL. */
struct display *display_open(int32_t partition);

/* NULL is legal. */
void display_close(struct display *display);

/*
 * Drops everything, also updates not put yet; later changes are of this epoch, and decided after
 * `seq`. Resources are drawn from `inventory`, which is borrowed; NULL: there is none. Suspended
 * until display_resume.
 */
void display_reset(struct display *display, struct inventory *inventory, int32_t epoch,
                   int64_t seq);

/*
 * A batch was sealed: its changed resources are to be put. Draws those that do not rest, while at
 * most `ahead` updates wait to be taken. `now_ms` is the batch clock.
 */
void display_seal(struct display *display, const struct batch *batch, int64_t now_ms,
                  uint32_t ahead);

/* The oldest of these batches is known to be committed, and the inventory knows it. */
void display_committed(struct display *display, const struct batch *batch);

/*
 * A resource was evicted, and is as it was in memory: what was not yet put of it is drawn, to be
 * put when its turn comes. While the display is suspended it goes at once: whoever resumes it has
 * it put from the database.
 */
void display_evict(struct display *display, struct resource *resource);

/* Resources that were evicted and whose updates the cache has not taken; a large one counts as
 * many. */
uint32_t display_evicted_count(const struct display *display);

/* Drops them: what decisions after display_watermark changed is to be put from the database. */
void display_drop_evicted(struct display *display);

/*
 * Returns the next update that is due, or NULL. It is the display's, and returned again, until
 * display_taken. No resource has two updates under way.
 */
struct display_update *display_next(struct display *display, int64_t now_ms);

/* The cache took the update that display_next returned. It may be gone. */
void display_taken(struct display *display);

/* The cache had no room for it: it is offered again in a moment. */
void display_held_back(struct display *display);

/*
 * The cache is done with an update, in the order in which it took them: its resource is as the
 * update says, or later; or, with `gap`, is put whole again. False: that is to be done from the
 * database, the resource is in memory no more. One of before display_reset is ignored, even under
 * the same epoch: PostgreSQL may have been restored meanwhile.
 */
bool display_acknowledge(struct display *display, const struct display_update *update);

/*
 * The cache may have lost anything that it took: updates in flight count as not put, and the next
 * update of every resource is whole. Evicted resources that only waited for it are dropped. Nothing
 * is put until display_resume.
 */
void display_suspend(struct display *display);

void display_resume(struct display *display);

/*
 * Puts a resource whole once more, though it did not change. False: it is not in memory, and is
 * given to display_renew_loaded, as the database has it.
 */
bool display_renew(struct display *display, int64_t resource_no);

/* Draws it. False: its rows are inconsistent, so that nothing can be shown of it. */
bool display_renew_loaded(struct display *display, const struct loaded_resource *loaded);

/* Resources given to display_renew_loaded and not yet acknowledged; a large one counts as many. */
uint32_t display_renewed_count(const struct display *display);

/*
 * Everything that decisions up to this seq changed was acknowledged at that rev or a later one, as
 * far as it changed since display_reset and nothing was suspended.
 */
int64_t display_watermark(const struct display *display);

/* From now on nothing rests: for the last look around, when the partition is left. */
void display_flush(struct display *display);

/*
 * Milliseconds until display_next may have something, or something is acknowledged; 0: now; -1:
 * nothing has changed, or it waits for a commit, or it is suspended.
 */
int64_t display_wait_ms(const struct display *display, int64_t now_ms);

/*
 * ==== Changes ====
 *
 * Changes that the cache has not acknowledged, in the order in which they were decided, and the
 * watermark below them. It does not know what changed, nor who acknowledges it.
 */

/* One resource's change, inside of what changed. Zero-initialise. */
struct display_change {
    struct list_node node;
    int64_t seq; /* nothing below it is missing in the cache for want of this change */
    bool listed;
};

/* Zero-initialise. */
struct display_changes {
    struct list list; /* by seq; the last ones may be of batches in flight */
    int64_t committed_seq;
};

/* Adds a change; its seq is not below that of any other. */
static inline void changes_add(struct display_changes *changes, struct display_change *change,
                               int64_t seq)
{
    struct list_node *newest = changes->list.newest;
    assert(!change->listed);
    assert(!newest || ENTRY_OF(newest, struct display_change, node)->seq <= seq);
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

/* Everything that committed decisions up to this seq changed was acknowledged. */
static inline int64_t changes_watermark(const struct display_changes *changes)
{
    struct list_node *oldest = changes->list.oldest;
    int64_t seq =
        oldest ? ENTRY_OF(oldest, struct display_change, node)->seq - 1 : changes->committed_seq;
    return seq < changes->committed_seq ? seq : changes->committed_seq;
}

#endif
