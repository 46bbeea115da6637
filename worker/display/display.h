/*
 * What dashboards see of one partition: the committed picture of its warm resources, the updates
 * that carry it to the cache, and how far the cache has acknowledged them. PURE: no clock, no I/O.
 * It knows nothing of Redis, only of the words of the contract (states, counts, seats as one
 * character each, revisions).
 *
 * The picture holds committed state only: it is loaded with what the database said, moved by
 * batches that are known to be committed, and redrawn from memory after the catalogue changed.
 * Content is a function of (resource, rev): two pictures of one rev are equal.
 *
 * In the allocator's loop:
 *     after a takeover                display_reset(display, epoch, seq)
 *     for each loaded resource        display_load(display, &loaded, catalogue)
 *     for each committed batch        display_apply(display, batch), then, for each of its
 *                                     resource_changes with `redraw`, display_draw(display, …) of
 * display.h when a resource is evicted      display_forget(display, no) whenever there is time
 * while ((update = display_next(display, now_ms))) if (!cache->put(cache->self, update)) {
 *                                             display_put_back(display, update);
 *                                             break;
 *                                         }
 *     when the cache is done with one display_acknowledge(display, update)
 *     when the cache may have lost    display_suspend(display), and display_resume(display) once
 *     something                       it is known what has to be put again
 */
#ifndef USHER_WORKER_DISPLAY_DISPLAY_H
#define USHER_WORKER_DISPLAY_DISPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "worker/display/display_picture.h"
#include "worker/inventory/resource.h"
#include "worker/model/batch.h"
#include "worker/model/rows.h"

struct catalogue;
struct display;
struct picture;

enum {
    /*
     * A resource is put at most once in 50 ms; where so many change that more than 5 puts a
     * millisecond would be due, each less often: a put costs as much as a booking, and Redis is one
     * thread for all partitions. At most 10 s apart: what people look at must not be minutes old.
     */
    DISPLAY_INTERVAL_MS = 50,
    DISPLAY_INTERVAL_MAX_MS = 10000,
    DISPLAY_PUTS_PER_MS = 5
};

/* Returns an empty display of a partition. Never NULL. */
struct display *display_open(int32_t partition);

/* NULL is legal. */
void display_close(struct display *display);

/*
 * Forgets everything, also what was not put yet; what comes is of this epoch, and decided after
 * `seq`. Suspended until display_resume.
 */
void display_reset(struct display *display, int32_t epoch, int64_t seq);

/*
 * Takes up a resource that was just loaded (committed state; nothing in flight touches it). It is
 * not put until it changes. One that is known already at the same rev stays as it is. `catalogue`
 * is that of the resource in memory at the same rev, and is shared; NULL: it is made from `loaded`.
 */
void display_load(struct display *display, const struct loaded_resource *loaded,
                  struct catalogue *catalogue);

/*
 * Redraws a resource that will be put whole; for display_draw, from its row and its catalogue.
 * Returns the picture; more units may be put into it before anything else is done.
 */
struct picture *display_drawn(struct display *display, const struct loaded_resource *loaded,
                              struct catalogue *catalogue);

/*
 * Applies a batch that is known to be committed. Every resource that it changed must have been
 * loaded before, but for those with `redraw`, which the caller draws next.
 */
void display_apply(struct display *display, const struct batch *batch);

/*
 * A resource was evicted from memory. If it has changes that were not acknowledged, it goes after
 * them; of a suspended display at once: whoever resumes it has them put from the database.
 */
void display_forget(struct display *display, int64_t resource_no);

/* Resources that were evicted and are only here to be put, not counting those under way; a large
 * one counts as many. */
uint32_t display_evicted_count(const struct display *display);

/* Drops them: what decisions after display_watermark changed is to be put from the database. */
void display_drop_evicted(struct display *display);

/*
 * Returns the next update that is due, owned by the caller, or NULL. `now_ms` is the batch clock.
 * No resource has two updates under way.
 */
struct display_update *display_next(struct display *display, int64_t now_ms);

/* Gives back an update that the cache had no room for: display_next returns it again. */
void display_put_back(struct display *display, struct display_update *update);

/*
 * The cache is done with an update, in the order in which it took them: its resource is as the
 * update says, or later; or, with `gap`, is put whole again. One of an earlier epoch is ignored.
 */
void display_acknowledge(struct display *display, const struct display_update *update);

/*
 * The cache may have lost anything that it took: what is under way counts as not put, and the next
 * update of every resource is whole. What was evicted and waited only for it goes. Nothing is put
 * until display_resume.
 */
void display_suspend(struct display *display);

void display_resume(struct display *display);

/*
 * Puts a resource whole once more, though it did not change. False: it is not known, and is given
 * to display_renew_loaded, as the database has it, to go when it was put.
 */
bool display_renew(struct display *display, int64_t resource_no);

/* Takes it in. False: its rows are inconsistent, so that nothing can be shown of it. */
bool display_renew_loaded(struct display *display, const struct loaded_resource *loaded);

/* Resources given to display_renew_loaded that were not yet put; a large one counts as many. */
uint32_t display_renewed_count(const struct display *display);

/*
 * Everything that decisions up to this seq changed was acknowledged at that rev or a later one, as
 * far as it changed since display_reset and nothing was suspended.
 */
int64_t display_watermark(const struct display *display);

/* From now on nothing rests: for the last look around, when the partition is left. */
void display_hasten(struct display *display);

/*
 * Milliseconds until display_next may have something, or something is acknowledged; 0: now; -1:
 * nothing has changed, or it is suspended.
 */
int64_t display_wait_ms(const struct display *display, int64_t now_ms);

/*
 * ==== Drawing ====
 *
 * Draws a resource from memory: the one place where the display looks into the inventory.
 */

/*
 * Redraws a resource from memory, which must be committed (batch.redraws): new ones, and those
 * whose catalogue or state changed. It will be put whole.
 */
void display_draw(struct display *display, const struct resource *resource);

#endif
