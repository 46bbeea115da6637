/*
 * Draws a hall in a terminal: zone by zone, one line per row, one character per seat, and a legend.
 * The character says the section of a seat or, where states are given, its state.
 */
#ifndef USHER_PRODUCER_TERMINAL_CHART_DRAW_H
#define USHER_PRODUCER_TERMINAL_CHART_DRAW_H

#include <stdio.h>

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

#endif
