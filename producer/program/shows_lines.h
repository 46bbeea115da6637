/* Reads the lines of a CSV file of resources. For shows.c. */
#ifndef USHER_PRODUCER_PROGRAM_SHOWS_LINES_H
#define USHER_PRODUCER_PROGRAM_SHOWS_LINES_H

#include "producer/base/options.h"
#include "producer/program/csv.h"
#include "producer/program/show_request.h"

/* Where the lines come from, and what the flags say. */
struct shows_source {
    struct options *options;
    const char *path;
    const struct definition_flags *base;
};

/* Reads all of them into shows->at. FATAL with exit code 65; bad lines were reported on stderr. */
USHER_MUST_CHECK enum usher_status shows_lines_read(const struct shows_source *source,
                                                    struct csv *csv, struct shows *shows,
                                                    struct usher_error *err);

#endif
