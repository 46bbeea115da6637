/*
 * What an operator does to a partition, as the owner of the schema. Knows nothing of who owns the
 * partition: it is fenced.
 */
#include "worker/postgres/pg_partition.h"

#include <inttypes.h>
#include <stdlib.h>

#include "postgres_sql.h"
#include "producer/base/allocate.h"
#include "producer/codec/answer_encode.h"
#include "worker/postgres/pg_session.h"
#include "worker/postgres/pg_value.h"

/* ==== Operators' actions ==== */

/* Runs one statement that returns one row, in a session of its own. */
static enum usher_status change(const struct pg_settings *settings, const char *purpose,
                                const char *sql, const struct pg_params *params, PGresult **result,
                                struct usher_error *err)
{
    struct pg_connection connection = {0};
    enum usher_status status = pg_session_open_schema(&connection, settings, err);
    if (status != USHER_OK)
        return status;
    connection.purpose = purpose;
    status = pg_connection_query(&connection, sql, params, result, err);
    if (status == USHER_FENCED) { /* US002 */
        err->exit_code = USHER_EXIT_BAD_INPUT;
        status = USHER_FATAL;
    }
    pg_connection_close(&connection);
    return status;
}

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
    struct pg_params params = {0};
    PGresult *result = NULL;
    pg_params_int4(&params, partition);
    enum usher_status status = change(settings, "set the time of the partition back",
                                      partition_reset_clock_sql, &params, &result, err);
    if (status == USHER_OK)
        read_reset(result, reset);
    PQclear(result);
    return status;
}

static bool read_bool(const PGresult *result)
{
    struct pg_row row = pg_row_of(result, 0, NULL);
    return pg_row_bool(&row);
}

/* The same of a statement that returns whether the partition was halted. */
static enum usher_status change_halted(const struct pg_settings *settings, const char *purpose,
                                       const char *sql, const struct pg_params *params,
                                       bool *was_halted, struct usher_error *err)
{
    PGresult *result = NULL;
    enum usher_status status = change(settings, purpose, sql, params, &result, err);
    if (status == USHER_OK)
        *was_halted = read_bool(result);
    PQclear(result);
    return status;
}

enum usher_status pg_partition_skip(const struct pg_settings *settings, int32_t partition,
                                    const struct pg_skip *skip, bool *was_halted,
                                    struct usher_error *err)
{
    struct pg_params params = {0};
    pg_params_int4(&params, partition);
    pg_params_int8_or_null(&params, skip->from, OFFSET_NONE);
    pg_params_int8(&params, skip->to);
    pg_params_int8(&params, skip->records);
    pg_params_text(&params, skip->why);
    return change_halted(settings, "pass over requests", partition_skip_sql, &params, was_halted,
                         err);
}

/* The same of a statement that returns no row if the partition moved since the operator looked. */
static enum usher_status change_unmoved(const struct pg_settings *settings, int32_t partition,
                                        const char *sql, const struct pg_params *params,
                                        bool *was_halted, struct usher_error *err)
{
    PGresult *result = NULL;
    enum usher_status status = change(settings, "accept the loss", sql, params, &result, err);
    if (status == USHER_OK && PQntuples(result) == 0) {
        usher_error_set(err, USHER_EXIT_BAD_INPUT,
                        "nothing was changed: partition %" PRId32 " moved meanwhile", partition);
        status = USHER_FATAL;
    }
    if (status == USHER_OK)
        *was_halted = read_bool(result);
    PQclear(result);
    return status;
}

enum usher_status pg_partition_accept_loss(const struct pg_settings *settings, int32_t partition,
                                           const struct pg_loss *loss, bool *was_halted,
                                           struct usher_error *err)
{
    struct pg_params params = {0};
    pg_params_int4(&params, partition);
    pg_params_int8(&params, loss->next_seq);
    pg_params_int8(&params, loss->highest_seq);
    pg_params_text(&params, loss->why);
    return change_unmoved(settings, partition, partition_accept_loss_sql, &params, was_halted, err);
}

enum usher_status pg_partition_find_gap(const struct pg_settings *settings, int32_t partition,
                                        struct pg_gap *gap, struct usher_error *err)
{
    struct pg_params params = {0};
    PGresult *result = NULL;
    pg_params_int4(&params, partition);
    pg_params_int8(&params, gap->next_seq);
    enum usher_status status =
        change(settings, "look for decisions", partition_missing_sql, &params, &result, err);
    if (status == USHER_OK) {
        struct pg_row row = pg_row_of(result, 0, NULL);
        gap->count = pg_row_int8(&row, 0);
        gap->first_seq = pg_row_int8(&row, 0);
        gap->last_seq = pg_row_int8(&row, 0);
    }
    PQclear(result);
    return status;
}

enum usher_status pg_partition_accept_gap(const struct pg_settings *settings, int32_t partition,
                                          const struct pg_gap *gap, bool *was_halted,
                                          struct usher_error *err)
{
    struct pg_params params = {0};
    pg_params_int4(&params, partition);
    pg_params_int8(&params, gap->next_seq);
    pg_params_int4(&params, USHER_CODEC_VERSION);
    pg_params_text(&params, gap->why);
    return change_unmoved(settings, partition, partition_replace_missing_sql, &params, was_halted,
                          err);
}

enum usher_status pg_partition_accept_topic(const struct pg_settings *settings, int32_t partition,
                                            const struct pg_new_topics *accepted, bool *was_halted,
                                            struct usher_error *err)
{
    struct pg_params params = {0};
    pg_params_int4(&params, partition);
    pg_params_text(&params, accepted->topics);
    pg_params_int8_or_null(&params, accepted->next_offset, OFFSET_NONE);
    pg_params_int8(&params, accepted->next_seq);
    pg_params_int8_or_null(&params, accepted->published_seq, PG_SEQ_NONE);
    pg_params_text(&params, accepted->why);
    return change_halted(settings, "accept the topics", partition_accept_topic_sql, &params,
                         was_halted, err);
}

enum usher_status pg_partition_resume(const struct pg_settings *settings, int32_t partition,
                                      bool *was_halted, struct usher_error *err)
{
    struct pg_params params = {0};
    pg_params_int4(&params, partition);
    return change_halted(settings, "resume the partition", partition_resume_sql, &params,
                         was_halted, err);
}

/* ==== Positions ==== */

struct pg_positions {
    struct pg_settings settings;
    struct pg_connection *connections; /* one to each of the databases */
    uint32_t count;
};

struct pg_positions *pg_positions_open(const struct pg_settings *settings)
{
    struct pg_positions *positions = memory_calloc(1, sizeof *positions);
    positions->settings = *settings;
    positions->count = pg_session_databases(settings);
    positions->connections = memory_calloc(positions->count, sizeof *positions->connections);
    return positions;
}

void pg_positions_close(struct pg_positions *positions)
{
    if (positions) {
        for (uint32_t i = 0; i < positions->count; i++)
            pg_connection_close(&positions->connections[i]);
        free(positions->connections);
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

/* Of a partition that was moved, or is being moved, the row that is further on counts. */
static enum usher_status read_rows(const PGresult *result, int32_t partition_count,
                                   struct known_position *known, struct usher_error *err)
{
    for (int i = 0; i < PQntuples(result); i++) {
        struct pg_row row = pg_row_of(result, i, NULL);
        int32_t partition = pg_row_int4(&row, 0);
        int32_t recorded = pg_row_int4(&row, 0);

        if (recorded != partition_count)
            return refuse_count(recorded, partition_count, err);
        int64_t next_offset = pg_row_int8(&row, OFFSET_NONE);
        int32_t ended = pg_row_int4(&row, 0);
        if (next_offset >= known[partition].next_offset)
            known[partition] = (struct known_position){.next_offset = next_offset, .ended = ended};
    }
    return USHER_OK;
}

static enum usher_status read_one(struct pg_positions *positions, uint32_t number,
                                  int32_t partition_count, struct known_position *known,
                                  struct usher_error *err)
{
    struct pg_connection *connection = &positions->connections[number];
    struct pg_settings one = pg_session_one(&positions->settings, number);
    PGresult *result = NULL;
    enum usher_status status =
        !connection->conn ? pg_session_open_schema(connection, &one, err) : USHER_OK;
    if (status == USHER_OK)
        status = pg_connection_query(connection, positions_sql, NULL, &result, err);
    if (status == USHER_OK)
        status = read_rows(result, partition_count, known, err);
    PQclear(result);
    if (status != USHER_OK)
        pg_connection_close(connection);
    return status;
}

/* Those without a row never started; they are set only once all reads have succeeded. */
enum usher_status pg_positions_read(struct pg_positions *positions, int32_t partition_count,
                                    struct known_position *known, struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    struct known_position *read = memory_calloc((size_t)partition_count, sizeof *read);
    for (int32_t i = 0; i < partition_count; i++)
        read[i].next_offset = OFFSET_NONE;
    for (uint32_t i = 0; status == USHER_OK && i < positions->count; i++)
        status = read_one(positions, i, partition_count, read, err);
    for (int32_t i = 0; i < partition_count && status == USHER_OK; i++)
        known[i] = read[i];
    free(read);
    return status;
}
