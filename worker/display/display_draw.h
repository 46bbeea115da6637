/*
 * Draws a resource from memory: the one place where the display looks into the inventory.
 */
#ifndef USHER_WORKER_DISPLAY_DISPLAY_DRAW_H
#define USHER_WORKER_DISPLAY_DISPLAY_DRAW_H

#include "worker/display/display.h"
#include "worker/inventory/resource.h"

/*
 * Redraws a resource from memory, which must be committed (batch.redraws): new ones, and those
 * whose catalogue or state changed. It will be put whole.
 */
void display_draw(struct display *display, const struct resource *resource);

#endif
