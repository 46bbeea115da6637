/*
 * Reads a hall from a file: a pretix seating plan, or sections with rows in the short form of a
 * define. Knows neither options nor Kafka.
 */
#ifndef USHER_PRODUCER_PROGRAM_CHART_FILE_H
#define USHER_PRODUCER_PROGRAM_CHART_FILE_H

#include "usher/message.h"

struct chart_file {
    const char *path;
    const char *plan;                     /* canonical JSON; NULL: the short form */
    size_t plan_size;                     /* 0: the short form */
    const struct usher_section *sections; /* of the short form some may have no rows */
    uint32_t section_count;
    char name[72]; /* of the layout: sha256:… */
};

/*
 * Reads the file ("-" is standard input). All lives in `arena`, but the path, which is borrowed.
 * FATAL with exit code 65: it cannot be read, is neither of the two, or breaks a rule of charts:
 * `err` names zone, row and seat.
 */
USHER_MUST_CHECK enum usher_status chart_file_read(const char *path, struct usher_arena *arena,
                                                   struct chart_file *chart,
                                                   struct usher_error *err);

/* The section with that name; NULL. */
const struct usher_section *chart_file_section(const struct chart_file *chart, const char *name);

/* Seats of a section with rows. */
int64_t chart_section_seats(const struct usher_section *section);

#endif
