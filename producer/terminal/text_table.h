/*
 * A table of text with aligned columns. Cells are collected first, since the widest of a column
 * decides where the next one begins, and all together whether they fit.
 */
#ifndef USHER_PRODUCER_TERMINAL_TEXT_TABLE_H
#define USHER_PRODUCER_TERMINAL_TEXT_TABLE_H

#include <stddef.h>

#include "producer/terminal/terminal.h"
#include "usher/memory.h"

enum text_align {
    TEXT_LEFT = 0,
    TEXT_RIGHT /* numbers */
};

struct text_column {
    const char *title; /* NULL: none. The line of titles goes where no column has one */
    enum text_align align;
    bool cut;     /* where the terminal is too narrow, its texts may be cut */
    uint8_t drop; /* where that does not suffice, the column with the highest goes; 0: never */
};

struct text_cell {
    const char *text;
    enum terminal_colour colour;
};

struct text_table {
    const struct text_column *columns; /* the caller's; valid until text_table_deinit */
    size_t column_count;
    struct text_cell *cells; /* row by row */
    size_t cell_count, cell_room;
    struct usher_arena arena;
};

/* Begins a table; ended with text_table_deinit. */
void text_table_init(struct text_table *table, const struct text_column *columns, size_t count);

/* Adds the next cell; the one behind the last column begins a row. The text is copied. */
void text_table_add(struct text_table *table, enum terminal_colour colour, const char *format, ...)
    USHER_PRINTF(3, 4);

/* Fills the row up with empty cells; nothing at the beginning of a row. */
void text_table_end_row(struct text_table *table);

/*
 * Prints all, `indent` blanks before each line, none behind it. Ends the row first. On a terminal
 * that is too narrow, texts are cut and end with "…", columns are dropped and named below.
 */
void text_table_print(struct text_table *table, const struct terminal *terminal, int indent);

void text_table_deinit(struct text_table *table);

#endif
