/*
 * Reads comma-separated values by RFC 4180, strictly: records of fields, quoted where they hold
 * commas, quotes ("") or line ends; LF or CRLF; UTF-8, perhaps with a byte order mark. Blank lines
 * are skipped. Does not know what the fields mean.
 */
#ifndef USHER_PRODUCER_PROGRAM_CSV_H
#define USHER_PRODUCER_PROGRAM_CSV_H

#include <stddef.h>

#include "usher/memory.h"
#include "usher/status.h"

/* Zero-initialise, set the first four. */
struct csv {
    const char *name; /* for complaints */
    const char *at;   /* what is still to be read */
    size_t left;
    struct usher_arena *arena; /* the fields are copied there */
    long line;                 /* line ends read so far */
};

struct csv_record {
    long line; /* that it begins on, from 1 */
    const char **fields;
    size_t count;
};

/*
 * The next record. HALT: there is none. REJECT, exit code 65: `err` names line and column (fields
 * from 1). The next call continues on the next line.
 */
USHER_MUST_CHECK enum usher_status csv_next(struct csv *csv, struct csv_record *record,
                                            struct usher_error *err);

#endif
