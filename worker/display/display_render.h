/*
 * Turns a picture, or what was changed of it, into an update: the fields of its hash, its pools,
 * and the message for those who follow. PURE.
 */
#ifndef USHER_WORKER_DISPLAY_DISPLAY_RENDER_H
#define USHER_WORKER_DISPLAY_DISPLAY_RENDER_H

#include <stdint.h>

#include "worker/display/display_picture.h"
#include "worker/model/rows.h"

/*
 * An update with all of it, or with what was changed since `from`. Owned by the caller. Brings what
 * can be sold up to date first.
 */
struct display_update *update_whole(struct picture *picture, int32_t partition, int32_t epoch,
                                    int64_t now_ms);

struct display_update *update_change(struct picture *picture, int32_t partition, int32_t epoch,
                                     int64_t from, int64_t now_ms);

/*
 * Writes out a whole picture; must come before anything but `resource`, `from`, `rev`, `epoch` and
 * `size` is looked at. Whatever was drawn already, and a change, stays as it is. Any thread that
 * owns the update.
 */
void display_update_draw(struct display_update *update);

/*
 * Appends the layout of a resource that has seats: written with the update only where the cache
 * lacks it.
 */
void display_update_draw_layout(const struct display_update *update, struct usher_buffer *out);

/*
 * Returns the whole picture of one resource as the database has it, drawn, to be freed by the
 * caller: for those that heal, rebuild and compare. Borrows `loaded` during the call. NULL: its
 * rows contradict each other.
 */
struct display_update *display_whole(const struct loaded_resource *loaded, int32_t partition,
                                     int32_t epoch, int64_t now_ms);

#endif
