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
#include <stdlib.h>
#include <string.h>

#include "producer/base/allocate.h"
#include "producer/base/clock.h"
#include "producer/base/log.h"

/* ==== Connections and pipelines ==== */

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

#define POOLER "connect to the server itself, not through a pooler, in whatever mode"

#define LOG "see the server's log"

#define CHECK                                                                                     \
    "`usher-worker check` names what may keep rows from being written, `usher-worker reconcile` " \
    "compares what is there"

/* What an error is caused by. A commit may do without one request, a read without nothing. */
enum cause {
    BY_NOTHING_ELSE, /* not classified */
    BY_OUTSIDE,      /* the server or the network, for a while: it goes on by itself */
    BY_OWNER,        /* another owner of the partition */
    BY_DATA,         /* of one request, which becomes a dead letter */
    BY_TIME,         /* it took too long: the data, if it was a commit */
    BY_SETUP,  /* a person set it up wrongly: all batches meet it, or a function says so of one */
    BY_DAMAGE, /* what is stored is not as it must be: a person must look before it goes on */
    CAUSES,
};

static const enum usher_status statuses[CAUSES][PG_ORIGINS] = {
    /*                    read           commit         called by a commit */
    [BY_NOTHING_ELSE] = {USHER_FATAL, USHER_REJECT, USHER_REJECT},
    [BY_OUTSIDE] = {USHER_RETRY, USHER_RETRY, USHER_RETRY},
    [BY_OWNER] = {USHER_FENCED, USHER_FENCED, USHER_FENCED},
    [BY_DATA] = {USHER_FATAL, USHER_REJECT, USHER_REJECT},
    [BY_TIME] = {USHER_RETRY, USHER_REJECT, USHER_REJECT},
    [BY_SETUP] = {USHER_FATAL, USHER_RETRY, USHER_REJECT},
    [BY_DAMAGE] = {USHER_HALT, USHER_HALT, USHER_HALT},
};

struct pg_rule {
    const char *prefix; /* of the SQLSTATE: a class, or all of it */
    enum cause cause;
    enum usher_exit exit_code;
    const char *advice;
};

/*
 * All classes of PostgreSQL that a statement of the worker, or a trigger of somebody else, can
 * raise; README.md says why each is what it is. The first match counts: single codes stand before
 * their class. What is missing is not classified: syntax, cursors, roles, and whatever a trigger
 * raises by its own will (P0).
 */
static const struct pg_rule rules[] = {
    {"US001", BY_OWNER, USHER_EXIT_UNAVAILABLE, NULL},
    {"US002", BY_OWNER, USHER_EXIT_UNAVAILABLE, NULL},
    {"US003", BY_DAMAGE, USHER_EXIT_BUG, CHECK},
    {"US004", BY_SETUP, USHER_EXIT_CONFIG,
     "keys belong to partitions by that count: `usher-worker topics check --partitions N` with it "
     "says how to replace the topics; another count needs new topics and an empty database"},
    {"US005", BY_OUTSIDE, USHER_EXIT_UNAVAILABLE, NULL}, /* it does not live here … */
    {"US006", BY_OUTSIDE, USHER_EXIT_UNAVAILABLE, NULL}, /* … or is on its way */
    {"08", BY_OUTSIDE, USHER_EXIT_UNAVAILABLE, NULL},
    {"0A", BY_DAMAGE, USHER_EXIT_CONFIG, CHECK}, /* a rule of the table, which somebody made */
    {"22021", BY_DATA, USHER_EXIT_USAGE, "give text in UTF-8"},
    {"22", BY_DATA, USHER_EXIT_BUG, NULL},
    {"23", BY_DATA, USHER_EXIT_BUG, NULL},
    {"25006", BY_OUTSIDE, USHER_EXIT_UNAVAILABLE, "connect to the primary, not to a standby"},
    {"25P03", BY_OUTSIDE, USHER_EXIT_UNAVAILABLE, NULL},
    {"25P04", BY_OUTSIDE, USHER_EXIT_UNAVAILABLE, NULL},
    {"26", BY_SETUP, USHER_EXIT_CONFIG, POOLER},
    {"27", BY_DAMAGE, USHER_EXIT_CONFIG, CHECK}, /* a trigger changed the row meanwhile */
    {"28", BY_SETUP, USHER_EXIT_DENIED, "check user and password in USHER_POSTGRES"},
    {"3D", BY_SETUP, USHER_EXIT_CONFIG, "check the database's name in USHER_POSTGRES"},
    {"3F", BY_SETUP, USHER_EXIT_CONFIG, MIGRATE},
    {"40", BY_OUTSIDE, USHER_EXIT_UNAVAILABLE, NULL},
    {"42501", BY_SETUP, USHER_EXIT_DENIED,
     "connect as a member of the role that --help names, else of usher_worker"},
    {"42P01", BY_SETUP, USHER_EXIT_CONFIG, MIGRATE},
    {"42P05", BY_SETUP, USHER_EXIT_CONFIG, POOLER},
    {"42P17", BY_DAMAGE, USHER_EXIT_CONFIG, CHECK}, /* a rule that refers to itself */
    {"42703", BY_SETUP, USHER_EXIT_CONFIG, MIGRATE},
    {"42704", BY_SETUP, USHER_EXIT_CONFIG, MIGRATE},
    {"42804", BY_SETUP, USHER_EXIT_CONFIG, "the schema is not this program's: run a newer program"},
    {"42883", BY_SETUP, USHER_EXIT_CONFIG, MIGRATE},
    {"53", BY_OUTSIDE, USHER_EXIT_UNAVAILABLE, LOG},
    {"54001", BY_DATA, USHER_EXIT_BUG, NULL}, /* text that is nested too deeply … */
    {"54011", BY_DATA, USHER_EXIT_BUG, NULL},
    {"54023", BY_DATA, USHER_EXIT_BUG, NULL},        /* … or has too many parts */
    {"54", BY_OUTSIDE, USHER_EXIT_UNAVAILABLE, LOG}, /* transaction ids have run out */
    {"55", BY_OUTSIDE, USHER_EXIT_UNAVAILABLE, NULL},
    {"57014", BY_TIME, USHER_EXIT_UNAVAILABLE, NULL},
    {"57", BY_OUTSIDE, USHER_EXIT_UNAVAILABLE, NULL},
    {"58", BY_OUTSIDE, USHER_EXIT_UNAVAILABLE, LOG},
    {"72", BY_OUTSIDE, USHER_EXIT_UNAVAILABLE, NULL},
    {"F0", BY_OUTSIDE, USHER_EXIT_UNAVAILABLE, LOG},
    {"HV", BY_OUTSIDE, USHER_EXIT_UNAVAILABLE, LOG}, /* of a trigger that writes elsewhere */
    {"XX001", BY_DAMAGE, USHER_EXIT_UNAVAILABLE, "the database is damaged"},
    {"XX002", BY_DAMAGE, USHER_EXIT_UNAVAILABLE, "an index of the database is damaged"},
    /* One partition tries again and says so: the others of this worker need not stop for it. */
    {"XX", BY_OUTSIDE, USHER_EXIT_UNAVAILABLE, LOG},
};

static bool starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static const struct pg_rule *find_rule(const char *sqlstate)
{
    static const struct pg_rule lost = {"", BY_OUTSIDE, USHER_EXIT_UNAVAILABLE, NULL};
    static const struct pg_rule unknown = {"", BY_NOTHING_ELSE, USHER_EXIT_BUG, NULL};
    if (!sqlstate || *sqlstate == '\0')
        return &lost;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (starts_with(sqlstate, rules[i].prefix))
            return &rules[i];
    return &unknown;
}

struct pg_meaning pg_status_meaning(const char *sqlstate, enum pg_origin origin)
{
    const struct pg_rule *rule = find_rule(sqlstate);
    const enum usher_status status = statuses[rule->cause][origin];
    if (status != USHER_REJECT)
        return (struct pg_meaning){status, rule->exit_code, rule->advice};
    bool by_data = rule->cause == BY_DATA || rule->cause == BY_TIME;
    return (struct pg_meaning){status, by_data ? USHER_EXIT_BAD_INPUT : USHER_EXIT_BUG, NULL};
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

static bool is_from(const PGresult *result, const char *sqlstate, int code, const char *text)
{
    const char *raised = field(result, PG_DIAG_SQLSTATE);
    const char *found = field(result, code);
    return raised && found && strcmp(raised, sqlstate) == 0 && strcmp(found, text) == 0;
}

static bool hides_rows(const PGresult *result)
{
    return is_from(result, "42501", PG_DIAG_SOURCE_FUNCTION, "check_enable_rls");
}

/*
 * What is not told by the SQLSTATE alone.
 *
 * A unit that is to be allocated has an owner, or more units of a pool would be taken than there
 * are: memory and database disagree, and no record is at fault that could be set aside. A plan that
 * was made before a migration is made again by the next session. Rows that a policy would hide
 * belong to no request, and are there once it is gone.
 */
static struct pg_meaning meaning_of(const PGresult *result, enum pg_origin origin)
{
    if (is_from(result, "23505", PG_DIAG_CONSTRAINT_NAME, "allocation_pkey") ||
        is_from(result, "23514", PG_DIAG_CONSTRAINT_NAME, "pool_taken_check"))
        return pg_status_meaning("US003", origin);
    if (is_from(result, "0A000", PG_DIAG_SOURCE_FUNCTION, "RevalidateCachedQuery"))
        return pg_status_meaning("08", origin);
    if (hides_rows(result))
        return (struct pg_meaning){
            USHER_RETRY, USHER_EXIT_DENIED,
            "it hides rows from usher: `usher-worker check` says what to run"};
    return pg_status_meaning(field(result, PG_DIAG_SQLSTATE), origin);
}

enum usher_status pg_status_of(PGconn *conn, const PGresult *result, enum pg_origin origin,
                               const char *what, struct usher_error *err)
{
    if (origin == PG_COMMIT && field(result, PG_DIAG_CONTEXT))
        origin = PG_COMMIT_CALLED;
    struct pg_meaning meaning = meaning_of(result, origin);
    const char *text = field(result, PG_DIAG_MESSAGE_PRIMARY);
    const char *hint = field(result, PG_DIAG_MESSAGE_HINT);
    if (!text)
        text = PQerrorMessage(conn);
    if (hint && meaning.status != USHER_HALT && !hides_rows(result))
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
