/*
 * Values of binary results, and the two epochs: PostgreSQL counts from 2000, usher from 1970.
 */
#ifndef USHER_WORKER_POSTGRES_PG_VALUE_H
#define USHER_WORKER_POSTGRES_PG_VALUE_H

#include <libpq-fe.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "usher/memory.h"

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

#endif
