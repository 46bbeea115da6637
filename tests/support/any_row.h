/*
 * Rows of all types, by their columns (worker/postgres/pg_rows.h): a new column is copied and
 * written without a word here.
 */
#ifndef TESTS_ANY_ROW_H
#define TESTS_ANY_ROW_H

#include "worker/postgres/pg_rows.h"

/* Copies a row; its texts, bytes and numbers go into the arena. */
void row_copy(struct usher_arena *arena, enum pg_row_type type, const void *from, void *to);

/* Copies of so many rows, in the arena. */
void *row_copies(struct usher_arena *arena, enum pg_row_type type, const void *rows,
                 uint32_t count);

/* Returns the columns that a result may have, but those that are NULL, as text in the arena. */
char *row_text(struct usher_arena *arena, enum pg_row_type type, const void *row);

#endif
