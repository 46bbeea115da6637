/* Reads the requests of a load from a file. */
#ifndef USHER_PRODUCER_PROGRAM_LOAD_FILE_H
#define USHER_PRODUCER_PROGRAM_LOAD_FILE_H

#include "usher/memory.h"
#include "usher/message.h"

/*
 * Requests as JSON lines, each a hold or a book. All of it lives in the arena. FATAL with exit code
 * 65: the file cannot be read, a line is no such request (`err` names it), or there is none.
 */
USHER_MUST_CHECK enum usher_status load_file_read(const char *path, struct usher_arena *arena,
                                                  const struct usher_request **requests,
                                                  size_t *count, struct usher_error *err);

#endif
