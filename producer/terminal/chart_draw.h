/* Draws a hall in a terminal: zone by zone, one line per row, one character per seat, and a legend.
 */
#ifndef USHER_PRODUCER_TERMINAL_CHART_DRAW_H
#define USHER_PRODUCER_TERMINAL_CHART_DRAW_H

#include <stdio.h>

#include "usher/message.h"

struct chart_drawing {
    const struct usher_section *sections;
    uint32_t section_count;
    int width;   /* columns at most; wider zones are cut into parts */
    bool colour; /* by escape sequences */
    FILE *out;
};

void chart_draw(const struct chart_drawing *drawing);

#endif
