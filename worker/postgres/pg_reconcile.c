/*
 * One statement per rule that must hold, which selects the rows that break it as lines of text for
 * people. All in one snapshot, so workers may continue meanwhile.
 */
#include "worker/postgres/pg_reconcile.h"

#include "postgres_sql.h"
#include "usher/memory.h"
#include "worker/postgres/pg_session.h"
#include "worker/postgres/pg_value.h"

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
typedef void tell_line(void *context, const char *text);

static void report(const PGresult *result, void *context, tell_line *tell, uint64_t *count)
{
    for (int i = 0; i < PQntuples(result); i++) {
        struct pg_row row = pg_row_of(result, i, NULL);
        row.column = 1;
        *count += i == 0 ? (uint64_t)pg_row_int8(&row, 0) : 0;
        tell(context, PQgetvalue(result, i, 0));
    }
}

static enum usher_status run(struct pg_connection *connection, const char *check, void *context,
                             tell_line *tell, uint64_t *count, struct usher_error *err)
{
    struct usher_arena arena = {0};
    const char *sql = usher_arena_format(
        &arena, "select line, count(*) over () from (%s) as d (line) limit %d", check, LINES_MAX);
    PGresult *result;
    enum usher_status status = pg_connection_query(connection, sql, NULL, &result, err);
    if (status == USHER_OK)
        report(result, context, tell, count);
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
