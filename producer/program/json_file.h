/* Reads files, and a JSON object out of one, for the commands that take one. */
#ifndef USHER_PRODUCER_PROGRAM_JSON_FILE_H
#define USHER_PRODUCER_PROGRAM_JSON_FILE_H

#include "producer/codec/message_parse.h"
#include "usher/memory.h"
#include "usher/status.h"

/*
 * The object in the file ("-" is standard input), its strings in the arena. FATAL with exit code
 * 65: it cannot be read, is no JSON object, or has a key twice. Close the tree in both cases.
 */
USHER_MUST_CHECK enum usher_status json_file_read(const char *path, struct usher_arena *arena,
                                                  struct message_tree *tree,
                                                  struct usher_error *err);

/* Appends all bytes of the file ("-" is standard input). FATAL with exit code 65: it cannot. */
USHER_MUST_CHECK enum usher_status json_file_bytes(const char *path, struct usher_buffer *bytes,
                                                   struct usher_error *err);

/* Sets `err` to `could not read "path": reason`, exit code 65. */
void json_file_bad(const char *path, const char *reason, struct usher_error *err);

#endif
