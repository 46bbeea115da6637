/*
 * The parameters of one execution, in binary form.
 */
#ifndef USHER_WORKER_POSTGRES_PG_PARAMS_H
#define USHER_WORKER_POSTGRES_PG_PARAMS_H

#include <stdint.h>

#include "worker/postgres/pg_array.h"

enum {
    PG_PARAMS_MAX = 12,
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

void pg_params_bool(struct pg_params *params, bool value);
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
