/*
 * Values in PostgreSQL's binary form: those of results, the parameters of an execution, and
 * arrays of rows. Knows no table and no statement.
 */
#ifndef USHER_WORKER_POSTGRES_PG_VALUE_H
#define USHER_WORKER_POSTGRES_PG_VALUE_H

#include <assert.h>
#include <endian.h>
#include <libpq-fe.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "usher/memory.h"

static inline void pg_put_uint32(char *at, uint32_t value)
{
    uint32_t wire = htobe32(value);
    memcpy(at, &wire, sizeof wire);
}

static inline void pg_put_uint64(char *at, uint64_t value)
{
    uint64_t wire = htobe64(value);
    memcpy(at, &wire, sizeof wire);
}

/* Milliseconds since 1970 as the microseconds since 2000 of a timestamptz; days of a date. */
static inline int64_t pg_timestamp(int64_t ms)
{
    return (ms - INT64_C(946684800000)) * 1000;
}

static inline int32_t pg_date(int32_t day)
{
    return day - 10957;
}

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

/* The buffer's own check is a call into the library: most often there is room, without. */
static inline char *pg_array_grow(struct pg_array *array, size_t size)
{
    struct usher_buffer *bytes = &array->bytes;
    if (bytes->capacity - bytes->size < size)
        (void)usher_buffer_reserve(bytes, size);
    char *at = bytes->at + bytes->size;
    bytes->size += size;
    return at;
}

/* Begins a value of that size: a column names its type, an element does not. */
static inline char *pg_array_value(struct pg_array *array, enum pg_type type, size_t size)
{
    char *at;
    assert(size <= INT32_MAX);
    if (array->rows) {
        at = pg_array_grow(array, 8 + size);
        pg_put_uint32(at, (uint32_t)type);
        pg_put_uint32(at + 4, (uint32_t)size);
        array->columns++;
        return at + 8;
    }
    at = pg_array_grow(array, 4 + size);
    pg_put_uint32(at, (uint32_t)size);
    array->count++;
    return at + 4;
}

/* Each adds an element, or a column of the row, of that type: an integer, a date, a time, … */
static inline void pg_array_null(struct pg_array *array, enum pg_type type)
{
    char *at = pg_array_value(array, type, 0);
    pg_put_uint32(at - 4, UINT32_MAX);
    array->has_null = array->has_null || !array->rows;
}

static inline void pg_array_int4(struct pg_array *array, enum pg_type type, int32_t value)
{
    pg_put_uint32(pg_array_value(array, type, 4), (uint32_t)value);
}

static inline void pg_array_int8(struct pg_array *array, enum pg_type type, int64_t value)
{
    pg_put_uint64(pg_array_value(array, type, 8), (uint64_t)value);
}

static inline void pg_array_bytes(struct pg_array *array, enum pg_type type, const void *value,
                                  size_t size)
{
    if (!value) {
        pg_array_null(array, type);
        return;
    }
    char *at = pg_array_value(array, type, size);
    if (size > 0)
        memcpy(at, value, size);
}

static inline void pg_array_text(struct pg_array *array, const char *value)
{
    pg_array_bytes(array, PG_TYPE_TEXT, value, value ? strlen(value) : 0);
}

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
