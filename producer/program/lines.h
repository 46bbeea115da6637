/* Reads lines of standard input or files without waiting, so that answers can be served between. */
#ifndef USHER_PRODUCER_PROGRAM_LINES_H
#define USHER_PRODUCER_PROGRAM_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "usher/memory.h"
#include "usher/status.h"

/* Zero-initialise, set `paths` and `path_count` (none: standard input; "-" is that, too). */
struct lines {
    const char *const *paths;
    size_t path_count;
    size_t path_index; /* of the next file to open */
    const char *name;  /* of the open file, for messages */
    int fd;            /* of the open file, where `opened` */
    bool opened, ended;
    long number; /* of the line returned last */
    struct usher_buffer buffer;
    size_t start; /* of what is unread in the buffer */
};

/*
 * The next line, without its end, valid until the next call. RETRY: none within timeout_ms. HALT:
 * all is read. FATAL with exit code 65: a file cannot be read, or a line is longer than a request
 * may be.
 */
USHER_MUST_CHECK enum usher_status lines_next(struct lines *lines, int timeout_ms,
                                              const char **line, size_t *size,
                                              struct usher_error *err);

/* Closes what is open. */
void lines_deinit(struct lines *lines);

#endif
