/*
 * Parameters that several look-ups have, and the guard at the end of each round trip.
 */
#include "worker/postgres/pg_lookup.h"

#include <inttypes.h>
#include <string.h>

#include "postgres_sql.h"
#include "worker/postgres/pg_value.h"

const struct pg_statement pg_lookup_epoch = {"epoch", load_epoch_sql};

/* ---- the guard ---- */

enum usher_status pg_lookup_same_epoch(const struct pg_lookup_lists *lists, int32_t stored,
                                       int32_t epoch, struct usher_error *err)
{
    if (stored == epoch)
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_UNAVAILABLE,
                    "partition %" PRId32 " is in epoch %" PRId32 ", not %" PRId32, lists->partition,
                    stored, epoch);
    return USHER_FENCED;
}

static bool send_guard(struct pg_connection *connection, const struct pg_lookup_lists *lists)
{
    struct pg_params params = {0};
    pg_params_int4(&params, lists->partition);
    return pg_connection_send(connection, pg_lookup_epoch.name, &params);
}

static enum usher_status read_guard(const struct pg_lookup_lists *lists, const PGresult *row,
                                    struct usher_error *err)
{
    struct pg_row at = pg_row_of(row, 0, NULL);
    return pg_lookup_same_epoch(lists, pg_row_int4(&at, 0), lists->epoch, err);
}

enum usher_status pg_lookup_finish(struct pg_connection *connection,
                                   const struct pg_lookup_lists *lists, PGresult **results,
                                   uint32_t count, struct usher_error *err)
{
    if (lists->epoch == 0)
        return pg_connection_finish(connection, results, count, err);
    if (!send_guard(connection, lists))
        return pg_connection_lost(connection, "load", err);
    enum usher_status status = pg_connection_finish(connection, results, count + 1, err);
    if (status == USHER_OK)
        status = read_guard(lists, results[count], err);
    for (uint32_t i = status == USHER_OK ? count : 0; i <= count; i++) {
        PQclear(results[i]);
        results[i] = NULL;
    }
    return status;
}

enum usher_status pg_lookup_ask(const struct pg_lookup_reading *reading, const char *statement,
                                const struct pg_params *params, PGresult **rows,
                                struct usher_error *err)
{
    struct pg_connection *connection = reading->connection;
    PGresult *results[2] = {NULL, NULL};
    *rows = NULL;
    if (!PQenterPipelineMode(connection->conn) ||
        !pg_connection_send(connection, statement, params))
        return pg_connection_lost(connection, connection->purpose, err);
    enum usher_status status = pg_lookup_finish(connection, reading->lists, results, 1, err);
    *rows = results[0];
    return status;
}

/* ---- parameters ---- */

void pg_lookup_fill_keys(struct pg_lookup_lists *lists, const struct load_key *keys, uint32_t count,
                         struct pg_params *params)
{
    struct pg_array *resources = &lists->lists[0];
    struct pg_array *hashes = &lists->lists[1];
    pg_array_begin(resources, PG_TYPE_TEXT);
    pg_array_begin(hashes, PG_TYPE_UUID);
    for (uint32_t i = 0; i < count; i++) {
        pg_array_text(resources, keys[i].resource);
        pg_array_bytes(hashes, PG_TYPE_UUID, keys[i].id_hash, USHER_HASH_SIZE);
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
        pg_array_int8(list, PG_TYPE_INT8, numbers[i]);
    pg_params_array(params, list);
}

/* ---- bounds ---- */

int64_t pg_lookup_shrunk(int64_t limit, uint32_t halvings, int64_t least)
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
