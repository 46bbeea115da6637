/*
 * An array parameter in PostgreSQL's binary form: of scalars, or of rows of a composite type.
 *
 * Rows, since `unnest` of one array of rows costs the server a third less than of one array for
 * per column: it goes through one tuple store, not through twenty.
 *
 *     pg_array_begin(&array, type);
 *     for each row: pg_array_row(&array); pg_array_int8(&array, …); pg_array_text(&array, …); …
 *     pg_params_array(&params, &array);
 */
#ifndef USHER_WORKER_POSTGRES_PG_ARRAY_H
#define USHER_WORKER_POSTGRES_PG_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "usher/memory.h"

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
void pg_array_text(struct pg_array *array, const char *value);               /* NULL: null */
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

#endif
