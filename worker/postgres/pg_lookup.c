/*
 * Parameters that several look-ups have.
 */
#include "worker/postgres/pg_lookup.h"

#include <string.h>

#include "worker/postgres/pg_value.h"

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

int64_t pg_lookup_halved(int64_t limit, uint32_t halvings, int64_t least)
{
    for (; halvings > 0 && limit / 2 >= least; halvings--)
        limit /= 2;
    return limit;
}

static uint32_t number_in_last_row(const PGresult *rows, const char *column)
{
    struct pg_row row = pg_row_of(rows, PQntuples(rows) - 1, NULL);
    row.column = PQfnumber(rows, column);
    return (uint32_t)pg_row_int4(&row, 0);
}

bool pg_lookup_is_cut(const PGresult *rows, uint32_t limit)
{
    uint32_t count = (uint32_t)PQntuples(rows);
    return count > 0 && (count == limit || count < number_in_last_row(rows, "found"));
}

uint32_t pg_lookup_served(const PGresult *rows, uint32_t asked)
{
    return pg_lookup_is_cut(rows, 0) ? number_in_last_row(rows, "ord") : asked;
}

/* NOLINTNEXTLINE(readability-function-size): an array, and what it is to become */
void *pg_lookup_extend(struct usher_arena *arena, void *array, uint32_t count, uint32_t more,
                       uint32_t *room, size_t size)
{
    if (count > 0 && count + more <= *room)
        return array;
    *room = count > 0 ? 2 * (count + more) : more;
    char *larger = usher_arena_alloc(arena, *room * size);
    if (count > 0)
        memcpy(larger, array, count * size);
    return larger;
}

void pg_lookup_deinit(struct pg_lookup_lists *lists)
{
    for (size_t i = 0; i < sizeof lists->lists / sizeof *lists->lists; i++)
        pg_array_deinit(&lists->lists[i]);
}
