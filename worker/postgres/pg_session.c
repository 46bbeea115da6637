/*
 * Reaches the server, sets the session up and looks the server over, down to its schema. Knows
 * no table but that of the versions.
 */
#include "worker/postgres/pg_session.h"

#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "postgres_sql.h"
#include "producer/base/certificate.h"
#include "producer/base/clock.h"
#include "producer/base/option_value.h"
#include "producer/base/options.h"
#include "worker/postgres/pg_certificate.h"
#include "worker/postgres/pg_hosts.h"
#include "worker/postgres/pg_status.h"
#include "worker/postgres/pg_value.h"

/* ==== Sessions ==== */

enum {
    CONNECT_TIMEOUT_MS = 5000,
    LOCK_TIMEOUT_MS = 2000,
    STATEMENT_TIMEOUT_MS = 10000,
    ANSWER_TIMEOUT_MS = 5000, /* for an answer to arrive once its statement has ended */
    SERVER_VERSION_MIN = 130000,
};

static int or_default(int ms, int fallback)
{
    return ms > 0 ? ms : fallback;
}

static int statement_timeout_ms(const struct pg_settings *settings)
{
    return or_default(settings->statement_timeout_ms, STATEMENT_TIMEOUT_MS);
}

static int lock_timeout_ms(const struct pg_settings *settings)
{
    int half = statement_timeout_ms(settings) / 2;
    return or_default(settings->lock_timeout_ms, half < LOCK_TIMEOUT_MS ? half : LOCK_TIMEOUT_MS);
}

static int query_timeout_ms(const struct pg_settings *settings)
{
    return or_default(settings->query_timeout_ms,
                      statement_timeout_ms(settings) + ANSWER_TIMEOUT_MS);
}

/*
 * Starts to connect to the hosts, those of the URI or what is left of them. The URI's options are
 * used, except where the program depends on a value.
 */
static PGconn *start(const struct pg_settings *settings, const char *uri,
                     const struct pg_hosts *hosts)
{
    /* After this long unsent or unacknowledged, the server or the network is considered gone. */
    char user_timeout[16];
    char application[128]; /* of which the server keeps 63 bytes */
    const char *const names[] = {"fallback_application_name",
                                 "keepalives_idle",
                                 "keepalives_interval",
                                 "keepalives_count",
                                 "tcp_user_timeout",
                                 "dbname",
                                 "client_encoding",
                                 "host",
                                 "hostaddr",
                                 "port",
                                 NULL};
    const char *const values[] = {application,      "5",          "2",    "3",
                                  user_timeout,     uri,          "UTF8", hosts->names,
                                  hosts->addresses, hosts->ports, NULL};

    snprintf(user_timeout, sizeof user_timeout, "%d", query_timeout_ms(settings));
    snprintf(application, sizeof application, "%s%s%s",
             settings->program ? settings->program : "usher-worker", settings->owner ? " " : "",
             settings->owner ? settings->owner : "");
    return PQconnectStartParams(names, values, 1);
}

static const char *value_of(const PQconninfoOption *parsed, const char *keyword)
{
    for (const PQconninfoOption *option = parsed; option->keyword; option++)
        if (strcmp(option->keyword, keyword) == 0)
            return option->val;
    return NULL;
}

/* A port, or one for each host: 5432,5433. */
static bool has_readable_port(const PQconninfoOption *parsed)
{
    const char *port = value_of(parsed, "port");
    return !port || port[strspn(port, "0123456789,")] == '\0';
}

/*
 * Whether a password ends early, because of a character in it that is not escaped: then an @ that
 * should have ended it is left over behind the login, in a host or in the database's name. libpq
 * would try to connect there, and name them when it fails.
 */
static bool cuts_password(const char *uri)
{
    const char *authority = strstr(uri, "://");
    if (!authority || strncmp(uri, "postgres", strlen("postgres")) != 0)
        return false;
    authority += strlen("://");
    const char *rest = authority + strcspn(authority, "@/");
    return rest[strcspn(rest + (*rest == '@'), "@?") + (*rest == '@')] == '@';
}

/*
 * Says why a URI cannot be read. libpq's own words would repeat a part of it, perhaps the password,
 * but for those about the name of a parameter.
 */
static void explain_uri(const char *reason, const char *uri, struct usher_error *err)
{
    static const char about_parameter[] = "invalid URI query parameter: ";
    bool shown = reason && strncmp(reason, about_parameter, strlen(about_parameter)) == 0 &&
                 !cuts_password(uri);
    if (shown)
        usher_error_set(err, USHER_EXIT_CONFIG, "could not read USHER_POSTGRES: %.*s",
                        (int)strcspn(reason, "\n"), reason);
    else
        usher_error_set(err, USHER_EXIT_CONFIG,
                        "could not read USHER_POSTGRES: not a PostgreSQL "
                        "URI (postgresql://user@host:port/database; in a password, write / as %%2F "
                        "and @ as %%40)");
}

/* `*parsed` is to be freed in any case. */
static enum usher_status parse_uri(const char *uri, PQconninfoOption **parsed,
                                   struct usher_error *err)
{
    char *reason = NULL;
    *parsed = uri ? PQconninfoParse(uri, &reason) : NULL;
    bool readable = *parsed && has_readable_port(*parsed) && !cuts_password(uri);
    if (!readable)
        explain_uri(reason, uri, err);
    PQfreemem(reason);
    return readable ? USHER_OK : USHER_FATAL;
}

/*
 * Whether what PQconnectPoll waits for has come; called too early it would mistake an open socket
 * for a connected one.
 */
static bool is_ready(PGconn *conn, PostgresPollingStatusType wanted, int64_t deadline_ms)
{
    int64_t left_ms = deadline_ms - clock_ms();
    struct pollfd socket = {.fd = PQsocket(conn),
                            .events = wanted == PGRES_POLLING_READING ? POLLIN : POLLOUT};
    return left_ms > 0 && poll(&socket, 1, (int)left_ms) > 0;
}

/*
 * That a certificate is for another name libpq finds by itself, and says so. One that nobody asked
 * to verify (sslmode=require) has problems, too, but they are not why it failed.
 */
static enum usher_status refused(PGconn *conn, struct usher_error *err)
{
    bool by_certificate = strstr(PQerrorMessage(conn), "certificate verify failed");
    enum usher_status status = pg_status_of_connect(conn, err);
    if (by_certificate && pg_certificate_problem() != 0)
        certificate_refuse(err, pg_certificate_problem(), "PostgreSQL",
                           "sslrootcert in USHER_POSTGRES");
    return status;
}

/* `*silent`: nobody answered in time, so libpq did not come to the hosts behind. */
static enum usher_status reach(PGconn *conn, int timeout_ms, bool *silent, struct usher_error *err)
{
    int64_t deadline_ms = clock_ms() + timeout_ms;
    PostgresPollingStatusType step = PGRES_POLLING_WRITING;
    *silent = false;
    if (!conn || PQstatus(conn) == CONNECTION_BAD)
        return pg_status_of_connect(conn, err);
    /* Only so does the text of a refusal hold its SQLSTATE. */
    PQsetErrorVerbosity(conn, PQERRORS_VERBOSE);
    while (step != PGRES_POLLING_OK) {
        if (clock_ms() >= deadline_ms) {
            usher_error_set(err, USHER_EXIT_UNAVAILABLE,
                            "could not connect to PostgreSQL: no answer within %d ms", timeout_ms);
            *silent = true;
            return USHER_RETRY;
        }
        if (!is_ready(conn, step, deadline_ms))
            continue;
        step = PQconnectPoll(conn);
        if (step == PGRES_POLLING_FAILED)
            return refused(conn, err);
    }
    PQsetErrorVerbosity(conn, PQERRORS_DEFAULT);
    return USHER_OK;
}

static enum usher_status refuse(struct usher_error *err, const char *reason)
{
    usher_error_set(err, USHER_EXIT_CONFIG, "could not use PostgreSQL: %s", reason);
    return USHER_FATAL;
}

/* ---- none twice ---- */

enum {
    PLACES_MAX = 64 /* of databases that are compared */
};

/*
 * What the databases of USHER_POSTGRES were when this process first reached them, by place. Not
 * later: a file that has the URIs may have them in another order by then.
 */
static pthread_mutex_t reached_lock = PTHREAD_MUTEX_INITIALIZER;
static char reached_identities[PLACES_MAX][PG_SHARD_SIZE];
static char reached_names[PLACES_MAX][PG_SHARD_SIZE];

/* Returns another place that has the same; its own one: there is none. */
static uint32_t note_reached(char reached[PLACES_MAX][PG_SHARD_SIZE], uint32_t place,
                             const char *text)
{
    uint32_t same = place;
    if (place >= PLACES_MAX)
        return place;
    (void)pthread_mutex_lock(&reached_lock);
    if (reached[place][0] == '\0') {
        for (uint32_t i = 0; i < PLACES_MAX; i++)
            same = strcmp(reached[i], text) == 0 ? i : same;
        if (same == place)
            snprintf(reached[place], PG_SHARD_SIZE, "%s", text);
    }
    (void)pthread_mutex_unlock(&reached_lock);
    return same;
}

static enum usher_status check_once(const struct pg_settings *settings, const char *identity,
                                    struct usher_error *err)
{
    struct usher_arena arena = {0};
    if (pg_session_databases(settings) == 1)
        return USHER_OK;
    const uint32_t same = note_reached(reached_identities, settings->place, identity);
    if (same == settings->place)
        return USHER_OK;
    const struct pg_settings other = pg_session_one(settings, same);
    usher_error_set(err, USHER_EXIT_USAGE,
                    "could not use USHER_POSTGRES: %s and %s are the same database: name it once",
                    pg_session_where(&other, &arena), pg_session_where(settings, &arena));
    usher_arena_deinit(&arena);
    return USHER_FATAL;
}

/* A pooler reports a pid that is not the backend's. */
static enum usher_status check_session(PGconn *conn, const PGresult *result,
                                       const struct pg_settings *settings, struct usher_error *err)
{
    struct pg_row row = pg_row_of(result, 0, NULL);
    if (pg_row_int4(&row, 0) != PQbackendPID(conn)) {
        return refuse(err, "there is a connection pooler in between, which shares its sessions: "
                           "connect to the server itself");
    }
    if (strcmp(PQgetvalue(result, 0, row.column), "UTF8") != 0)
        return refuse(err, "the database is not in UTF8; create it with `encoding 'UTF8'`");
    return check_once(settings, PQgetvalue(result, 0, row.column + 1), err);
}

static enum usher_status set_up(struct pg_connection *connection,
                                const struct pg_settings *settings, struct usher_error *err)
{
    if (PQserverVersion(connection->conn) < SERVER_VERSION_MIN)
        return refuse(err, "the server is older than PostgreSQL 13");

    char lock_timeout[16];
    char statement_timeout[16];
    snprintf(lock_timeout, sizeof lock_timeout, "%d", lock_timeout_ms(settings));
    snprintf(statement_timeout, sizeof statement_timeout, "%d", statement_timeout_ms(settings));
    struct pg_params params = {0};
    pg_params_text(&params, lock_timeout);
    pg_params_text(&params, statement_timeout);

    PGresult *result;
    enum usher_status status = pg_connection_query(connection, session_sql, &params, &result, err);
    if (status == USHER_OK)
        status = check_session(connection->conn, result, settings, err);
    PQclear(result);
    return status;
}

/*
 * Tries the hosts until one answers: a server whose machine is gone must not keep us from the one
 * that took its place. libpq passes only those that refuse.
 */
static enum usher_status reach_any(struct pg_connection *connection,
                                   const struct pg_settings *settings, const char *uri,
                                   struct pg_hosts *hosts, struct usher_error *err)
{
    int timeout_ms = or_default(settings->connect_timeout_ms, CONNECT_TIMEOUT_MS);
    enum usher_status status;
    bool silent;
    do {
        pg_connection_close(connection);
        connection->conn = start(settings, uri, hosts);
        status = reach(connection->conn, timeout_ms, &silent, err);
    } while (silent && pg_hosts_pass(hosts, PQhost(connection->conn), PQport(connection->conn)));
    return status;
}

/* Of several; NULL: there are not so many. A single one is taken as it is. */
static const char *uri_of(const struct pg_settings *settings, struct usher_arena *arena)
{
    const char *list = secret_now(settings->uri, settings->uri_file, arena);
    const char *at = NULL;
    size_t size = 0;
    if (pg_session_databases(settings) == 1)
        return list;
    for (uint32_t i = 0; i <= settings->place && (i == 0 || at); i++)
        at = option_next_uri(&list, &size);
    return at ? usher_arena_text(arena, at, size) : NULL;
}

/* libpq keeps a copy of what it needs of the URI. */
static enum usher_status connect_to(struct pg_connection *connection,
                                    const struct pg_settings *settings, struct usher_error *err)
{
    struct usher_arena arena = {0};
    PQconninfoOption *parsed;
    const char *uri = uri_of(settings, &arena);
    enum usher_status status = parse_uri(uri, &parsed, err);
    if (status == USHER_OK) {
        struct pg_hosts hosts = {value_of(parsed, "host"), value_of(parsed, "hostaddr"),
                                 value_of(parsed, "port")};
        pg_certificate_watch();
        status = reach_any(connection, settings, uri, &hosts, err);
    }
    PQconninfoFree(parsed);
    usher_arena_deinit(&arena);
    return status;
}

enum usher_status pg_session_open(struct pg_connection *connection,
                                  const struct pg_settings *settings, struct usher_error *err)
{
    pg_connection_close(connection);
    connection->purpose = "ask PostgreSQL";
    connection->query_timeout_ms = query_timeout_ms(settings);
    connection->statement_timeout_ms = statement_timeout_ms(settings);
    enum usher_status status = connect_to(connection, settings, err);
    if (status == USHER_OK)
        pg_connection_watch(connection);
    if (status == USHER_OK && PQsetnonblocking(connection->conn, 1) != 0)
        status = pg_status_of_connect(connection->conn, err);
    if (status == USHER_OK)
        status = set_up(connection, settings, err);
    if (status != USHER_OK) {
        secret_name_file("USHER_POSTGRES", settings->uri_file, err);
        pg_connection_close(connection);
    }
    return status;
}

enum usher_status pg_session_open_schema(struct pg_connection *connection,
                                         const struct pg_settings *settings,
                                         struct usher_error *err)
{
    int32_t version;
    enum usher_status status = pg_session_open(connection, settings, err);
    if (status == USHER_OK)
        status = pg_schema_check(connection, &version, err);
    if (status != USHER_OK)
        pg_connection_close(connection);
    return status;
}

/* ==== Several databases ==== */

uint32_t pg_session_databases(const struct pg_settings *settings)
{
    const char *list = settings->uri;
    size_t size;
    uint32_t count = 0;
    while (list && option_next_uri(&list, &size))
        count++;
    return count > 0 ? count : 1;
}

struct pg_settings pg_session_one(const struct pg_settings *settings, uint32_t place)
{
    struct pg_settings one = *settings;
    one.place = place;
    return one;
}

static const char *value_or(const PQconninfoOption *parsed, const char *keyword,
                            const char *fallback)
{
    const char *value = value_of(parsed, keyword);
    return value && *value != '\0' ? value : fallback;
}

const char *pg_session_where(const struct pg_settings *one, struct usher_arena *arena)
{
    PQconninfoOption *parsed;
    enum usher_status status = parse_uri(uri_of(one, arena), &parsed, NULL);
    const char *where = "USHER_POSTGRES";
    if (status == USHER_OK) {
        const char *host = value_or(parsed, "host", value_or(parsed, "hostaddr", "localhost"));
        where = usher_arena_format(arena, "%s:%s/%s", host, value_or(parsed, "port", "5432"),
                                   value_or(parsed, "dbname", "usher"));
    }
    PQconninfoFree(parsed);
    return where;
}

enum usher_status pg_session_shard(struct pg_connection *connection, const struct pg_settings *one,
                                   char name[PG_SHARD_SIZE], struct usher_error *err)
{
    struct usher_arena arena = {0};
    PGresult *result = NULL;
    enum usher_status status =
        pg_connection_query(connection, "select name from usher.shard", NULL, &result, err);
    const bool has_name = status == USHER_OK && PQntuples(result) > 0;
    if (has_name)
        snprintf(name, PG_SHARD_SIZE, "%s", PQgetvalue(result, 0, 0));
    if (status == USHER_OK && !has_name) {
        usher_error_set(err, USHER_EXIT_CONFIG,
                        "could not use the database at %s as one of several: it has no name; run "
                        "`usher-worker migrate up --shard NAME`",
                        pg_session_where(one, &arena));
        status = USHER_FATAL;
    } else if (has_name && note_reached(reached_names, one->place, name) != one->place) {
        usher_error_set(err, USHER_EXIT_CONFIG,
                        "could not use USHER_POSTGRES: shard %s is there twice", name);
        status = USHER_FATAL;
    }
    PQclear(result);
    usher_arena_deinit(&arena);
    return status;
}

/* ==== The schema ==== */

static const struct pg_migration migrations[] = {
#include "migrations.inc"
};

enum {
    MIGRATION_COUNT = sizeof migrations / sizeof *migrations
};

const struct pg_migration *pg_schema_migrations(uint32_t *count)
{
    *count = MIGRATION_COUNT;
    return migrations;
}

int32_t pg_schema_version(void)
{
    return migrations[MIGRATION_COUNT - 1].version;
}

/* Reads the one number that a query is for. */
static enum usher_status read_number(struct pg_connection *connection, const char *query,
                                     const struct pg_params *params, int32_t *number,
                                     struct usher_error *err)
{
    PGresult *result;
    enum usher_status status = pg_connection_query(connection, query, params, &result, err);
    if (status == USHER_OK) {
        struct pg_row row = pg_row_of(result, 0, NULL);

        *number = pg_row_int4(&row, 0);
    }
    PQclear(result);
    return status;
}

/* `*oldest` is the oldest program that can work with a schema that is newer than this one. */
static enum usher_status read_oldest_program(struct pg_connection *connection, int32_t *oldest,
                                             struct usher_error *err)
{
    struct pg_params params = {0};
    pg_params_int4(&params, pg_schema_version());
    return read_number(connection, schema_oldest_program_sql, &params, oldest, err);
}

enum usher_status pg_schema_check(struct pg_connection *connection, int32_t *version,
                                  struct usher_error *err)
{
    int32_t oldest = pg_schema_version();
    enum usher_status status =
        read_number(connection, "select coalesce(max(version), 0) from usher.schema_migration",
                    NULL, version, err);
    if (status == USHER_OK && *version > pg_schema_version())
        status = read_oldest_program(connection, &oldest, err);
    if (status != USHER_OK)
        return status;
    if (*version >= pg_schema_version() && oldest <= pg_schema_version())
        return USHER_OK;
    usher_error_set(
        err, USHER_EXIT_CONFIG,
        "could not use the schema: it is version %" PRId32 ", this program's is %" PRId32 "; %s",
        *version, pg_schema_version(),
        *version < pg_schema_version() ? "run `usher-worker migrate up`" : "run a newer program");
    return USHER_FATAL;
}
