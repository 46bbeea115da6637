/*
 * A connection for one small read, kept between reads.
 */
#include "worker/postgres/pg_positions.h"

#include <inttypes.h>
#include <stdlib.h>

#include "postgres_sql.h"
#include "producer/base/allocate.h"
#include "worker/postgres/pg_session.h"
#include "worker/postgres/pg_value.h"

struct pg_positions {
    struct pg_settings settings;
    struct pg_connection connection;
};

struct pg_positions *pg_positions_open(const struct pg_settings *settings)
{
    struct pg_positions *positions = memory_calloc(1, sizeof *positions);
    positions->settings = *settings;
    return positions;
}

void pg_positions_close(struct pg_positions *positions)
{
    if (positions) {
        pg_connection_close(&positions->connection);
        free(positions);
    }
}

static enum usher_status refuse_count(int32_t recorded, int32_t found, struct usher_error *err)
{
    struct pg_meaning meaning = pg_status_meaning("US004", PG_READ);
    usher_error_set(err, meaning.exit_code,
                    "could not start: %" PRId32 " partition%s recorded, the topic has %" PRId32
                    "; %s",
                    recorded, recorded == 1 ? " is" : "s are", found, meaning.advice);
    return meaning.status;
}

static enum usher_status read_rows(const PGresult *result, int32_t partition_count,
                                   struct known_position *known, struct usher_error *err)
{
    for (int i = 0; i < PQntuples(result); i++) {
        struct pg_row row = pg_row_of(result, i, NULL);
        int32_t partition = pg_row_int4(&row, 0);
        int32_t recorded = pg_row_int4(&row, 0);

        if (recorded != partition_count)
            return refuse_count(recorded, partition_count, err);
        known[partition].next_offset = pg_row_int8(&row, OFFSET_NONE);
        known[partition].ended = pg_row_int4(&row, 0);
    }
    return USHER_OK;
}

/* Those without a row never started; they are set only once the read has succeeded. */
static enum usher_status take(const PGresult *result, int32_t partition_count,
                              struct known_position *known, struct usher_error *err)
{
    struct known_position *read = memory_calloc((size_t)partition_count, sizeof *read);
    for (int32_t i = 0; i < partition_count; i++)
        read[i].next_offset = OFFSET_NONE;
    enum usher_status status = read_rows(result, partition_count, read, err);
    for (int32_t i = 0; i < partition_count && status == USHER_OK; i++)
        known[i] = read[i];
    free(read);
    return status;
}

enum usher_status pg_positions_read(struct pg_positions *positions, int32_t partition_count,
                                    struct known_position *known, struct usher_error *err)
{
    PGresult *result = NULL;
    enum usher_status status =
        !positions->connection.conn
            ? pg_session_open_schema(&positions->connection, &positions->settings, err)
            : USHER_OK;

    if (status == USHER_OK)
        status = pg_connection_query(&positions->connection, positions_sql, NULL, &result, err);
    if (status == USHER_OK)
        status = take(result, partition_count, known, err);
    PQclear(result);
    if (status != USHER_OK)
        pg_connection_close(&positions->connection);
    return status;
}
