/*
 * Lays the seats of a chart out on lines and columns of characters, zone by zone: what a terminal
 * can show of a hall. PURE: knows nothing of terminals or files.
 */
#ifndef USHER_PRODUCER_TERMINAL_CHART_GRID_H
#define USHER_PRODUCER_TERMINAL_CHART_GRID_H

#include "usher/memory.h"
#include "usher/message.h"

enum {
    GRID_NO_FEATURE = -1
};

struct grid_seat {
    uint32_t section; /* index */
    uint32_t unit;    /* of the section: its seats are counted row by row */
    int32_t feature;  /* index of the first that it has; GRID_NO_FEATURE */
    uint32_t column;
    uint32_t order; /* in the chart */
    int32_t x;
};

/* A row, or all parts of one that several sections share. */
struct grid_line {
    const char *label;
    struct grid_seat *seats; /* from left to right */
    uint32_t seat_count;
    bool gap; /* an aisle lies between it and the line before */
    /* While it is laid out. */
    bool placed; /* it has x and y */
    uint32_t zone, seat_room;
    int32_t x_min, x_max, y_min, y_max;
    int64_t y_sum;
};

struct grid_zone {
    const char *name;
    struct grid_line **lines; /* from the front to the back */
    uint32_t line_count;
    uint32_t columns;
};

struct grid_feature {
    const char *name;
    uint32_t seats;
};

struct chart_grid {
    struct grid_zone *zones;
    uint32_t zone_count;
    struct grid_feature *features;
    uint32_t feature_count;
};

/*
 * Lays out the rows of all sections. Rows without a zone make a zone of each section. Where rows
 * have x and y, seats keep their columns, rows their order, and aisles between them show.
 */
void chart_grid_make(struct chart_grid *grid, const struct usher_section *sections, uint32_t count,
                     struct usher_arena *arena);

#endif
