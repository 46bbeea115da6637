/* A transaction in each database, with the lock that a move would need. */
#include "worker/postgres/pg_hold.h"

#include <assert.h>
#include <stdlib.h>

#include "producer/base/allocate.h"
#include "worker/postgres/pg_session.h"

enum {
    HOLD_MS = 7 * 24 * 3600 * 1000 /* a session that holds is idle in its transaction */
};

struct held {
    struct pg_connection connection;
    enum usher_status status;
    struct usher_error err;
};

struct pg_hold {
    uint32_t count;
    struct held *places;
};

struct pg_hold *pg_hold_open(const struct pg_settings *settings)
{
    struct pg_hold *hold = memory_calloc(1, sizeof *hold);
    hold->count = pg_session_databases(settings);
    hold->places = memory_calloc(hold->count, sizeof *hold->places);
    for (uint32_t i = 0; i < hold->count; i++) {
        struct held *place = &hold->places[i];
        struct pg_settings one = pg_session_one(settings, i);
        one.statement_timeout_ms = HOLD_MS;
        place->status = pg_session_open_schema(&place->connection, &one, &place->err);
        place->connection.purpose = "keep partitions from moving";
        if (place->status == USHER_OK)
            place->status = pg_connection_script(
                &place->connection, "begin; select from usher.shard for share", &place->err);
    }
    return hold;
}

enum usher_status pg_hold_status(const struct pg_hold *hold, uint32_t place,
                                 struct usher_error *err)
{
    assert(place < hold->count);
    if (hold->places[place].status != USHER_OK)
        *err = hold->places[place].err;
    return hold->places[place].status;
}

enum usher_status pg_hold_check(struct pg_hold *hold, struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    for (uint32_t i = 0; i < hold->count && status == USHER_OK; i++)
        if (hold->places[i].status == USHER_OK)
            status = pg_connection_script(&hold->places[i].connection,
                                          "select usher.stays(partition) from "
                                          "usher.partition_state where destination is not null",
                                          err);
    return status;
}

enum usher_status pg_hold_close(struct pg_hold *hold, struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    for (uint32_t i = 0; i < hold->count; i++) {
        struct held *place = &hold->places[i];
        if (place->status == USHER_OK && status == USHER_OK)
            status = pg_connection_script(&place->connection, "commit", err);
        pg_connection_close(&place->connection);
    }
    if (status != USHER_OK) {
        const struct usher_error lost = *err;
        usher_error_set(err, USHER_EXIT_UNAVAILABLE,
                        "partitions may have moved meanwhile: run it again (%s)", lost.text);
        status = USHER_RETRY;
    }
    free(hold->places);
    free(hold);
    return status;
}
