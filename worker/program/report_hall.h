/* The hall of a resource: its layout, and the position of a seat in it. */
#ifndef USHER_WORKER_PROGRAM_REPORT_HALL_H
#define USHER_WORKER_PROGRAM_REPORT_HALL_H

#include <stdbool.h>
#include <stdint.h>

#include "usher/message.h"
#include "worker/program/report.h"

struct report_hall {
    const struct usher_section *sections; /* those with rows; in report->arena */
    uint32_t section_count;               /* 0: no hall, or no such resource */
};

/* Statuses of pg_views_ask. */
USHER_MUST_CHECK enum usher_status report_hall_read(struct report *report, const char *resource,
                                                    struct report_hall *hall,
                                                    struct usher_error *err);

/* Finds a seat by its name, as it is printed. False: there is none. `unit` counts row by row. */
bool report_hall_find(const struct report_hall *hall, const char *seat, const char **section,
                      uint32_t *unit);

#endif
