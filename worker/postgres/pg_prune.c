/* What belongs to a resource as a table of statements that delete it: see pg_prune.h. */
#include "worker/postgres/pg_prune.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "postgres_sql.h"
#include "producer/base/allocate.h"
#include "worker/model/rows.h"
#include "worker/postgres/pg_archive.h"
#include "worker/postgres/pg_session.h"
#include "worker/postgres/pg_value.h"

enum {
    DELETE_TIMEOUT_MS = 3600 * 1000,
    NAME_SIZE = 64
};

struct pg_prune {
    struct pg_connection connection;
};

/* What is counted. */
enum counted {
    COUNTS_NOTHING = 0,
    COUNTS_DECISIONS,
    COUNTS_BOOKINGS,
    COUNTS_UNITS,
    COUNTS_DEAD_LETTERS,
    COUNTS
};

/* In this order: bookings are found by the decisions that made them, dead letters by theirs. */
static const struct {
    const char *table;
    const char *sql;
    enum counted counts;
} parts[] = {
    {"dead_letter", prune_dead_letters_sql, COUNTS_DEAD_LETTERS},
    {"cart_decision", prune_cart_decisions_sql, COUNTS_NOTHING},
    {"former_owner", prune_former_owners_sql, COUNTS_NOTHING},
    {"allocation", prune_allocations_sql, COUNTS_UNITS},
    {"decision", prune_changes_sql, COUNTS_DECISIONS},
    {"decision", prune_aside_sql, COUNTS_DECISIONS},
    {"booking", prune_bookings_sql, COUNTS_BOOKINGS},
    {"decision", prune_decisions_sql, COUNTS_DECISIONS},
    {"pool", prune_pools_sql, COUNTS_NOTHING},
    {"resource", prune_resource_sql, COUNTS_NOTHING},
};

enum usher_status pg_prune_open(const struct pg_settings *settings, struct pg_prune **prune,
                                struct usher_error *err)
{
    struct pg_settings patient = *settings;
    struct pg_prune *opened = memory_calloc(1, sizeof *opened);
    patient.statement_timeout_ms = patient.query_timeout_ms = DELETE_TIMEOUT_MS;
    enum usher_status status = pg_session_open_schema(&opened->connection, &patient, err);
    if (status != USHER_OK) {
        pg_prune_close(opened);
        return status;
    }
    opened->connection.purpose = "prune";
    *prune = opened;
    return USHER_OK;
}

void pg_prune_close(struct pg_prune *prune)
{
    if (prune) {
        pg_connection_close(&prune->connection);
        free(prune);
    }
}

/* ---- lists ---- */

enum usher_status pg_prune_list(struct pg_prune *prune, int64_t older_than_s,
                                struct usher_arena *arena, struct pg_prunable **resources,
                                uint32_t *count, struct usher_error *err)
{
    struct pg_params params = {0};
    PGresult *result;
    pg_params_int8(&params, older_than_s);
    enum usher_status status =
        pg_connection_query(&prune->connection, prune_list_sql, &params, &result, err);
    if (status != USHER_OK)
        return status;
    *count = (uint32_t)PQntuples(result);
    *resources = usher_arena_alloc(arena, (*count + 1) * sizeof **resources);
    for (uint32_t i = 0; i < *count; i++) {
        struct pg_row row = pg_row_of(result, (int)i, arena);
        struct pg_prunable *resource = &(*resources)[i];
        *resource = (struct pg_prunable){.no = pg_row_int8(&row, 0)};
        resource->partition = pg_row_int4(&row, 0);
        resource->id = pg_row_text(&row, NULL);
        resource->ended_ms = pg_row_ms(&row, 0);
        resource->decisions = pg_row_int8(&row, 0);
    }
    PQclear(result);
    return USHER_OK;
}

enum usher_status pg_prune_shown(struct pg_prune *prune, struct usher_arena *arena,
                                 struct pg_prunable **resources, uint32_t *count,
                                 struct usher_error *err)
{
    PGresult *result;
    enum usher_status status =
        pg_connection_query(&prune->connection, prune_shown_sql, NULL, &result, err);
    if (status != USHER_OK)
        return status;
    *count = (uint32_t)PQntuples(result);
    *resources = usher_arena_alloc(arena, (*count + 1) * sizeof **resources);
    for (uint32_t i = 0; i < *count; i++) {
        struct pg_row row = pg_row_of(result, (int)i, arena);
        (*resources)[i] = (struct pg_prunable){.no = pg_row_int8(&row, 0)};
        (*resources)[i].id = pg_row_text(&row, NULL);
        (*resources)[i].epoch = pg_row_int4(&row, 0);
    }
    PQclear(result);
    return USHER_OK;
}

enum usher_status pg_prune_hidden(struct pg_prune *prune, int64_t no, struct usher_error *err)
{
    struct pg_params params = {0};
    PGresult *result;
    pg_params_int8(&params, no);
    enum usher_status status =
        pg_connection_query(&prune->connection, prune_hidden_sql, &params, &result, err);
    PQclear(result);
    return status;
}

/* ---- deleting ---- */

struct part_file {
    struct pg_archive *archive;
    const char *table;
};

static enum usher_status write_line(void *context, const char *text, size_t size,
                                    struct usher_error *err)
{
    const struct part_file *file = context;
    return pg_archive_write(file->archive, file->table, text, size, err);
}

/* What is deleted is what is archived: one statement does both. */
static enum usher_status delete_part(struct pg_prune *prune, size_t part,
                                     struct pg_archive *archive, int64_t *rows,
                                     struct usher_error *err)
{
    struct usher_buffer text = {0};
    PGresult *result = NULL;
    enum usher_status status;
    struct part_file file = {archive, parts[part].table};
    usher_buffer_text(&text, archive ? "copy (\n" : "with deleted as (\n");
    usher_buffer_text(&text, parts[part].sql);
    usher_buffer_text(&text, archive ? "\n) to stdout" : "\n) select count(*) from deleted");
    const char zero = '\0';
    usher_buffer_append(&text, &zero, 1);
    if (archive) {
        status = pg_connection_copy(&prune->connection, text.at, &file, write_line, rows, err);
    } else {
        status = pg_connection_query(&prune->connection, text.at, NULL, &result, err);
        if (status == USHER_OK) {
            struct pg_row row = pg_row_of(result, 0, NULL);
            *rows = pg_row_int8(&row, 0);
        }
    }
    PQclear(result);
    usher_buffer_deinit(&text);
    return status;
}

static enum usher_status begin(struct pg_prune *prune, int64_t older_than_s,
                               struct pg_prunable *resource, struct usher_error *err)
{
    struct pg_params params = {0};
    PGresult *result;
    pg_params_int8(&params, resource->no);
    pg_params_int8(&params, older_than_s);
    pg_params_text(&params, resource->id);
    enum usher_status status =
        pg_connection_query(&prune->connection, prune_begin_sql, &params, &result, err);
    if (status == USHER_OK && PQntuples(result) == 0) {
        usher_error_set(err, USHER_EXIT_UNAVAILABLE,
                        "resource \"%s\" cannot be pruned now: it changed, or its answers are not "
                        "known to be published",
                        resource->id);
        status = USHER_REJECT;
    }
    PQclear(result);
    return status;
}

static enum usher_status delete_resource(struct pg_prune *prune, int64_t older_than_s,
                                         struct pg_archive *archive, struct pg_prunable *resource,
                                         struct usher_error *err)
{
    int64_t counts[COUNTS] = {0};
    enum usher_status status = begin(prune, older_than_s, resource, err);
    for (size_t i = 0; status == USHER_OK && i < sizeof parts / sizeof *parts; i++) {
        int64_t rows = 0;
        status = delete_part(prune, i, archive, &rows, err);
        counts[parts[i].counts] += rows;
    }
    resource->decisions = counts[COUNTS_DECISIONS];
    resource->bookings = counts[COUNTS_BOOKINGS];
    resource->units = counts[COUNTS_UNITS];
    resource->dead_letters = counts[COUNTS_DEAD_LETTERS];
    return status;
}

/* Under the lock of the partition's row, which is why it comes last. */
static enum usher_status end(struct pg_prune *prune, const struct pg_prunable *resource,
                             struct usher_error *err)
{
    struct pg_params params = {0};
    PGresult *result;
    pg_params_int8(&params, resource->no);
    pg_params_int4(&params, resource->partition);
    pg_params_text(&params, resource->id);
    pg_params_timestamp(&params, resource->ended_ms, -1);
    pg_params_int8(&params, resource->decisions);
    pg_params_int8(&params, resource->bookings);
    pg_params_int8(&params, resource->dead_letters);
    enum usher_status status =
        pg_connection_query(&prune->connection, prune_end_sql, &params, &result, err);
    PQclear(result);
    return status == USHER_FENCED ? USHER_REJECT : status; /* US002 */
}

enum usher_status pg_prune_resources(struct pg_prune *prune, int64_t older_than_s,
                                     const char *directory, struct pg_prunable *resources,
                                     uint32_t count, struct usher_error *err)
{
    char name[NAME_SIZE];
    snprintf(name, sizeof name, "%" PRId32 "-%" PRId64, resources[0].partition,
             resources[0].no & ((INT64_C(1) << 48) - 1));
    struct pg_archive *archive = directory ? pg_archive_begin(directory, name) : NULL;
    enum usher_status status = pg_connection_script(&prune->connection, "begin", err);
    for (uint32_t i = 0; status == USHER_OK && i < count; i++)
        status = delete_resource(prune, older_than_s, archive, &resources[i], err);
    if (status == USHER_OK && archive)
        status = pg_archive_finish(archive, err);
    for (uint32_t i = 0; status == USHER_OK && i < count; i++)
        status = end(prune, &resources[i], err);
    if (status == USHER_OK) {
        /* Without an answer it may have been committed all the same: then the files are all there
         * is. */
        pg_archive_free(archive);
        return pg_connection_script(&prune->connection, "commit", err);
    }
    pg_archive_abandon(archive);
    if (prune->connection.conn &&
        pg_connection_script(&prune->connection, "rollback", NULL) != USHER_OK)
        pg_connection_close(&prune->connection);
    return status;
}
