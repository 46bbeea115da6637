/*
 * What the people at the terminal see: headings, facts, and a line of progress that is written
 * again in place. If standard output is not a terminal: plain text, with occasional progress.
 */
#ifndef SCREEN_H
#define SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "usher/memory.h"
#include "usher/status.h"

struct screen {
    bool terminal, colour;
    bool progress_shown;
    int64_t progress_us; /* when it was written */
};

/* Looks at standard output, TERM and NO_COLOR once. */
void screen_init(struct screen *screen);

/* Prints a bold line after an empty one. */
void screen_heading(const struct screen *screen, const char *format, ...) USHER_PRINTF(2, 3);

/* Prints "  name   text", the texts below each other; an empty name continues the one before. */
void screen_fact(const struct screen *screen, const char *name, const char *format, ...)
    USHER_PRINTF(3, 4);

/* Prints "  ok  text" or "  FAILED  text"; returns `good`. */
bool screen_check(const struct screen *screen, bool good, const char *format, ...)
    USHER_PRINTF(3, 4);

/* Whether the line of progress is old enough to be written again. */
bool screen_progress_due(const struct screen *screen);

/* Writes the line of progress; `line` is NUL-terminated. */
void screen_progress(struct screen *screen, const char *line);

/* Takes the line of progress away again. */
void screen_progress_end(struct screen *screen);

/* Appends seats as Redis has them (. h s x), coloured where the terminal can. */
void screen_append_seats(const struct screen *screen, struct usher_buffer *out, const char *seats,
                         size_t count);

/* Appends a bar of `width` seats in the proportion of sold, held and free. */
void screen_append_bar(const struct screen *screen, struct usher_buffer *out,
                       const int64_t sold_held_free[3], size_t width);

/* Appends a bar of `width` characters, # as far as `part` of `total` goes. */
void screen_append_share(const struct screen *screen, struct usher_buffer *out, int64_t part,
                         int64_t total, size_t width);

/* Appends printf text. */
void screen_append(struct usher_buffer *out, const char *format, ...) USHER_PRINTF(2, 3);

/* Prints what the buffer holds as one line, and empties it. */
void screen_line(struct usher_buffer *line);

struct screen_number {
    char text[32];
};

/* 12345 as 12,345. */
struct screen_number screen_number(int64_t number);

#endif
