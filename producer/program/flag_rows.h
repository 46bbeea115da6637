/* Reads the rows of a section out of a flag: A:20+B:22:5+C-F:18. */
#ifndef USHER_PRODUCER_PROGRAM_FLAG_ROWS_H
#define USHER_PRODUCER_PROGRAM_FLAG_ROWS_H

#include "usher/message.h"

struct flag_rows {
    const struct usher_row *rows;
    uint32_t count;
};

/*
 * ROW:SEATS or ROW:SEATS:FIRST with + between them; A-F and 1-12 are several rows alike. `what`
 * names the place in complaints. FATAL with exit code 64.
 */
USHER_MUST_CHECK enum usher_status flag_rows(struct usher_arena *arena, const char *what,
                                             const char *text, struct flag_rows *rows,
                                             struct usher_error *err);

#endif
