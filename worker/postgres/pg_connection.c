/*
 * A connection to PostgreSQL on which nothing waits without a deadline, and its pipeline. Knows
 * pipelines and time, and no statement.
 */
#include "worker/postgres/pg_connection.h"

#include <assert.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "producer/base/allocate.h"
#include "producer/base/clock.h"
#include "producer/base/log.h"
#include "worker/postgres/pg_status.h"

enum {
    PARAMETER_MAX = 1000 * 1000 * 1000 /* below what a message, and a value, may have */
};

void pg_connection_close(struct pg_connection *connection)
{
    if (connection->conn) {
        PQfinish(connection->conn);
        free(connection->warning);
        connection->conn = NULL;
        connection->warning = NULL;
        connection->unsent = connection->is_refused = false;
    }
}

enum usher_status pg_connection_lost(struct pg_connection *connection, const char *purpose,
                                     struct usher_error *err)
{
    enum usher_status status = pg_status_of(connection->conn, NULL, PG_READ, purpose, err);
    pg_connection_close(connection);
    return status;
}

/* ---- warnings ---- */

enum {
    WARNING_SIZE = 256
};

/*
 * Warnings that say nothing of whether a statement did what it was to do: few transaction ids are
 * left, which is logged; a collation has another version; a backend that was to be terminated is
 * gone; a migration may not revoke or grant something, which `usher-worker check` then names.
 */
static const struct {
    int field;
    const char *text;
    bool logged;
} harmless[] = {
    {PG_DIAG_SOURCE_FUNCTION, "GetNewTransactionId", true},
    {PG_DIAG_SOURCE_FUNCTION, "GetNewMultiXactId", true},
    {PG_DIAG_SOURCE_FUNCTION, "pg_newlocale_from_collation", true},
    {PG_DIAG_SOURCE_FUNCTION, "create_pg_locale", true},
    {PG_DIAG_SOURCE_FUNCTION, "pg_terminate_backend", false},
    {PG_DIAG_SOURCE_FUNCTION, "pg_signal_backend", false},
    {PG_DIAG_SQLSTATE, "01006", false},
    {PG_DIAG_SQLSTATE, "01007", false},
};

/* Logs it if it is for people. */
static bool is_harmless(const PGresult *notice, const char *text)
{
    static struct log_limit limit;
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++) {
        const char *found = PQresultErrorField(notice, harmless[i].field);
        if (!found || strcmp(found, harmless[i].text) != 0)
            continue;
        if (harmless[i].logged)
            log_failure(&limit, NULL, LOG_LEVEL_WARNING, "PostgreSQL warns: %s", text);
        return true;
    }
    return false;
}

/* libpq calls it as it reads; without it, it would print them. */
static void note_warning(void *context, const PGresult *notice)
{
    char *warning = context;
    const char *severity = PQresultErrorField(notice, PG_DIAG_SEVERITY_NONLOCALIZED);
    const char *text = PQresultErrorField(notice, PG_DIAG_MESSAGE_PRIMARY);
    if (severity && strcmp(severity, "WARNING") == 0 && text && !is_harmless(notice, text) &&
        warning[0] == '\0')
        snprintf(warning, WARNING_SIZE, "%s", text);
}

void pg_connection_watch(struct pg_connection *connection)
{
    connection->warning = memory_calloc(1, WARNING_SIZE); /* the connection may be moved */
    PQsetNoticeReceiver(connection->conn, note_warning, connection->warning);
}

enum usher_status pg_connection_confirm(const struct pg_connection *connection, const char *purpose,
                                        struct usher_error *err)
{
    if (!connection->warning || connection->warning[0] == '\0')
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_UNAVAILABLE,
                    "could not %s with certainty: PostgreSQL warned: %s", purpose,
                    connection->warning);
    return USHER_RETRY;
}

/* What is known of the statement before goes. */
static void begin_statement(struct pg_connection *connection)
{
    connection->sqlstate[0] = '\0';
    if (connection->warning)
        connection->warning[0] = '\0';
}

/* ---- waiting ---- */

enum usher_status pg_connection_wait(struct pg_connection *connection, int timeout_ms,
                                     struct usher_error *err)
{
    PGconn *conn = connection->conn;
    int unsent = PQflush(conn);
    struct pollfd socket = {.fd = PQsocket(conn), .events = POLLIN};
    if (unsent < 0 || socket.fd < 0)
        return pg_status_of(conn, NULL, PG_READ, "send to PostgreSQL", err);
    connection->unsent = unsent > 0;
    if (connection->unsent)
        socket.events |= POLLOUT;
    /* An interrupted wait is a short one: the caller knows its deadline. */
    if (poll(&socket, 1, timeout_ms) > 0 && (socket.revents & ~POLLOUT) != 0 &&
        !PQconsumeInput(conn))
        return pg_status_of(conn, NULL, PG_READ, "read from PostgreSQL", err);
    return USHER_OK;
}

static enum usher_status wait_until(struct pg_connection *connection, int64_t deadline_ms,
                                    struct usher_error *err)
{
    int64_t left_ms = deadline_ms - clock_ms();
    if (left_ms <= 0) {
        usher_error_set(err, USHER_EXIT_UNAVAILABLE,
                        "could not wait for PostgreSQL: no answer within %d ms",
                        connection->query_timeout_ms);
        return USHER_RETRY;
    }
    return pg_connection_wait(connection, (int)left_ms, err);
}

/* The next result, or NULL at the end of a statement's; waits for it. */
static enum usher_status next_result(struct pg_connection *connection, int64_t deadline_ms,
                                     PGresult **result, struct usher_error *err)
{
    *result = NULL;
    /* Flushes what is unsent, too: otherwise the server would wait for us while we wait for it. */
    while (PQisBusy(connection->conn)) {
        enum usher_status status = wait_until(connection, deadline_ms, err);

        if (status != USHER_OK)
            return status;
    }
    *result = PQgetResult(connection->conn);
    return USHER_OK;
}

static bool succeeded(const PGresult *result)
{
    ExecStatusType status = PQresultStatus(result);
    return status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK;
}

/* Takes ownership of `result`; stores the first one that succeeded in `*kept`. */
static enum usher_status take_result(struct pg_connection *connection, PGresult *result,
                                     PGresult **kept, struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    if (succeeded(result) && !*kept) {
        *kept = result;
        return USHER_OK;
    }
    if (!succeeded(result)) {
        const char *sqlstate = PQresultErrorField(result, PG_DIAG_SQLSTATE);

        snprintf(connection->sqlstate, sizeof connection->sqlstate, "%s", sqlstate ? sqlstate : "");
        status = pg_status_of(connection->conn, result, PG_READ, connection->purpose, err);
    }
    PQclear(result);
    return status;
}

/* Waits for all results of what was sent; keeps the first, and the first failure. */
static enum usher_status drain(struct pg_connection *connection, PGresult **result,
                               struct usher_error *err)
{
    int64_t deadline_ms = clock_ms() + connection->query_timeout_ms;
    enum usher_status status = USHER_OK;
    PGresult *next = NULL;
    do {
        enum usher_status waited = next_result(connection, deadline_ms, &next, err);

        if (waited == USHER_OK && next)
            waited = take_result(connection, next, result, err);
        if (status == USHER_OK)
            status = waited;
    } while (next);
    if (status == USHER_OK)
        status = pg_connection_confirm(connection, connection->purpose, err);
    if (status != USHER_OK) {
        PQclear(*result);
        *result = NULL;
    }
    return status;
}

enum usher_status pg_connection_query(struct pg_connection *connection, const char *sql,
                                      const struct pg_params *params, PGresult **result,
                                      struct usher_error *err)
{
    static const struct pg_params none;
    const struct pg_params *p = params ? params : &none;
    *result = NULL;
    begin_statement(connection);
    if (!PQsendQueryParams(connection->conn, sql, p->count, NULL, p->values, p->sizes, p->formats,
                           1))
        return pg_status_of(connection->conn, NULL, PG_READ, "send to PostgreSQL", err);
    return drain(connection, result, err);
}

enum usher_status pg_connection_script(struct pg_connection *connection, const char *sql,
                                       struct usher_error *err)
{
    begin_statement(connection);
    if (!PQsendQuery(connection->conn, sql))
        return pg_status_of(connection->conn, NULL, PG_READ, "send to PostgreSQL", err);
    PGresult *result = NULL;
    enum usher_status status = drain(connection, &result, err);
    PQclear(result);
    return status;
}

enum usher_status pg_connection_commit(struct pg_connection *connection, struct usher_error *err)
{
    begin_statement(connection);
    if (!PQsendQuery(connection->conn, "commit"))
        return pg_status_of(connection->conn, NULL, PG_READ, "send to PostgreSQL", err);
    PGresult *result = NULL;
    enum usher_status status = drain(connection, &result, err);
    if (status == USHER_OK && strcmp(PQcmdStatus(result), "COMMIT") != 0) {
        usher_error_set(err, USHER_EXIT_UNAVAILABLE, "could not %s: the server rolled it back",
                        connection->purpose);
        status = USHER_RETRY;
    }
    PQclear(result);
    return status;
}

/* Passes on what has arrived, until the end of the copy. */
static enum usher_status read_lines(struct pg_connection *connection, void *context,
                                    enum usher_status (*line)(void *, const char *, size_t,
                                                              struct usher_error *),
                                    int64_t *rows, struct usher_error *err)
{
    char *text = NULL;
    enum usher_status status = USHER_OK;
    int size = PQgetCopyData(connection->conn, &text, 1);
    while (status == USHER_OK && size >= 0) {
        status = size > 0 ? line(context, text, (size_t)size, err)
                          : wait_until(connection, clock_ms() + connection->query_timeout_ms, err);
        *rows += size > 0;
        PQfreemem(text);
        text = NULL;
        size = status == USHER_OK ? PQgetCopyData(connection->conn, &text, 1) : -1;
    }
    return status; /* an error of the server is the next result */
}

enum usher_status pg_connection_copy(struct pg_connection *connection, const char *sql,
                                     void *context,
                                     enum usher_status (*line)(void *context, const char *text,
                                                               size_t size, struct usher_error *),
                                     int64_t *rows, struct usher_error *err)
{
    PGresult *result = NULL;
    *rows = 0;
    begin_statement(connection);
    if (!PQsendQuery(connection->conn, sql))
        return pg_status_of(connection->conn, NULL, PG_READ, "send to PostgreSQL", err);
    enum usher_status status =
        next_result(connection, clock_ms() + connection->query_timeout_ms, &result, err);
    bool copies = result && PQresultStatus(result) == PGRES_COPY_OUT;
    if (status == USHER_OK && copies) {
        PQclear(result);
        result = NULL;
        status = read_lines(connection, context, line, rows, err);
        if (status != USHER_OK) /* the rest of the copy is still to come */
            pg_connection_close(connection);
    } else if (status == USHER_OK && result) {
        PGresult *failed = result;
        result = NULL;
        status = take_result(connection, failed, &result, err);
    }
    PQclear(result);
    result = NULL;
    if (!connection->conn)
        return status;
    enum usher_status drained = drain(connection, &result, status == USHER_OK ? err : NULL);
    PQclear(result);
    return status == USHER_OK ? drained : status;
}

/* A larger message the server takes for a broken one, and drops the connection. */
static bool is_too_large(const struct pg_connection *connection, const struct pg_params *params)
{
    int max = connection->parameter_max > 0 ? connection->parameter_max : PARAMETER_MAX;
    for (int i = 0; i < params->count; i++)
        if (params->sizes[i] > max)
            return true;
    return false;
}

bool pg_connection_send(struct pg_connection *connection, const char *name,
                        const struct pg_params *params)
{
    connection->is_refused = is_too_large(connection, params);
    if (connection->is_refused)
        return false;
    return PQsendQueryPrepared(connection->conn, name, params->count, params->values, params->sizes,
                               params->formats, 1) == 1;
}

/* Collects one statement's result and the NULL that ends it. */
static enum usher_status collect(struct pg_connection *connection, int64_t deadline_ms,
                                 PGresult **result, struct usher_error *err)
{
    PGresult *next;
    enum usher_status status = next_result(connection, deadline_ms, &next, err);
    if (status != USHER_OK)
        return status;
    if (!next)
        return pg_status_of(connection->conn, NULL, PG_READ, "read from PostgreSQL", err);
    status = take_result(connection, next, result, err);
    if (status != USHER_OK)
        return status;
    status = next_result(connection, deadline_ms, &next, err);
    PQclear(next);
    return status;
}

bool pg_connection_pass(struct pg_connection *connection, int64_t deadline_ms, bool *failed)
{
    PGresult *next = NULL;
    bool is_sync = false, was_end = false;
    while (!is_sync) {
        if (next_result(connection, deadline_ms, &next, NULL) != USHER_OK || (!next && was_end))
            return false;
        was_end = !next;
        is_sync = next && PQresultStatus(next) == PGRES_PIPELINE_SYNC;
        *failed = *failed || (next && PQresultErrorField(next, PG_DIAG_SQLSTATE));
        PQclear(next);
    }
    return true;
}

/* What follows a statement that failed the server skips, up to the sync. False: it did not get
 * there. */
static bool skip_to_sync(struct pg_connection *connection, int64_t deadline_ms)
{
    bool failed = true;
    return pg_connection_pass(connection, deadline_ms, &failed) &&
           PQexitPipelineMode(connection->conn) == 1;
}

enum usher_status pg_connection_finish(struct pg_connection *connection, PGresult **results,
                                       uint32_t count, struct usher_error *err)
{
    int64_t deadline_ms = clock_ms() + connection->query_timeout_ms;
    enum usher_status status = USHER_OK;
    PGresult *sync = NULL;
    begin_statement(connection);
    for (uint32_t i = 0; i < count; i++)
        results[i] = NULL;
    if (!PQpipelineSync(connection->conn))
        status = pg_status_of(connection->conn, NULL, PG_READ, "send to PostgreSQL", err);
    for (uint32_t i = 0; i < count && status == USHER_OK; i++)
        status = collect(connection, deadline_ms, &results[i], err);
    if (status == USHER_OK)
        status = next_result(connection, deadline_ms, &sync, err);
    if (status == USHER_OK && PQresultStatus(sync) == PGRES_PIPELINE_SYNC &&
        PQexitPipelineMode(connection->conn)) {
        PQclear(sync);
        sync = NULL;
        status = pg_connection_confirm(connection, connection->purpose, err);
        if (status == USHER_OK)
            return USHER_OK;
    }
    if (status == USHER_OK)
        status = pg_status_of(connection->conn, sync, PG_READ, "read from PostgreSQL", err);
    PQclear(sync);
    for (uint32_t i = 0; i < count; i++) {
        PQclear(results[i]);
        results[i] = NULL;
    }
    if (connection->sqlstate[0] == '\0' || !skip_to_sync(connection, deadline_ms))
        pg_connection_close(connection);
    return status;
}

enum usher_status pg_connection_ask(struct pg_connection *connection, const char *name,
                                    const struct pg_params *params, PGresult **result,
                                    struct usher_error *err)
{
    *result = NULL;
    if (PQenterPipelineMode(connection->conn) && pg_connection_send(connection, name, params))
        return pg_connection_finish(connection, result, 1, err);
    return pg_connection_lost(connection, connection->purpose, err);
}

enum usher_status pg_connection_prepare(struct pg_connection *connection,
                                        const struct pg_statement *statements, uint32_t count,
                                        struct usher_error *err)
{
    PGresult *results[32];
    bool sent = PQenterPipelineMode(connection->conn) == 1;
    assert(count <= sizeof results / sizeof *results);
    for (uint32_t i = 0; i < count; i++) {
        sent = sent &&
               PQsendPrepare(connection->conn, statements[i].name, statements[i].sql, 0, NULL) == 1;
    }
    if (!sent)
        return pg_status_of(connection->conn, NULL, PG_READ, "send to PostgreSQL", err);
    enum usher_status status = pg_connection_finish(connection, results, count, err);
    for (uint32_t i = 0; i < count; i++)
        PQclear(results[i]);
    return status;
}
