/*
 * Reads binary results, and writes parameters and arrays byte for byte, as array_recv and
 * record_recv read them. Sizes are asserted: a column of another type is a bug of the statement.
 */
#include "worker/postgres/pg_value.h"

#include <assert.h>
#include <endian.h>
#include <string.h>

/* ==== Values ==== */

/* Milliseconds since 1970 as the microseconds since 2000 of a timestamptz; days of a date. */
static inline int64_t pg_timestamp(int64_t ms)
{
    return (ms - INT64_C(946684800000)) * 1000;
}

static inline int32_t pg_date(int32_t day)
{
    return day - 10957;
}

enum {
    ARRAY_HEADER_SIZE = 20, /* dimensions, has nulls, element type, count, lower bound */
    ARRAY_COUNT_AT = 12,
};

/* The bytes of the next column, or NULL. */
static const char *next(struct pg_row *row, int size)
{
    int column = row->column++;
    if (PQgetisnull(row->result, row->row, column))
        return NULL;
    bool fits = size < 0 || PQgetlength(row->result, row->row, column) == size;
    row->wrong |= !fits;
    return fits ? PQgetvalue(row->result, row->row, column) : NULL;
}

bool pg_row_bool(struct pg_row *row)
{
    const char *at = next(row, 1);
    return at && *at != 0;
}

int16_t pg_row_int2(struct pg_row *row)
{
    const char *at = next(row, 2);
    uint16_t wire = 0;
    if (at)
        memcpy(&wire, at, sizeof wire);
    return (int16_t)be16toh(wire);
}

int32_t pg_row_int4(struct pg_row *row, int32_t none)
{
    const char *at = next(row, 4);
    uint32_t wire;
    if (!at)
        return none;
    memcpy(&wire, at, sizeof wire);
    return (int32_t)be32toh(wire);
}

int64_t pg_row_int8(struct pg_row *row, int64_t none)
{
    const char *at = next(row, 8);
    uint64_t wire;
    if (!at)
        return none;
    memcpy(&wire, at, sizeof wire);
    return (int64_t)be64toh(wire);
}

int64_t pg_row_seconds(struct pg_row *row, int64_t none)
{
    bool is_null = PQgetisnull(row->result, row->row, row->column) != 0;
    int32_t seconds = pg_row_int4(row, 0);
    return is_null ? none : seconds;
}

int64_t pg_row_ms(struct pg_row *row, int64_t none)
{
    bool is_null = PQgetisnull(row->result, row->row, row->column) != 0;
    int64_t us = pg_row_int8(row, 0);
    int64_t ms = us / 1000;
    /* Towards the past for times before 2000, too. */
    return is_null ? none : ms - (us % 1000 < 0 ? 1 : 0) + INT64_C(946684800000);
}

int32_t pg_row_day(struct pg_row *row, int32_t none)
{
    bool is_null = PQgetisnull(row->result, row->row, row->column) != 0;
    int64_t day = (int64_t)pg_row_int4(row, 0) + 10957;
    return is_null ? none : day > INT32_MAX ? INT32_MAX : (int32_t)day; /* infinity */
}

void pg_row_uuid(struct pg_row *row, uint8_t value[16])
{
    const char *at = next(row, 16);
    memset(value, 0, 16);
    if (at)
        memcpy(value, at, 16);
}

static uint32_t uint32_at(const char *at)
{
    uint32_t wire;
    memcpy(&wire, at, sizeof wire);
    return be32toh(wire);
}

/*
 * The elements of the array in the next column, each behind its size. It has one dimension, as
 * pg_array writes it, or none where it is empty. False: it is another one.
 */
static bool find_elements(const struct pg_row *row, size_t size, const char **elements,
                          uint32_t *count)
{
    const char *at = PQgetvalue(row->result, row->row, row->column);
    size_t length = (size_t)PQgetlength(row->result, row->row, row->column);
    *count = 0;
    if (length >= ARRAY_COUNT_AT && uint32_at(at) == 0)
        return true;
    if (length < ARRAY_HEADER_SIZE || uint32_at(at) != 1)
        return false;
    *elements = at + ARRAY_HEADER_SIZE;
    *count = uint32_at(at + ARRAY_COUNT_AT);
    if ((length - ARRAY_HEADER_SIZE) / (4 + size) != *count)
        return false;
    for (uint32_t i = 0; i < *count; i++)
        if (uint32_at(*elements + (4 + size) * i) != size)
            return false;
    return true;
}

int64_t *pg_row_int8s(struct pg_row *row, uint32_t *count)
{
    const char *at = NULL;
    bool is_null = PQgetisnull(row->result, row->row, row->column) != 0;
    bool good = is_null || find_elements(row, sizeof(int64_t), &at, count);
    row->column++;
    row->wrong |= !good;
    if (is_null || !good) {
        *count = 0;
        return NULL;
    }
    int64_t *values = usher_arena_alloc(row->arena, *count * sizeof *values);
    for (uint32_t i = 0; i < *count; i++) {
        uint64_t wire;
        memcpy(&wire, at + 12 * (size_t)i + 4, sizeof wire);
        values[i] = (int64_t)be64toh(wire);
    }
    return values;
}

uint32_t pg_row_int4_count(const struct pg_row *row)
{
    const char *at;
    uint32_t count;
    return !PQgetisnull(row->result, row->row, row->column) &&
                   find_elements(row, sizeof(int32_t), &at, &count)
               ? count
               : 0;
}

void pg_row_int4s(struct pg_row *row, int32_t *values)
{
    const char *at = PQgetvalue(row->result, row->row, row->column) + ARRAY_HEADER_SIZE;
    uint32_t count = pg_row_int4_count(row);
    row->column++;
    for (uint32_t i = 0; i < count; i++)
        values[i] = (int32_t)uint32_at(at + 8 * (size_t)i + 4);
}

char *pg_row_text(struct pg_row *row, size_t *size)
{
    int length = PQgetlength(row->result, row->row, row->column);
    const char *at = next(row, -1);
    if (size)
        *size = at ? (size_t)length : 0;
    return at ? usher_arena_text(row->arena, at, (size_t)length) : NULL;
}

/* ==== Arrays ==== */

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

/* ==== Parameters ==== */

static void add(struct pg_params *params, const char *value, size_t size)
{
    assert(params->count < PG_PARAMS_MAX);
    params->values[params->count] = value;
    params->sizes[params->count] = size < INT32_MAX ? (int)size : INT32_MAX;
    params->formats[params->count] = 1;
    params->count++;
}

void pg_params_int4(struct pg_params *params, int32_t value)
{
    uint32_t wire = htobe32((uint32_t)value);
    char *scratch = params->scratch[params->count];
    memcpy(scratch, &wire, sizeof wire);
    add(params, scratch, sizeof wire);
}

void pg_params_int8(struct pg_params *params, int64_t value)
{
    uint64_t wire = htobe64((uint64_t)value);
    char *scratch = params->scratch[params->count];
    memcpy(scratch, &wire, sizeof wire);
    add(params, scratch, sizeof wire);
}

void pg_params_uuid(struct pg_params *params, const uint8_t value[PG_PARAM_SIZE])
{
    char *scratch = params->scratch[params->count];
    memcpy(scratch, value, PG_PARAM_SIZE);
    add(params, scratch, PG_PARAM_SIZE);
}

void pg_params_int8_or_null(struct pg_params *params, int64_t value, int64_t none)
{
    if (value == none)
        add(params, NULL, 0);
    else
        pg_params_int8(params, value);
}

void pg_params_timestamp(struct pg_params *params, int64_t ms, int64_t none)
{
    if (ms == none)
        add(params, NULL, 0);
    else
        pg_params_int8(params, pg_timestamp(ms));
}

void pg_params_text(struct pg_params *params, const char *text)
{
    add(params, text, text ? strlen(text) : 0);
}

void pg_params_array(struct pg_params *params, struct pg_array *array)
{
    pg_array_finish(array);
    add(params, array->bytes.at, array->bytes.size);
}
