/*
 * Binary parameters: what libpq is given for $1, $2 …
 */
#include "worker/postgres/pg_params.h"

#include <assert.h>
#include <endian.h>
#include <string.h>

#include "worker/postgres/pg_value.h"

static void add(struct pg_params *params, const char *value, size_t size)
{
    assert(params->count < PG_PARAMS_MAX);
    params->values[params->count] = value;
    params->sizes[params->count] = size < INT32_MAX ? (int)size : INT32_MAX;
    params->formats[params->count] = 1;
    params->count++;
}

void pg_params_bool(struct pg_params *params, bool value)
{
    char *scratch = params->scratch[params->count];
    *scratch = value ? 1 : 0;
    add(params, scratch, 1);
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
