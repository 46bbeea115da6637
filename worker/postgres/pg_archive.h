/*
 * Files of what is deleted: one for each table, as COPY has it, and one with their checksums, which
 * `sha256sum --check` reads. Knows nothing of what is in them.
 */
#ifndef USHER_WORKER_POSTGRES_PG_ARCHIVE_H
#define USHER_WORKER_POSTGRES_PG_ARCHIVE_H

#include <stddef.h>

#include "usher/status.h"

struct pg_archive;

/*
 * Begins an archive DIRECTORY/NAME.TABLE; nothing is opened yet. Borrows the directory. Owned:
 * pg_archive_free or pg_archive_abandon.
 */
struct pg_archive *pg_archive_begin(const char *directory, const char *name);

/* Appends to the file of a table (static storage). FATAL (78): it cannot be written. */
USHER_MUST_CHECK enum usher_status pg_archive_write(struct pg_archive *archive, const char *table,
                                                    const char *text, size_t size,
                                                    struct usher_error *err);

/*
 * Has all files on the disk, with their checksums in NAME.sha256. FATAL (78): they cannot be
 * written.
 */
USHER_MUST_CHECK enum usher_status pg_archive_finish(struct pg_archive *archive,
                                                     struct usher_error *err);

/* Frees it and keeps the files; NULL is legal. */
void pg_archive_free(struct pg_archive *archive);

/* Removes the files: what is in them was not deleted. NULL is legal. */
void pg_archive_abandon(struct pg_archive *archive);

#endif
