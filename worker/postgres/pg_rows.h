/*
 * Rows of the model as arrays of the schema's composite types, and rows of results as rows of
 * the model, both by one table of columns for each struct.
 */
#ifndef USHER_WORKER_POSTGRES_PG_ROWS_H
#define USHER_WORKER_POSTGRES_PG_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "worker/postgres/pg_connection.h"
#include "worker/postgres/pg_value.h"

/*
 * ==== Columns ====
 *
 * Which columns of its struct a composite type has, and in which order, is asked of the server.
 */

enum pg_row_type {
    PG_ROW_ALLOCATION,
    PG_ROW_BOOKING,
    PG_ROW_BOOKING_CHANGE,
    PG_ROW_CART_DECISION,
    PG_ROW_CHART,
    PG_ROW_DEAD_LETTER,
    PG_ROW_DECISION,
    PG_ROW_POOL,
    PG_ROW_POOL_CHANGE,
    PG_ROW_POOL_MOVE,
    PG_ROW_QUARTER,
    PG_ROW_RESOURCE,
    PG_ROW_RESOURCE_MARK,
    PG_ROW_TYPE_COUNT,
};

/* A field in C and its column in SQL. */
enum pg_column_kind {
    PG_COLUMN_PARTITION,  /* no field: integer, the partition that the rows are written for */
    PG_COLUMN_BOOL,       /* bool: boolean */
    PG_COLUMN_INT2,       /* int16_t: smallint */
    PG_COLUMN_INT4,       /* int32_t, uint32_t: integer */
    PG_COLUMN_INT8,       /* int64_t: bigint */
    PG_COLUMN_SECONDS,    /* int64_t: integer */
    PG_COLUMN_TIME,       /* int64_t, milliseconds since 1970: timestamptz */
    PG_COLUMN_DAY,        /* int32_t, days since 1970: date */
    PG_COLUMN_HASH,       /* uint8_t[16]: uuid */
    PG_COLUMN_NAME,       /* an enum: text */
    PG_COLUMN_TEXT,       /* const char *, NUL-terminated: text */
    PG_COLUMN_SIZED_TEXT, /* const char * and its size: text */
    PG_COLUMN_BYTES,      /* const void * and its size: bytea */
    PG_COLUMN_NUMBERS,    /* const int64_t * and its count: bigint[] */
};

struct pg_column {
    const char *name; /* in the composite type and in the table */
    enum pg_column_kind kind;
    uint16_t at;      /* where its field is in the struct */
    uint16_t size_at; /* where the field is that has its size or count */
    int64_t none;     /* the value that stands for NULL; of kinds without pointers */
    const char *(*name_of)(unsigned value); /* of an enum's value; NULL: there is none */
    bool only_sent;                         /* no result has it */
};

enum {
    PG_COLUMNS_MAX = 24
};

/* What is sent as a composite type, and read from results. */
struct pg_row_columns {
    const char *type; /* the composite type's name */
    size_t size;      /* of the struct */
    const struct pg_column *columns;
    uint32_t count;
};

extern const struct pg_row_columns pg_row_columns[PG_ROW_TYPE_COUNT];

/* A row of usher.cart_decision: one of the bookings that a decision changed. */
struct pg_cart_decision {
    int64_t booking;
    int64_t seq;
};

/* ==== Rows ==== */

/* What the server says of the composite types. */
struct pg_row_types {
    uint32_t oids[PG_ROW_TYPE_COUNT]; /* each database has others */
    uint32_t counts[PG_ROW_TYPE_COUNT];
    const struct pg_column *columns[PG_ROW_TYPE_COUNT][PG_COLUMNS_MAX];
};

/*
 * Asks for them. FATAL (78) where the schema is missing, or a type has a column that is none of its
 * struct. If a type lacks a column, the statement that names the column cannot be prepared.
 */
USHER_MUST_CHECK enum usher_status pg_row_types_read(struct pg_connection *connection,
                                                     struct pg_row_types *types,
                                                     struct usher_error *err);

/* Empties the array, to be filled with rows of that type. */
void pg_rows_begin(struct pg_array *array, const struct pg_row_types *types, enum pg_row_type type);

/* Adds a row: the struct that the type's columns are of. `partition` is where the row belongs. */
void pg_rows_add(struct pg_array *array, const struct pg_row_types *types, enum pg_row_type type,
                 const void *row, int32_t partition);

/* Where a result has the columns of a type's struct, found by their names; it may have others. */
struct pg_rows {
    const PGresult *result;
    struct usher_arena *arena; /* where texts and bytes go */
    enum pg_row_type type;
    int at[PG_COLUMNS_MAX]; /* by column of the struct */
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
