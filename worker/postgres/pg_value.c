/*
 * Reads binary results. Sizes are compared: somebody may have given a column another type, or an
 * array another shape.
 */
#include "worker/postgres/pg_value.h"

#include <endian.h>
#include <string.h>

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
