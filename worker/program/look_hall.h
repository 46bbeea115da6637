/* The hall of a resource for the commands that look around: its layout, and where in it a seat is.
 */
#ifndef USHER_WORKER_PROGRAM_LOOK_HALL_H
#define USHER_WORKER_PROGRAM_LOOK_HALL_H

#include "usher/message.h"
#include "worker/program/look.h"

struct look_hall {
    const struct usher_section *sections; /* those with rows; in looking->arena */
    uint32_t section_count;               /* 0: no hall, or no such resource */
};

/* Statuses of pg_views_ask. */
USHER_MUST_CHECK enum usher_status look_hall_read(struct looking *looking, const char *resource,
                                                  struct look_hall *hall, struct usher_error *err);

/* Finds a seat by its name, as it is printed. False: there is none. `unit` counts row by row. */
bool look_hall_find(const struct look_hall *hall, const char *seat, const char **section,
                    uint32_t *unit);

#endif
