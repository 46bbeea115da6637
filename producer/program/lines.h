/*
 * Input: lines of standard input or files, read without waiting, so that answers can be served
 * between; and whole files, with the JSON object in one.
 */
#ifndef USHER_PRODUCER_PROGRAM_LINES_H
#define USHER_PRODUCER_PROGRAM_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "producer/codec/message_parse.h"
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

/*
 * ==== JSON files ====
 *
 * Reads files, and a JSON object out of one, for the commands that take one.
 */

/*
 * The object in the file ("-" is standard input), its strings in the arena. FATAL with exit code
 * 65: it cannot be read, is no JSON object, or has a key twice. Close the tree in both cases.
 */
USHER_MUST_CHECK enum usher_status json_file_read(const char *path, struct usher_arena *arena,
                                                  struct message_tree *tree,
                                                  struct usher_error *err);

/*
 * Fills an empty buffer with the bytes of the file ("-" is standard input), without a byte order
 * mark. FATAL with exit code 65: it cannot. */
USHER_MUST_CHECK enum usher_status json_file_bytes(const char *path, struct usher_buffer *bytes,
                                                   struct usher_error *err);

/* Sets `err` to `could not read "path": reason`, exit code 65. Returns FATAL. */
enum usher_status json_file_bad(const char *path, const char *reason, struct usher_error *err);

#endif
