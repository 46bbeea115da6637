/*
 * Parameters that several look-ups have.
 */
#include "worker/postgres/pg_lookup.h"

void pg_lookup_fill_keys(struct pg_lookup_lists *lists, const struct load_key *keys, uint32_t count,
                         struct pg_params *params)
{
    struct pg_array *resources = &lists->lists[0];
    struct pg_array *hashes = &lists->lists[1];
    pg_array_begin(resources, PG_TYPE_TEXT);
    pg_array_begin(hashes, PG_TYPE_UUID);
    for (uint32_t i = 0; i < count; i++) {
        pg_array_text(resources, keys[i].resource);
        pg_array_uuid(hashes, keys[i].id_hash);
    }
    pg_params_array(params, resources);
    pg_params_array(params, hashes);
    pg_params_int4(params, lists->partition);
}

void pg_lookup_fill_numbers(struct pg_array *list, const int64_t *numbers, uint32_t count,
                            struct pg_params *params)
{
    pg_array_begin(list, PG_TYPE_INT8);
    for (uint32_t i = 0; i < count; i++)
        pg_array_int8(list, numbers[i]);
    pg_params_array(params, list);
}

void pg_lookup_deinit(struct pg_lookup_lists *lists)
{
    for (size_t i = 0; i < sizeof lists->lists / sizeof *lists->lists; i++)
        pg_array_deinit(&lists->lists[i]);
}
