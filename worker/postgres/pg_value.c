/*
 * Reads binary results, and writes parameters and arrays byte for byte, as array_recv and
 * record_recv read them. Sizes are asserted: a column of another type is a bug of the statement.
 */
#include "worker/postgres/pg_value.h"

#include <assert.h>
#include <endian.h>
#include <string.h>

/* ==== Values ==== */

enum {
    HEADER_SIZE = 20, /* of an array: dimensions, has nulls, element type, count, lower bound */
    COUNT_AT = 12,
};

static uint32_t uint32_at(const char *at)
{
    uint32_t wire;
    memcpy(&wire, at, sizeof wire);
    return be32toh(wire);
}

static uint64_t uint64_at(const char *at)
{
    uint64_t wire;
    memcpy(&wire, at, sizeof wire);
    return be64toh(wire);
}

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
    return at ? (int32_t)uint32_at(at) : none;
}

int64_t pg_row_int8(struct pg_row *row, int64_t none)
{
    const char *at = next(row, 8);
    return at ? (int64_t)uint64_at(at) : none;
}

int64_t pg_row_seconds(struct pg_row *row, int64_t none)
{
    const char *at = next(row, 4);
    return at ? (int32_t)uint32_at(at) : none;
}

int64_t pg_row_ms(struct pg_row *row, int64_t none)
{
    const char *at = next(row, 8);
    int64_t us = at ? (int64_t)uint64_at(at) : 0;
    int64_t ms = us / 1000;
    /* Towards the past for times before 2000, too. */
    return at ? ms - (us % 1000 < 0 ? 1 : 0) + INT64_C(946684800000) : none;
}

int32_t pg_row_day(struct pg_row *row, int32_t none)
{
    const char *at = next(row, 4);
    int64_t day = at ? (int64_t)(int32_t)uint32_at(at) + 10957 : none;
    return day > INT32_MAX ? INT32_MAX : (int32_t)day; /* infinity */
}

void pg_row_uuid(struct pg_row *row, uint8_t value[16])
{
    const char *at = next(row, 16);
    memset(value, 0, 16);
    if (at)
        memcpy(value, at, 16);
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
    if (length >= COUNT_AT && uint32_at(at) == 0)
        return true;
    if (length < HEADER_SIZE || uint32_at(at) != 1)
        return false;
    *elements = at + HEADER_SIZE;
    *count = uint32_at(at + COUNT_AT);
    if ((length - HEADER_SIZE) / (4 + size) != *count)
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
    for (uint32_t i = 0; i < *count; i++)
        values[i] = (int64_t)uint64_at(at + 12 * (size_t)i + 4);
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
    const char *at = PQgetvalue(row->result, row->row, row->column) + HEADER_SIZE;
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

static void end_row(struct pg_array *array)
{
    char *row = array->bytes.at + array->row_at;
    pg_put_uint32(row, (uint32_t)(array->bytes.size - array->row_at - 4));
    pg_put_uint32(row + 4, array->columns);
}

void pg_array_begin(struct pg_array *array, uint32_t element_type)
{
    array->bytes.size = 0;
    array->count = 0;
    array->has_null = false;
    array->rows = false;
    char *header = pg_array_grow(array, HEADER_SIZE);
    pg_put_uint32(header, 1);
    pg_put_uint32(header + 8, element_type);
    pg_put_uint32(header + 16, 1);
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
    (void)pg_array_grow(array, 8);
}

void pg_array_finish(struct pg_array *array)
{
    if (array->rows && array->count > 0)
        end_row(array);
    char *header = array->bytes.at;
    pg_put_uint32(header + 4, array->has_null ? 1 : 0);
    pg_put_uint32(header + COUNT_AT, array->count);
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
    char *scratch = params->scratch[params->count];
    pg_put_uint32(scratch, (uint32_t)value);
    add(params, scratch, sizeof value);
}

void pg_params_int8(struct pg_params *params, int64_t value)
{
    char *scratch = params->scratch[params->count];
    pg_put_uint64(scratch, (uint64_t)value);
    add(params, scratch, sizeof value);
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
