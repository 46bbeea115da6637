/*
 * Reads binary results. Sizes are asserted: a column of another type is a bug of the statement.
 */
#include "worker/postgres/pg_value.h"

#include <assert.h>
#include <endian.h>
#include <string.h>

/* The bytes of the next column, or NULL. */
static const char *next(struct pg_row *row, int size)
{
    int column = row->column++;
    if (PQgetisnull(row->result, row->row, column))
        return NULL;
    assert(size < 0 || PQgetlength(row->result, row->row, column) == size);
    return PQgetvalue(row->result, row->row, column);
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
    int32_t day = pg_row_int4(row, 0);
    return is_null ? none : day + 10957;
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

/* It has one dimension, as pg_array_int8s writes it; an empty one has none. */
int64_t *pg_row_int8s(struct pg_row *row, uint32_t *count)
{
    const char *at = next(row, -1);
    *count = 0;
    if (!at)
        return NULL;
    *count = uint32_at(at) > 0 ? uint32_at(at + 12) : 0;
    int64_t *values = usher_arena_alloc(row->arena, *count * sizeof *values);
    for (uint32_t i = 0; i < *count; i++) {
        uint64_t wire;

        memcpy(&wire, at + 20 + 12 * (size_t)i + 4, sizeof wire);
        values[i] = (int64_t)be64toh(wire);
    }
    return values;
}

uint32_t pg_row_int4_count(const struct pg_row *row)
{
    if (PQgetisnull(row->result, row->row, row->column))
        return 0;
    const char *at = PQgetvalue(row->result, row->row, row->column);
    return uint32_at(at) > 0 ? uint32_at(at + 12) : 0;
}

void pg_row_int4s(struct pg_row *row, int32_t *values)
{
    uint32_t count = pg_row_int4_count(row);
    const char *at = next(row, -1);
    for (uint32_t i = 0; i < count; i++)
        values[i] = (int32_t)uint32_at(at + 20 + 8 * (size_t)i + 4);
}

char *pg_row_text(struct pg_row *row, size_t *size)
{
    int length = PQgetlength(row->result, row->row, row->column);
    const char *at = next(row, -1);
    if (size)
        *size = at ? (size_t)length : 0;
    return at ? usher_arena_text(row->arena, at, (size_t)length) : NULL;
}
