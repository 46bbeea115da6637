/* One statement for each thing that an operator does to a partition: see pg_partition.h. */
#include "worker/postgres/pg_partition.h"

#include "postgres_sql.h"
#include "worker/postgres/pg_session.h"
#include "worker/postgres/pg_value.h"

static void read_reset(const PGresult *result, struct pg_clock_reset *reset)
{
    struct pg_row row = pg_row_of(result, 0, NULL);
    reset->was_ms = pg_row_ms(&row, 0);
    reset->became_ms = pg_row_ms(&row, 0);
    reset->ends_late = pg_row_int8(&row, 0);
    reset->last_end_ms = pg_row_ms(&row, 0);
}

enum usher_status pg_partition_reset_clock(const struct pg_settings *settings, int32_t partition,
                                           struct pg_clock_reset *reset, struct usher_error *err)
{
    struct pg_connection connection = {0};
    enum usher_status status = pg_session_open_schema(&connection, settings, err);
    if (status != USHER_OK)
        return status;
    connection.purpose = "set the time of the partition back";
    struct pg_params params = {0};
    pg_params_int4(&params, partition);
    PGresult *result;
    status = pg_connection_query(&connection, partition_reset_clock_sql, &params, &result, err);
    if (status == USHER_OK)
        read_reset(result, reset);
    PQclear(result);
    pg_connection_close(&connection);
    return status;
}
