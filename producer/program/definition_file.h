/* Reads a define as JSON from a file: define --file. */
#ifndef USHER_PRODUCER_PROGRAM_DEFINITION_FILE_H
#define USHER_PRODUCER_PROGRAM_DEFINITION_FILE_H

#include <yyjson.h>

#include "producer/base/options.h"
#include "usher/memory.h"

/*
 * Reads a define from the file of --file and appends it with request id, op and resource put in
 * where they are missing. FATAL with exit code 65, or 64 where flags say what the file says.
 */
USHER_MUST_CHECK enum usher_status definition_from_file(struct options *options,
                                                        const char *request_id,
                                                        struct usher_buffer *out,
                                                        struct usher_error *err);

/*
 * Appends the object of such a file as a request: with op define, and with the id and the resource
 * where they are not NULL.
 */
void definition_file_complete(yyjson_val *root, const char *request_id, const char *resource,
                              struct usher_arena *arena, struct usher_buffer *out);

#endif
