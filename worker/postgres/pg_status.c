/*
 * SQLSTATE → status, exit code and advice, as a table. Knows nothing of what was asked.
 */
#include "worker/postgres/pg_status.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

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
     "says how to replace the topics; another one takes new topics and an empty database"},
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
    {"42501", USHER_FATAL, USHER_EXIT_DENIED, "connect as a member of the role it needs"},
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
