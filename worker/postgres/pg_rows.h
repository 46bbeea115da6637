/*
 * Rows of the model as arrays of the schema's composite types, and rows of results as rows of the
 * model, both by the tables of pg_columns.
 */
#ifndef USHER_WORKER_POSTGRES_PG_ROWS_H
#define USHER_WORKER_POSTGRES_PG_ROWS_H

#include "worker/postgres/pg_columns.h"
#include "worker/postgres/pg_connection.h"
#include "worker/postgres/pg_value.h"

/* Oids of the composite types: each database has others. */
struct pg_row_types {
    uint32_t oids[PG_ROW_TYPE_COUNT];
};

/* Asks the server for them. FATAL (78) where the schema is missing or its types have other columns.
 */
USHER_MUST_CHECK enum usher_status pg_row_types_read(struct pg_connection *connection,
                                                     struct pg_row_types *types,
                                                     struct usher_error *err);

/* Empties the array, to be filled with rows of that type. */
void pg_rows_begin(struct pg_array *array, const struct pg_row_types *types, enum pg_row_type type);

/* Adds a row: the struct that the type's columns are of. `partition` is where the row belongs. */
void pg_rows_add(struct pg_array *array, enum pg_row_type type, const void *row, int32_t partition);

/* Where a result has the columns of a type, found by their names; it may have others. */
struct pg_rows {
    const PGresult *result;
    struct usher_arena *arena; /* where texts and bytes go */
    enum pg_row_type type;
    int at[PG_COLUMNS_MAX]; /* by column of the type */
};

struct pg_rows pg_rows_of(const PGresult *result, enum pg_row_type type, struct usher_arena *arena);

/*
 * Reads one row into the struct that the type's columns are of; fields without a column are zero.
 * HALT: a name of an enum is not known to this program (78), or a column is missing, of another
 * type, or a time beyond those that messages have (70).
 */
USHER_MUST_CHECK enum usher_status pg_rows_read(const struct pg_rows *rows, int row, void *to,
                                                struct usher_error *err);

/* Reads all rows of a result into an array in the arena. NULL: HALT, as pg_rows_read; `err` is set.
 */
USHER_MUST_CHECK void *pg_rows_read_all(const PGresult *result, enum pg_row_type type,
                                        struct usher_arena *arena, uint32_t *count,
                                        struct usher_error *err);

#endif
