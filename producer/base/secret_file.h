/*
 * Files that hold one secret: what the NAME_FILE of an option names. They are read again where a
 * connection is made again, so that a password can be changed without a restart.
 */
#ifndef USHER_PRODUCER_BASE_SECRET_FILE_H
#define USHER_PRODUCER_BASE_SECRET_FILE_H

#include "usher/memory.h"

/*
 * The text of the file without its last line end, in the arena; at most 64 KiB of it. NULL: it
 * could not be read, errno says why.
 */
const char *secret_file_read(const char *path, struct usher_arena *arena);

/*
 * As it is in its file now; `text` where there is no file (NULL), it cannot be read, or there is
 * nothing in it, as while it is written anew.
 */
const char *secret_now(const char *text, const char *path, struct usher_arena *arena);

#endif
