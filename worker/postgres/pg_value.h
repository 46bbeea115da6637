/*
 * Values in PostgreSQL's binary form: those of results, the parameters of an execution, and
 * arrays of rows. Knows no table and no statement.
 */
#ifndef USHER_WORKER_POSTGRES_PG_VALUE_H
#define USHER_WORKER_POSTGRES_PG_VALUE_H

#include <libpq-fe.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "usher/memory.h"

/* Reads the columns of one row from left to right; each call is the next column. */
struct pg_row {
    const PGresult *result;
    int row;
    int column;
    struct usher_arena *arena; /* where texts and bytes go */
    bool wrong;                /* a value was not of the type that was read: it is taken for NULL */
};

static inline struct pg_row pg_row_of(const PGresult *result, int row, struct usher_arena *arena)
{
    return (struct pg_row){.result = result, .row = row, .arena = arena};
}

bool pg_row_bool(struct pg_row *row);

int16_t pg_row_int2(struct pg_row *row);

int32_t pg_row_int4(struct pg_row *row, int32_t none); /* `none` where NULL, here and below */

int64_t pg_row_int8(struct pg_row *row, int64_t none);

int64_t pg_row_seconds(struct pg_row *row, int64_t none); /* of an integer */

int64_t pg_row_ms(struct pg_row *row, int64_t none);

int32_t pg_row_day(struct pg_row *row, int32_t none);

void pg_row_uuid(struct pg_row *row, uint8_t value[16]);

/* The elements of an array of bigint, none of them null, in the arena; NULL where null. */
int64_t *pg_row_int8s(struct pg_row *row, uint32_t *count);

/* How many elements the array of integer in the next column has; 0 where null, or wrong. */
uint32_t pg_row_int4_count(const struct pg_row *row);

/* The elements of an array of integer, none of them null: as many as pg_row_int4_count says. */
void pg_row_int4s(struct pg_row *row, int32_t *values);

/* Copied into the arena, NUL-terminated. NULL where null. `size` may be NULL. */
char *pg_row_text(struct pg_row *row, size_t *size);

/*
 * ==== Arrays ====
 *
 * An array parameter in PostgreSQL's binary form: of scalars, or of rows of a composite type.
 *
 * Rows, since `unnest` of one array of rows costs the server a third less than of one array for
 * per column: it goes through one tuple store, not through twenty.
 *
 *     pg_array_begin(&array, type);
 *     for each row: pg_array_row(&array); pg_array_int8(&array, …); pg_array_text(&array, …); …
 *     pg_params_array(&params, &array);
 */

/* Oids of the built-in types, fixed for ever by PostgreSQL. */
enum pg_type {
    PG_TYPE_BOOL = 16,
    PG_TYPE_BYTEA = 17,
    PG_TYPE_INT8 = 20,
    PG_TYPE_INT2 = 21,
    PG_TYPE_INT4 = 23,
    PG_TYPE_TEXT = 25,
    PG_TYPE_INT8_ARRAY = 1016,
    PG_TYPE_DATE = 1082,
    PG_TYPE_TIMESTAMPTZ = 1184,
    PG_TYPE_UUID = 2950,
};

/* Zero-initialise once; its memory is kept and used again. */
struct pg_array {
    struct usher_buffer bytes;
    uint32_t count;   /* elements so far */
    bool has_null;    /* among the elements */
    bool rows;        /* elements are rows: values are its columns */
    size_t row_at;    /* where the row being written begins */
    uint32_t columns; /* of it, so far */
};

/* Empties it, to be filled with elements of a built-in type, or with rows of the type with that
 * oid (asked of the server: composite types have no fixed one). */
void pg_array_begin(struct pg_array *array, uint32_t element_type);

/* Begins the next row; its columns follow, all of them, in the order of the type. */
void pg_array_row(struct pg_array *array);

/* Each adds an element, or a column of the row. */
void pg_array_bool(struct pg_array *array, bool value);

void pg_array_int2(struct pg_array *array, int16_t value);

void pg_array_int4(struct pg_array *array, int32_t value);

void pg_array_int8(struct pg_array *array, int64_t value);

void pg_array_uuid(struct pg_array *array, const uint8_t value[16]);

void pg_array_bytes(struct pg_array *array, const void *value, size_t size); /* NULL: null */

void pg_array_text(struct pg_array *array, const char *value); /* NULL: null */

void pg_array_text_sized(struct pg_array *array, const char *value, size_t size);

/* A column that is an array itself; NULL where `values` is. */
void pg_array_int8s(struct pg_array *array, const int64_t *values, uint32_t count);

/* NULL where the value equals `none`. */
void pg_array_int4_or_null(struct pg_array *array, int64_t value, int64_t none);

void pg_array_int8_or_null(struct pg_array *array, int64_t value, int64_t none);

/* Days since 1970 as date, milliseconds since 1970 as timestamptz; NULL where equal to `none`. */
void pg_array_date(struct pg_array *array, int32_t day, int32_t none);

void pg_array_timestamp(struct pg_array *array, int64_t ms, int64_t none);

/* Writes the counts; `bytes` is the parameter's value then. May be called again. */
void pg_array_finish(struct pg_array *array);

/* Frees its memory; it is usable again. */
void pg_array_deinit(struct pg_array *array);

/*
 * ==== Parameters ====
 *
 * The parameters of one execution, in binary form.
 */

enum {
    PG_PARAMS_MAX = 13,
    PG_PARAM_SIZE = 16 /* of the largest value, a uuid */
};

/* Zero-initialise, then add in order of $1, $2 … Pointers into itself: do not copy. */
struct pg_params {
    int count;
    const char *values[PG_PARAMS_MAX];
    int sizes[PG_PARAMS_MAX]; /* INT32_MAX: as much or more, which no server takes */
    int formats[PG_PARAMS_MAX];
    char scratch[PG_PARAMS_MAX][PG_PARAM_SIZE];
};

void pg_params_int4(struct pg_params *params, int32_t value);

void pg_params_int8(struct pg_params *params, int64_t value);

void pg_params_uuid(struct pg_params *params, const uint8_t value[PG_PARAM_SIZE]);

/* NULL where value equals `none`. */
void pg_params_int8_or_null(struct pg_params *params, int64_t value, int64_t none);

/* Milliseconds since 1970 as timestamptz; NULL where value equals `none`. */
void pg_params_timestamp(struct pg_params *params, int64_t ms, int64_t none);

/* Borrows text until the execution is sent. NULL is NULL. */
void pg_params_text(struct pg_params *params, const char *text);

/* Finishes the array; borrows it until the execution is sent. */
void pg_params_array(struct pg_params *params, struct pg_array *array);

#endif
