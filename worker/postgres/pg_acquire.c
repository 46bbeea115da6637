/*
 * Acquires a partition: takes the next epoch, and terminates a predecessor that keeps the lock.
 * Knows one database, not in which one a partition lives.
 */
#include "worker/postgres/pg_acquire.h"

#include <inttypes.h>
#include <string.h>

#include "postgres_sql.h"
#include "producer/base/calendar.h"
#include "producer/base/clock.h"
#include "producer/base/log.h"
#include "worker/postgres/pg_value.h"

/*
 * The constraints of the table say as much of the rest. RETRY: whose the partition is then is not
 * known, so that it cannot be halted; it goes on once the row is mended.
 */
static enum usher_status read_position(const PGresult *result, struct position *position,
                                       struct usher_error *err)
{
    struct pg_row row = pg_row_of(result, 0, NULL);
    *position = (struct position){0};
    position->epoch = pg_row_int4(&row, 0);
    position->partition_count = pg_row_int4(&row, 0);
    position->next_offset = pg_row_int8(&row, OFFSET_NONE);
    position->next_seq = pg_row_int8(&row, 0);
    position->now_ms = pg_row_ms(&row, 0);
    position->published_seq = pg_row_int8(&row, 0);
    position->published_offset = pg_row_int8(&row, OFFSET_NONE);
    position->fingerprint_offset = pg_row_int8(&row, OFFSET_NONE);
    position->fingerprint = pg_row_int8(&row, 0);
    position->last_pool = pg_row_int8(&row, 0);
    position->holds = pg_row_int8(&row, COUNT_UNKNOWN);
    position->parties = pg_row_int8(&row, COUNT_UNKNOWN);
    if (!row.wrong && position->now_ms >= 0 &&
        position->now_ms / CALENDAR_MS_A_DAY <= CALENDAR_LAST_DAY &&
        position->published_offset >= OFFSET_NONE && position->last_pool >= 0)
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_BUG,
                    "could not read where the partition stands: this program did not write its "
                    "row of partition_state");
    return USHER_RETRY;
}

static enum usher_status try(struct pg_connection *connection, const struct pg_claim *claim,
                             struct position *position, struct usher_error *err)
{
    struct pg_params params = {0};
    pg_params_int4(&params, claim->partition);
    pg_params_int4(&params, claim->partition_count);
    pg_params_int4(&params, claim->expected_epoch);
    pg_params_text(&params, claim->owner);
    PGresult *result;
    enum usher_status status = pg_connection_query(connection, acquire_sql, &params, &result, err);
    if (status == USHER_OK) {
        status = read_position(result, position, err);
        PQclear(result);
    }
    return status;
}

/* Terminates the backend that the current owner recorded, if it still runs and the claim covers it.
 */
static enum usher_status terminate(struct pg_connection *connection, const struct pg_claim *claim,
                                   struct usher_error *err)
{
    struct pg_params params = {0};
    pg_params_int4(&params, claim->partition);
    pg_params_int4(&params, claim->expected_epoch);
    pg_params_text(&params, claim->owner);
    PGresult *result;
    enum usher_status status =
        pg_connection_query(connection, acquire_terminate_sql, &params, &result, err);
    if (status == USHER_OK && PQntuples(result) > 0) {
        struct pg_row row = pg_row_of(result, 0, NULL);
        struct log_context log = log_context_with(NULL, "partition=%" PRId32 " backend=%" PRId32,
                                                  claim->partition, pg_row_int4(&row, 0));

        log_warning(
            &log,
            "terminated the owner's backend: it held the partition's lock and did not respond");
    }
    PQclear(result);
    return status;
}

enum {
    CLOCK_READINGS = 3,
    CLOCK_QUICK_MS = 100,
};

/*
 * Reads the server's clock. In a statement of its own: the wait for the lock and the commit of the
 * acquire would make it late for as long as the partition is owned. So would an answer that takes
 * long, or a pause of this process: then it is read again. It is never ahead, or holds would end
 * before their time.
 */
static enum usher_status read_clock(struct pg_connection *connection, struct position *position,
                                    struct usher_error *err)
{
    const struct pg_params none = {0};
    int64_t asked_ms, now_ms;
    uint32_t readings = 0;
    position->clock_offset_ms = INT64_MIN;
    do {
        PGresult *result;
        asked_ms = clock_ms();
        enum usher_status status =
            pg_connection_query(connection, "select clock_timestamp()", &none, &result, err);
        if (status != USHER_OK)
            return status;
        struct pg_row row = pg_row_of(result, 0, NULL);
        now_ms = clock_ms();
        int64_t offset_ms = pg_row_ms(&row, 0) - now_ms;
        if (offset_ms > position->clock_offset_ms) /* none is ahead */
            position->clock_offset_ms = offset_ms;
        PQclear(result);
    } while (now_ms - asked_ms > CLOCK_QUICK_MS && ++readings < CLOCK_READINGS);
    return USHER_OK;
}

/*
 * Once, after the batch of a worker that did not say it. It is for people only, so that a count
 * that takes too long must not keep the partition from being acquired.
 */
static void count_open(struct pg_connection *connection, int32_t partition,
                       struct position *position)
{
    struct usher_error err;
    struct pg_params params = {0};
    pg_params_int4(&params, partition);
    PGresult *result;
    enum usher_status status =
        pg_connection_query(connection, acquire_open_sql, &params, &result, &err);
    if (status != USHER_OK)
        return;
    struct pg_row row = pg_row_of(result, 0, NULL);
    position->holds = pg_row_int8(&row, 0);
    position->parties = pg_row_int8(&row, 0);
    PQclear(result);
}

enum usher_status pg_acquire(struct pg_connection *connection, const struct pg_claim *claim,
                             struct position *position, struct usher_error *err)
{
    int64_t deadline_ms = clock_ms() + connection->query_timeout_ms;
    enum usher_status status = try(connection, claim, position, err);
    while (status == USHER_RETRY && strcmp(connection->sqlstate, "55P03") == 0 &&
           clock_ms() < deadline_ms) {
        status = terminate(connection, claim, err);
        if (status == USHER_OK)
            status = try(connection, claim, position, err);
    }
    if (status == USHER_OK &&
        (position->holds == COUNT_UNKNOWN || position->parties == COUNT_UNKNOWN))
        count_open(connection, claim->partition, position);
    return status == USHER_OK ? read_clock(connection, position, err) : status;
}
