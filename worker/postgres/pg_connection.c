/*
 * A connection to PostgreSQL on which nothing waits without a deadline, and its pipeline. Knows
 * pipelines and time, and no statement.
 */
#include "worker/postgres/pg_connection.h"

#include <assert.h>
#include <ctype.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "producer/base/clock.h"

/* ==== Connections and pipelines ==== */

enum {
    PARAMETER_MAX = 1000 * 1000 * 1000 /* below what a message, and a value, may have */
};

void pg_connection_close(struct pg_connection *connection)
{
    if (connection->conn) {
        PQfinish(connection->conn);
        connection->conn = NULL;
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
    connection->sqlstate[0] = '\0';
    if (!PQsendQueryParams(connection->conn, sql, p->count, NULL, p->values, p->sizes, p->formats,
                           1))
        return pg_status_of(connection->conn, NULL, PG_READ, "send to PostgreSQL", err);
    return drain(connection, result, err);
}

enum usher_status pg_connection_script(struct pg_connection *connection, const char *sql,
                                       struct usher_error *err)
{
    connection->sqlstate[0] = '\0';
    if (!PQsendQuery(connection->conn, sql))
        return pg_status_of(connection->conn, NULL, PG_READ, "send to PostgreSQL", err);
    PGresult *result = NULL;
    enum usher_status status = drain(connection, &result, err);
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
    connection->sqlstate[0] = '\0';
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

/* What follows a statement that failed the server skips, up to the sync. False: it did not get
 * there. */
static bool skip_to_sync(struct pg_connection *connection, int64_t deadline_ms)
{
    PGresult *next = NULL;
    bool is_sync = false, was_end = false;
    while (!is_sync) {
        if (next_result(connection, deadline_ms, &next, NULL) != USHER_OK || (!next && was_end))
            return false;
        was_end = !next;
        is_sync = next && PQresultStatus(next) == PGRES_PIPELINE_SYNC;
        PQclear(next);
    }
    return PQexitPipelineMode(connection->conn) == 1;
}

enum usher_status pg_connection_finish(struct pg_connection *connection, PGresult **results,
                                       uint32_t count, struct usher_error *err)
{
    int64_t deadline_ms = clock_ms() + connection->query_timeout_ms;
    enum usher_status status = USHER_OK;
    PGresult *sync = NULL;
    connection->sqlstate[0] = '\0';
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

/* ==== Hosts ==== */

#define DEFAULT_PORT "5432"

/* The list behind its first item; NULL: that was the last one. */
static const char *rest_of(const char *list)
{
    const char *comma = list ? strchr(list, ',') : NULL;
    return comma ? comma + 1 : NULL;
}

static bool begins_with(const char *list, const char *item)
{
    size_t size = strcspn(list, ",");
    return strlen(item) == size && strncmp(list, item, size) == 0;
}

static bool is_first(const struct pg_hosts *hosts, const char *name, const char *port)
{
    bool is_port = !hosts->ports || begins_with(hosts->ports, port) ||
                   (begins_with(hosts->ports, "") && strcmp(port, DEFAULT_PORT) == 0);
    return is_port && ((hosts->names && begins_with(hosts->names, name)) ||
                       (hosts->addresses && begins_with(hosts->addresses, name)));
}

/* False: there is only one. */
static bool drop_first(struct pg_hosts *hosts)
{
    const struct pg_hosts rest = {rest_of(hosts->names), rest_of(hosts->addresses),
                                  rest_of(hosts->ports)};
    if (!rest.names && !rest.addresses)
        return false;
    hosts->names = rest.names;
    hosts->addresses = rest.addresses;
    if (rest.ports)
        hosts->ports = rest.ports;
    return true;
}

bool pg_hosts_pass(struct pg_hosts *hosts, const char *name, const char *port)
{
    struct pg_hosts left = *hosts;
    while (!is_first(&left, name, port))
        if (!drop_first(&left))
            return false;
    if (!drop_first(&left))
        return false;
    *hosts = left;
    return true;
}

/* ==== Certificates ==== */

static pthread_once_t once = PTHREAD_ONCE_INIT;

static _Thread_local long last_problem;

/* The signature is OpenSSL's. */
static void note_result(void *ssl, void *data, CRYPTO_EX_DATA *all, int index, long number,
                        void *pointer)
{
    (void)data;
    (void)all;
    (void)index;
    (void)number;
    (void)pointer;
    last_problem = SSL_get_verify_result(ssl);
}

static void ask_for_room(void)
{
    (void)SSL_get_ex_new_index(0, NULL, NULL, NULL, note_result);
}

void pg_certificate_watch(void)
{
    (void)pthread_once(&once, ask_for_room);
    last_problem = X509_V_OK;
}

long pg_certificate_problem(void)
{
    return last_problem;
}

/* ==== Meaning of errors ==== */

#define MIGRATE "run `usher-worker migrate up`"

#define POOLER "connect to the server itself, not through a pooler in transaction mode"

struct pg_rule {
    const char *prefix; /* of the SQLSTATE: a class, or all of it */
    enum usher_status status;
    enum usher_exit exit_code;
    const char *advice;
};

/* The first match counts: single codes stand before their class. */
static const struct pg_rule rules[] = {
    {"US001", USHER_FENCED, USHER_EXIT_UNAVAILABLE, NULL},
    {"US002", USHER_FENCED, USHER_EXIT_UNAVAILABLE, NULL},
    {"US003", USHER_HALT, USHER_EXIT_BUG, "run `usher-worker reconcile`"},
    {"US004", USHER_FATAL, USHER_EXIT_CONFIG,
     "keys belong to partitions by that count: `usher-worker topics check --partitions N` with it "
     "says how to replace the topics; another count needs new topics and an empty database"},
    {"US005", USHER_RETRY, USHER_EXIT_UNAVAILABLE, NULL}, /* it does not live here … */
    {"US006", USHER_RETRY, USHER_EXIT_UNAVAILABLE, NULL}, /* … or is on its way */
    {"08", USHER_RETRY, USHER_EXIT_UNAVAILABLE, NULL},
    {"0A", USHER_RETRY, USHER_EXIT_CONFIG, NULL}, /* a cached plan after a migration */
    {"22021", USHER_FATAL, USHER_EXIT_USAGE, "give text in UTF-8"},
    {"25006", USHER_RETRY, USHER_EXIT_UNAVAILABLE, "connect to the primary, not to a standby"},
    {"25P03", USHER_RETRY, USHER_EXIT_UNAVAILABLE, NULL},
    {"25P04", USHER_RETRY, USHER_EXIT_UNAVAILABLE, NULL},
    {"26", USHER_FATAL, USHER_EXIT_CONFIG, POOLER},
    {"28", USHER_FATAL, USHER_EXIT_DENIED, "check user and password in USHER_POSTGRES"},
    {"3D", USHER_FATAL, USHER_EXIT_CONFIG, "check the database's name in USHER_POSTGRES"},
    {"3F", USHER_FATAL, USHER_EXIT_CONFIG, MIGRATE},
    {"40", USHER_RETRY, USHER_EXIT_UNAVAILABLE, NULL},
    {"42501", USHER_FATAL, USHER_EXIT_DENIED,
     "connect as a member of the role that --help names, else of usher_worker"},
    {"42P01", USHER_FATAL, USHER_EXIT_CONFIG, MIGRATE},
    {"42P05", USHER_FATAL, USHER_EXIT_CONFIG, POOLER},
    {"42703", USHER_FATAL, USHER_EXIT_CONFIG, MIGRATE},
    {"42704", USHER_FATAL, USHER_EXIT_CONFIG, MIGRATE},
    {"42804", USHER_FATAL, USHER_EXIT_CONFIG,
     "the schema is not this program's: run a newer program"},
    {"42883", USHER_FATAL, USHER_EXIT_CONFIG, MIGRATE},
    {"53", USHER_RETRY, USHER_EXIT_UNAVAILABLE, NULL},
    {"55P03", USHER_RETRY, USHER_EXIT_UNAVAILABLE, NULL},
    {"57", USHER_RETRY, USHER_EXIT_UNAVAILABLE, NULL},
    {"58", USHER_RETRY, USHER_EXIT_UNAVAILABLE, "see the server's log"},
    /* One partition tries again and says so: the others of this worker need not stop for it. */
    {"XX000", USHER_RETRY, USHER_EXIT_UNAVAILABLE, "see the server's log"},
    {"XX001", USHER_HALT, USHER_EXIT_UNAVAILABLE, "the database is damaged"},
    {"XX002", USHER_HALT, USHER_EXIT_UNAVAILABLE, "an index of the database is damaged"},
};

/* Errors that the data of a commit causes, and would cause again: its request becomes a dead
 * letter. */
static const char *const data_errors[] = {"22", "23", "54", "57014"};

/* What is not classified: a read should not have met it, of a commit one request may be at fault.
 */
static const struct pg_meaning unknown = {USHER_FATAL, USHER_EXIT_BUG, NULL};

static const struct pg_meaning unknown_of_commit = {USHER_REJECT, USHER_EXIT_BUG, NULL};

static bool starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static struct pg_meaning meaning_of_read(const char *sqlstate)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (starts_with(sqlstate, rules[i].prefix))
            return (struct pg_meaning){rules[i].status, rules[i].exit_code, rules[i].advice};
    return unknown;
}

/*
 * Where a statement itself lacks a permission or a column, so do those of all batches: no request
 * is at fault. A function may raise the same because of one request.
 */
static struct pg_meaning meaning_of_commit(const char *sqlstate, bool called)
{
    for (size_t i = 0; i < sizeof data_errors / sizeof *data_errors; i++)
        if (starts_with(sqlstate, data_errors[i]))
            return (struct pg_meaning){USHER_REJECT, USHER_EXIT_BAD_INPUT, NULL};
    struct pg_meaning meaning = meaning_of_read(sqlstate);
    if (meaning.status != USHER_FATAL)
        return meaning;
    if (called || meaning.exit_code == USHER_EXIT_BUG)
        return unknown_of_commit;
    meaning.status = USHER_RETRY;
    return meaning;
}

struct pg_meaning pg_status_meaning(const char *sqlstate, enum pg_origin origin)
{
    if (!sqlstate || *sqlstate == '\0')
        return (struct pg_meaning){USHER_RETRY, USHER_EXIT_UNAVAILABLE, NULL};
    return origin == PG_READ ? meaning_of_read(sqlstate)
                             : meaning_of_commit(sqlstate, origin == PG_COMMIT_CALLED);
}

/* Length of the first line: what follows is for the server's own log. */
static int line_length(const char *text)
{
    return (int)strcspn(text, "\n");
}

static void set_error(struct usher_error *err, const struct pg_meaning *meaning, const char *what,
                      const char *text)
{
    usher_error_set(err, meaning->exit_code, "could not %s: %.*s%s%s", what, line_length(text),
                    text, meaning->advice ? "; " : "", meaning->advice ? meaning->advice : "");
}

static const char *field(const PGresult *result, int code)
{
    return result ? PQresultErrorField(result, code) : NULL;
}

/*
 * A unit that is to be allocated has an owner, or more units of a pool would be taken than there
 * are: memory and database disagree, and no record is at fault that could be set aside.
 */
static bool is_oversold(const PGresult *result)
{
    const char *sqlstate = field(result, PG_DIAG_SQLSTATE);
    const char *constraint = field(result, PG_DIAG_CONSTRAINT_NAME);
    if (!sqlstate || !constraint)
        return false;
    return (strcmp(sqlstate, "23505") == 0 && strcmp(constraint, "allocation_pkey") == 0) ||
           (strcmp(sqlstate, "23514") == 0 && strcmp(constraint, "pool_taken_check") == 0);
}

enum usher_status pg_status_of(PGconn *conn, const PGresult *result, enum pg_origin origin,
                               const char *what, struct usher_error *err)
{
    if (origin == PG_COMMIT && field(result, PG_DIAG_CONTEXT))
        origin = PG_COMMIT_CALLED;
    struct pg_meaning meaning = is_oversold(result)
                                    ? pg_status_meaning("US003", origin)
                                    : pg_status_meaning(field(result, PG_DIAG_SQLSTATE), origin);
    const char *text = field(result, PG_DIAG_MESSAGE_PRIMARY);
    const char *hint = field(result, PG_DIAG_MESSAGE_HINT);
    if (!text)
        text = PQerrorMessage(conn);
    if (hint)
        meaning.advice = hint; /* it knows more than the class does */
    set_error(err, &meaning, what, *text != '\0' ? text : "the connection was lost");
    return meaning.status;
}

/* Finds "FATAL:  28P01: password…" and returns what follows the code, or NULL. */
static const char *find_sqlstate(const char *text, char sqlstate[6])
{
    for (const char *at = strstr(text, ":  "); at; at = strstr(at + 1, ":  ")) {
        const char *code = at + 3;
        size_t size = 0;

        while (size < 5 &&
               (isupper((unsigned char)code[size]) || isdigit((unsigned char)code[size])))
            size++;
        if (size == 5 && code[5] == ':') {
            memcpy(sqlstate, code, 5);
            sqlstate[5] = '\0';
            return code + 6 + strspn(code + 6, " ");
        }
    }
    return NULL;
}

enum usher_status pg_status_of_connect(PGconn *conn, struct usher_error *err)
{
    char sqlstate[6] = "";
    const char *text = PQerrorMessage(conn);
    const char *reason = find_sqlstate(text, sqlstate);
    if (!reason && (PQconnectionNeedsPassword(conn) || PQconnectionUsedPassword(conn)) &&
        strstr(text, "password"))
        memcpy(sqlstate, "28P01", 6);
    struct pg_meaning meaning = pg_status_meaning(sqlstate, PG_READ);
    /* No statement was sent that could be wrong: it is the server, as with a disk that is full. */
    if (meaning.exit_code == USHER_EXIT_BUG)
        meaning = (struct pg_meaning){USHER_RETRY, USHER_EXIT_UNAVAILABLE, "see the server's log"};
    set_error(err, &meaning, "connect to PostgreSQL", reason ? reason : text);
    return meaning.status;
}
