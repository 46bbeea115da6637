/*
 * One statement per rule that must hold, which selects the rows that break it as lines of text
 * for people, all in one snapshot; and resources one by one, each in a snapshot of its own.
 */
#include "worker/postgres/pg_reconcile.h"

#include <stdlib.h>

#include "postgres_sql.h"
#include "producer/base/allocate.h"
#include "worker/postgres/pg_load.h"
#include "worker/postgres/pg_session.h"
#include "worker/postgres/pg_value.h"

/* ==== Checks in SQL ==== */

enum {
    LINES_MAX = 100,               /* per check */
    SCAN_TIMEOUT_MS = 3600 * 1000, /* whole tables are scanned, and nothing waits for it */
};

/* Each selects a single column of text. */
static const char *const checks[] = {
    reconcile_allocation_has_booking_sql,
    reconcile_lines_are_allocations_sql,
    reconcile_pool_counters_sql,
    reconcile_totals_sql,
    reconcile_seats_within_capacity_sql,
    reconcile_pools_within_capacity_sql,
    reconcile_bookings_have_decision_sql,
    reconcile_bookings_follow_decisions_sql,
    reconcile_decisions_name_bookings_sql,
    reconcile_cart_decisions_sql,
    reconcile_sold_sql,
    reconcile_waiting_sql,
    reconcile_carts_sql,
    reconcile_cancelling_sql,
    reconcile_seqs_dense_sql,
    reconcile_seqs_end_sql,
    reconcile_dead_letters_sql,
};

/* Likewise, of what is to be known, and no difference. */
static const char *const notes[] = {reconcile_losses_sql, reconcile_pruned_sql};

/* What one statement found. */
typedef void report_line(void *context, const char *text);

static void report(const PGresult *result, void *context, report_line *visit, uint64_t *count)
{
    for (int i = 0; i < PQntuples(result); i++) {
        struct pg_row row = pg_row_of(result, i, NULL);
        row.column = 1;
        *count += i == 0 ? (uint64_t)pg_row_int8(&row, 0) : 0;
        visit(context, PQgetvalue(result, i, 0));
    }
}

static enum usher_status run(struct pg_connection *connection, const char *check, void *context,
                             report_line *visit, uint64_t *count, struct usher_error *err)
{
    struct usher_arena arena = {0};
    const char *sql = usher_arena_format(
        &arena, "select line, count(*) over () from (%s) as d (line) limit %d", check, LINES_MAX);
    PGresult *result;
    enum usher_status status = pg_connection_query(connection, sql, NULL, &result, err);
    if (status == USHER_OK)
        report(result, context, visit, count);
    PQclear(result);
    usher_arena_deinit(&arena);
    return status;
}

enum usher_status pg_reconcile(const struct pg_settings *settings,
                               const struct pg_differences *differences, uint64_t *count,
                               struct usher_error *err)
{
    struct pg_settings patient = *settings;
    patient.statement_timeout_ms = SCAN_TIMEOUT_MS;
    patient.query_timeout_ms = SCAN_TIMEOUT_MS;

    struct pg_connection connection = {0};
    enum usher_status status = pg_session_open_schema(&connection, &patient, err);
    uint64_t noted = 0;
    *count = 0;
    if (status == USHER_OK)
        status = pg_connection_script(&connection, reconcile_session_sql, err);
    if (status == USHER_OK)
        status = pg_connection_script(&connection, reconcile_begin_sql, err);
    for (size_t i = 0; i < sizeof checks / sizeof *checks && status == USHER_OK; i++)
        status = run(&connection, checks[i], differences->context, differences->line, count, err);
    for (size_t i = 0; i < sizeof notes / sizeof *notes && status == USHER_OK; i++)
        status = run(&connection, notes[i], differences->context, differences->note, &noted, err);
    pg_connection_close(&connection);
    return status;
}

/* ==== All resources ==== */

struct pg_catalog {
    struct pg_settings settings;
    struct pg_connection connection;
    struct pg_load load;
};

/* Connects, if an error has closed the connection. */
static enum usher_status ensure_open(struct pg_catalog *catalog, struct usher_error *err)
{
    if (catalog->connection.conn)
        return USHER_OK;
    enum usher_status status =
        pg_session_open_schema(&catalog->connection, &catalog->settings, err);
    if (status == USHER_OK)
        status = pg_load_open(&catalog->load, &catalog->connection, 0, err);
    if (status != USHER_OK)
        pg_connection_close(&catalog->connection);
    return status;
}

enum usher_status pg_catalog_open(const struct pg_settings *settings, struct pg_catalog **catalog,
                                  struct usher_error *err)
{
    *catalog = memory_calloc(1, sizeof **catalog);
    (*catalog)->settings = *settings;
    enum usher_status status = ensure_open(*catalog, err);
    if (status != USHER_OK) {
        pg_catalog_close(*catalog);
        *catalog = NULL;
    }
    return status;
}

void pg_catalog_close(struct pg_catalog *catalog)
{
    if (catalog) {
        pg_connection_close(&catalog->connection);
        pg_load_deinit(&catalog->load);
        free(catalog);
    }
}

static void read_page(const PGresult *result, struct usher_arena *arena,
                      struct pg_catalog_page *page)
{
    page->count = (uint32_t)PQntuples(result);
    for (uint32_t i = 0; i < page->count; i++) {
        struct pg_row row = pg_row_of(result, (int)i, arena);

        page->entries[i].partition = pg_row_int4(&row, 0);
        page->entries[i].no = pg_row_int8(&row, 0);
        page->entries[i].id = pg_row_text(&row, NULL);
    }
}

enum usher_status pg_catalog_next(struct pg_catalog *catalog, int64_t after_no,
                                  struct usher_arena *arena, struct pg_catalog_page *page,
                                  struct usher_error *err)
{
    struct pg_params params = {0};
    PGresult *result = NULL;
    enum usher_status status = ensure_open(catalog, err);
    page->count = 0;
    pg_params_int8(&params, after_no);
    pg_params_int8(&params, PG_CATALOG_PAGE);
    if (status == USHER_OK)
        status = pg_connection_query(&catalog->connection, catalog_page_sql, &params, &result, err);
    if (status == USHER_OK)
        read_page(result, arena, page);
    else
        pg_connection_close(&catalog->connection);
    PQclear(result);
    return status;
}

enum usher_status pg_catalog_partitions(struct pg_catalog *catalog, int32_t *partition_count,
                                        struct usher_error *err)
{
    PGresult *result = NULL;
    enum usher_status status = ensure_open(catalog, err);
    if (status == USHER_OK)
        status =
            pg_connection_query(&catalog->connection, catalog_partitions_sql, NULL, &result, err);
    if (status != USHER_OK) {
        pg_connection_close(&catalog->connection);
        return status;
    }
    struct pg_row row = pg_row_of(result, 0, NULL);
    *partition_count = pg_row_int4(&row, 0);
    PQclear(result);
    return USHER_OK;
}

enum usher_status pg_catalog_pruned(struct pg_catalog *catalog, struct usher_arena *arena,
                                    const char ***ids, uint32_t *count, struct usher_error *err)
{
    PGresult *result = NULL;
    enum usher_status status = ensure_open(catalog, err);
    if (status == USHER_OK)
        status = pg_connection_query(&catalog->connection, catalog_pruned_sql, NULL, &result, err);
    if (status != USHER_OK) {
        pg_connection_close(&catalog->connection);
        return status;
    }
    *count = (uint32_t)PQntuples(result);
    *ids = usher_arena_alloc(arena, (*count + 1) * sizeof **ids);
    for (uint32_t i = 0; i < *count; i++) {
        struct pg_row row = pg_row_of(result, (int)i, arena);
        (*ids)[i] = pg_row_text(&row, NULL);
    }
    PQclear(result);
    return USHER_OK;
}

/* Needs a transaction: the resource and the epoch must be of one snapshot. */
static enum usher_status load(struct pg_catalog *catalog, int64_t no, struct usher_arena *arena,
                              struct pg_catalog_snapshot *snapshot, struct usher_error *err)
{
    const struct load_request request = {.resource_nos = &no, .resource_no_count = 1};
    struct load_result result;
    pg_load_set_partition(&catalog->load, row_partition(no));
    enum usher_status status = pg_load_whole(&catalog->load, &request, arena, &result, err);
    if (status == USHER_OK)
        status = pg_load_epoch(&catalog->load, &snapshot->epoch, &snapshot->now_ms, err);
    if (status == USHER_OK && result.resource_count == 0) {
        usher_error_set(err, USHER_EXIT_BAD_INPUT, "could not load resource number %lld: unknown",
                        (long long)no);
        return USHER_REJECT;
    }
    if (status == USHER_OK)
        snapshot->resource = result.resources[0];
    return status;
}

enum usher_status pg_catalog_load(struct pg_catalog *catalog, int64_t no, struct usher_arena *arena,
                                  struct pg_catalog_snapshot *snapshot, struct usher_error *err)
{
    enum usher_status status = ensure_open(catalog, err);
    if (status == USHER_OK) {
        status = pg_connection_script(&catalog->connection,
                                      "begin isolation level repeatable read read only", err);
    }
    if (status == USHER_OK)
        status = load(catalog, no, arena, snapshot, err);
    if (status != USHER_OK && status != USHER_REJECT) {
        pg_connection_close(&catalog->connection);
        return status;
    }
    enum usher_status ended = pg_connection_script(&catalog->connection, "commit", NULL);
    if (ended != USHER_OK)
        pg_connection_close(&catalog->connection); /* what was read stays read */
    return status;
}

enum usher_status pg_catalog_tallies(struct pg_catalog *catalog, int64_t no,
                                     struct usher_arena *arena, struct load_result *result,
                                     struct usher_error *err)
{
    const struct load_request request = {.tally_nos = &no, .tally_count = 1};
    enum usher_status status = ensure_open(catalog, err);
    if (status == USHER_OK)
        status = pg_load_whole(&catalog->load, &request, arena, result, err);
    if (status != USHER_OK)
        pg_connection_close(&catalog->connection);
    return status;
}

/* ==== Decided offsets ==== */

enum {
    PAGE = 20000,                     /* seqs */
    DECIDED_TIMEOUT_MS = 3600 * 1000, /* also of the transaction, while the log is read */
};

struct pg_decided {
    struct pg_connection connection;
};

enum usher_status pg_decided_open(const struct pg_settings *settings, struct pg_decided **decided,
                                  struct usher_error *err)
{
    struct pg_settings patient = *settings;
    patient.statement_timeout_ms = DECIDED_TIMEOUT_MS;
    patient.query_timeout_ms = DECIDED_TIMEOUT_MS;

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

static enum usher_status read_ranges(struct pg_decided *decided,
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
        enum usher_status status = read_ranges(decided, partition, &result, err);
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
