/* Pages of decisions by their seq, so that no index on offsets is needed: see pg_decided.h. */
#include "worker/postgres/pg_decided.h"

#include <stdlib.h>

#include "postgres_sql.h"
#include "producer/base/allocate.h"
#include "worker/postgres/pg_session.h"
#include "worker/postgres/pg_value.h"

enum {
    PAGE = 20000,                  /* seqs */
    SCAN_TIMEOUT_MS = 3600 * 1000, /* also of the transaction, while the log is read */
};

struct pg_decided {
    struct pg_connection connection;
};

enum usher_status pg_decided_open(const struct pg_settings *settings, struct pg_decided **decided,
                                  struct usher_error *err)
{
    struct pg_settings patient = *settings;
    patient.statement_timeout_ms = SCAN_TIMEOUT_MS;
    patient.query_timeout_ms = SCAN_TIMEOUT_MS;

    *decided = memory_calloc(1, sizeof **decided);
    struct pg_connection *connection = &(*decided)->connection;
    enum usher_status status = pg_session_open_schema(connection, &patient, err);
    if (status == USHER_OK)
        status = pg_connection_script(connection, reconcile_session_sql, err);
    if (status == USHER_OK)
        status = pg_connection_script(connection, reconcile_begin_sql, err);
    if (status != USHER_OK) {
        pg_decided_close(*decided);
        *decided = NULL;
    }
    return status;
}

void pg_decided_close(struct pg_decided *decided)
{
    if (decided) {
        pg_connection_close(&decided->connection);
        free(decided);
    }
}

enum usher_status pg_decided_partitions(struct pg_decided *decided, int64_t limit,
                                        struct usher_arena *arena,
                                        struct pg_decided_partition **partitions, uint32_t *count,
                                        struct usher_error *err)
{
    PGresult *result;
    struct pg_params params = {0};
    pg_params_int8(&params, limit);
    enum usher_status status =
        pg_connection_query(&decided->connection, decided_partitions_sql, &params, &result, err);
    if (status != USHER_OK)
        return status;
    *count = (uint32_t)PQntuples(result);
    *partitions = usher_arena_alloc(arena, (*count + 1) * sizeof **partitions);
    for (uint32_t i = 0; i < *count; i++) {
        struct pg_row row = pg_row_of(result, (int)i, NULL);
        struct pg_decided_partition *partition = &(*partitions)[i];
        partition->partition = pg_row_int4(&row, 0);
        partition->topic_epoch = pg_row_int4(&row, 0);
        partition->next_offset = pg_row_int8(&row, 0);
        partition->next_seq = pg_row_int8(&row, 0);
        partition->seq = pg_row_int8(&row, 0);
        partition->from_start = pg_row_bool(&row);
    }
    PQclear(result);
    return USHER_OK;
}

static enum usher_status read_page(struct pg_decided *decided,
                                   struct pg_decided_partition *partition, PGresult **result,
                                   struct usher_error *err)
{
    struct pg_params params = {0};
    pg_params_int4(&params, partition->partition);
    pg_params_int4(&params, partition->topic_epoch);
    pg_params_int8(&params, partition->seq);
    partition->seq += PAGE;
    pg_params_int8(&params, partition->seq);
    return pg_connection_query(&decided->connection, decided_ranges_sql, &params, result, err);
}

enum usher_status pg_decided_next(struct pg_decided *decided,
                                  struct pg_decided_partition *partition, struct usher_arena *arena,
                                  struct pg_decided_range **ranges, uint32_t *count,
                                  struct usher_error *err)
{
    *count = 0;
    /* Whoever skipped last was before the decision that is next. */
    while (*count == 0 && partition->seq <= partition->next_seq) {
        PGresult *result;
        enum usher_status status = read_page(decided, partition, &result, err);
        if (status != USHER_OK)
            return status;
        *count = (uint32_t)PQntuples(result);
        *ranges = usher_arena_alloc(arena, *count * sizeof **ranges);
        for (uint32_t i = 0; i < *count; i++) {
            struct pg_row row = pg_row_of(result, (int)i, NULL);
            (*ranges)[i].from = pg_row_int8(&row, 0);
            (*ranges)[i].to = pg_row_int8(&row, 0);
        }
        PQclear(result);
    }
    return USHER_OK;
}
