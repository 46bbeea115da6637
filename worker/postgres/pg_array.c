/*
 * Writes PostgreSQL's binary arrays byte for byte, as array_recv and record_recv read them. Knows
 * no table and no statement.
 */
#include "worker/postgres/pg_array.h"

#include <assert.h>
#include <endian.h>
#include <string.h>

#include "worker/postgres/pg_value.h"

enum {
    HEADER_SIZE = 20, /* dimensions, has nulls, element type, count, lower bound */
    COUNT_AT = 12,
};

static void put_uint32(char *at, uint32_t value)
{
    uint32_t wire = htobe32(value);
    memcpy(at, &wire, sizeof wire);
}

/* The buffer's own check is a call into the library: most often there is room, without. */
static char *grow(struct pg_array *array, size_t size)
{
    struct usher_buffer *bytes = &array->bytes;
    if (bytes->capacity - bytes->size < size)
        (void)usher_buffer_reserve(bytes, size);
    char *at = bytes->at + bytes->size;
    bytes->size += size;
    return at;
}

static void end_row(struct pg_array *array)
{
    char *row = array->bytes.at + array->row_at;
    put_uint32(row, (uint32_t)(array->bytes.size - array->row_at - 4));
    put_uint32(row + 4, array->columns);
}

void pg_array_begin(struct pg_array *array, uint32_t element_type)
{
    array->bytes.size = 0;
    array->count = 0;
    array->has_null = false;
    array->rows = false;
    char *header = grow(array, HEADER_SIZE);
    put_uint32(header, 1);
    put_uint32(header + 8, element_type);
    put_uint32(header + 16, 1);
}

void pg_array_row(struct pg_array *array)
{
    assert(array->rows || array->count == 0);
    if (array->rows)
        end_row(array);
    array->rows = true;
    array->columns = 0;
    array->count++;
    array->row_at = array->bytes.size;
    (void)grow(array, 8);
}

/* Begins a value of that size: a column names its type, an element does not. */
static inline char *value_begin(struct pg_array *array, enum pg_type type, size_t size)
{
    char *at;
    assert(size <= INT32_MAX);
    if (array->rows) {
        at = grow(array, 8 + size);
        put_uint32(at, (uint32_t)type);
        put_uint32(at + 4, (uint32_t)size);
        array->columns++;
        return at + 8;
    }
    at = grow(array, 4 + size);
    put_uint32(at, (uint32_t)size);
    array->count++;
    return at + 4;
}

static void add_null(struct pg_array *array, enum pg_type type)
{
    char *at = value_begin(array, type, 0);
    put_uint32(at - 4, UINT32_MAX);
    array->has_null = array->has_null || !array->rows;
}

static void add_int8(struct pg_array *array, enum pg_type type, int64_t value)
{
    uint64_t wire = htobe64((uint64_t)value);
    memcpy(value_begin(array, type, sizeof wire), &wire, sizeof wire);
}

static void add_int4(struct pg_array *array, enum pg_type type, int32_t value)
{
    put_uint32(value_begin(array, type, 4), (uint32_t)value);
}

void pg_array_bool(struct pg_array *array, bool value)
{
    *value_begin(array, PG_TYPE_BOOL, 1) = value ? 1 : 0;
}

void pg_array_int2(struct pg_array *array, int16_t value)
{
    uint16_t wire = htobe16((uint16_t)value);
    memcpy(value_begin(array, PG_TYPE_INT2, sizeof wire), &wire, sizeof wire);
}

void pg_array_int4(struct pg_array *array, int32_t value)
{
    add_int4(array, PG_TYPE_INT4, value);
}

void pg_array_int8(struct pg_array *array, int64_t value)
{
    add_int8(array, PG_TYPE_INT8, value);
}

void pg_array_uuid(struct pg_array *array, const uint8_t value[16])
{
    memcpy(value_begin(array, PG_TYPE_UUID, 16), value, 16);
}

static void add_bytes(struct pg_array *array, enum pg_type type, const void *value, size_t size)
{
    if (!value) {
        add_null(array, type);
        return;
    }
    char *at = value_begin(array, type, size);
    if (size > 0)
        memcpy(at, value, size);
}

void pg_array_bytes(struct pg_array *array, const void *value, size_t size)
{
    add_bytes(array, PG_TYPE_BYTEA, value, size);
}

void pg_array_text(struct pg_array *array, const char *value)
{
    add_bytes(array, PG_TYPE_TEXT, value, value ? strlen(value) : 0);
}

void pg_array_text_sized(struct pg_array *array, const char *value, size_t size)
{
    add_bytes(array, PG_TYPE_TEXT, value, size);
}

void pg_array_int8s(struct pg_array *array, const int64_t *values, uint32_t count)
{
    const uint32_t header[] = {1, 0, PG_TYPE_INT8, count,
                               1}; /* one dimension, its numbers from 1 */
    char *at;

    if (!values) {
        add_null(array, PG_TYPE_INT8_ARRAY);
        return;
    }
    at = value_begin(array, PG_TYPE_INT8_ARRAY, sizeof header + (size_t)count * 12);
    for (size_t i = 0; i < sizeof header / sizeof *header; i++, at += 4)
        put_uint32(at, header[i]);
    for (uint32_t i = 0; i < count; i++, at += 12) {
        uint64_t wire = htobe64((uint64_t)values[i]);

        put_uint32(at, sizeof wire);
        memcpy(at + 4, &wire, sizeof wire);
    }
}

void pg_array_int4_or_null(struct pg_array *array, int64_t value, int64_t none)
{
    assert(value == none || (value >= INT32_MIN && value <= INT32_MAX));
    if (value == none)
        add_null(array, PG_TYPE_INT4);
    else
        add_int4(array, PG_TYPE_INT4, (int32_t)value);
}

void pg_array_int8_or_null(struct pg_array *array, int64_t value, int64_t none)
{
    if (value == none)
        add_null(array, PG_TYPE_INT8);
    else
        add_int8(array, PG_TYPE_INT8, value);
}

void pg_array_date(struct pg_array *array, int32_t day, int32_t none)
{
    if (day == none)
        add_null(array, PG_TYPE_DATE);
    else
        add_int4(array, PG_TYPE_DATE, pg_date(day));
}

void pg_array_timestamp(struct pg_array *array, int64_t ms, int64_t none)
{
    if (ms == none)
        add_null(array, PG_TYPE_TIMESTAMPTZ);
    else
        add_int8(array, PG_TYPE_TIMESTAMPTZ, pg_timestamp(ms));
}

void pg_array_finish(struct pg_array *array)
{
    if (array->rows && array->count > 0)
        end_row(array);
    char *header = array->bytes.at;
    put_uint32(header + 4, array->has_null ? 1 : 0);
    put_uint32(header + COUNT_AT, array->count);
}

void pg_array_deinit(struct pg_array *array)
{
    usher_buffer_deinit(&array->bytes);
    *array = (struct pg_array){0};
}
