/*
 * The fields of an update: the hash, and the pools.
 */
#ifndef USHER_WORKER_DISPLAY_DISPLAY_FIELDS_H
#define USHER_WORKER_DISPLAY_DISPLAY_FIELDS_H

#include "worker/display/display_picture.h"
#include "worker/display/display_update.h"

/* What kind of resource it is: seats, standing, rooms, stock, mixed. */
const char *update_kind(const struct catalogue *catalogue);

/* Parts of an update: the hash, by its `from`, and what is to be put of the pools. */
void update_set_fields(struct display_update *update, const struct picture *picture);
void update_set_all_pools(struct display_update *update, const struct picture *picture);
void update_set_changed_pools(struct display_update *update, const struct picture *picture);

#endif
