/*
 * Draws a hall in a terminal: zone by zone, one line per row, one character per seat, and a
 * legend. The character says the section of a seat or, where states are given, its state. What
 * seats are called in a range is here, too.
 */
#ifndef USHER_PRODUCER_TERMINAL_CHART_DRAW_H
#define USHER_PRODUCER_TERMINAL_CHART_DRAW_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "usher/memory.h"
#include "usher/message.h"

struct chart_drawing {
    const struct usher_section *sections;
    uint32_t section_count;
    /*
     * For each section a character per seat, row by row, as Redis shows them: '.' free, 'h' held,
     * 's' sold, 'x' blocked. NULL: seats are letters of their sections.
     */
    const char *const *states;
    int width;   /* columns at most; wider zones are cut into parts */
    bool colour; /* by escape sequences */
    FILE *out;
};

void chart_draw(const struct chart_drawing *drawing);

/*
 * ==== Ranges of seats ====
 *
 * Seats in a row for people: A-3.A-6 for. Only labels that end in a dash and
 * a number make ranges; the rest of a label is the row.
 */

enum {
    SEAT_LABEL_SIZE = 256 /* of a label with its NUL */
};

/* A row's seats from one number to another. */
struct seat_range {
    const char *row; /* borrowed, not NUL-terminated; with the dash */
    int row_size;
    uint32_t first, last;
    int digits; /* that a number has at least: 2 in A-07 */
};

/* Reads "A-3..A-6". False where it is none: one of its ends is no seat, or the last comes first. */
bool seat_range_read(const char *text, struct seat_range *range);

/* Writes the label of a seat in the range, and a NUL. */
void seat_range_label(const struct seat_range *range, uint32_t number, char label[SEAT_LABEL_SIZE]);

/*
 * Prints the seats as people count them, A-2 before A-10, with blanks between. Three and more
 * neighbours are a range. With
 * `places` (else NULL), which name them for people, these: "Block D, row 1, seat 7, 8; row 2, …".
 */
void seat_ranges_print(const char *const *seats, const char *const *places, uint32_t count,
                       FILE *out);

#endif
