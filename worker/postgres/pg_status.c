/* The table of SQLSTATEs, and what they alone do not tell. */
#include "worker/postgres/pg_status.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

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
