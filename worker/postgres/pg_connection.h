/*
 * A connection to PostgreSQL on which nothing waits without a deadline, and its pipeline. Knows
 * pipelines and time, and no statement.
 */
#ifndef USHER_WORKER_POSTGRES_PG_CONNECTION_H
#define USHER_WORKER_POSTGRES_PG_CONNECTION_H

#include <libpq-fe.h>
#include <stdbool.h>
#include <stdint.h>

#include "usher/status.h"
#include "worker/postgres/pg_value.h"

/* Zero-initialise to make a closed one; pg_session opens it. */
struct pg_connection {
    PGconn *conn;             /* NULL: closed */
    const char *purpose;      /* for the text of errors: "could not <purpose>: …"; borrowed */
    int query_timeout_ms;     /* how long an answer may take */
    int statement_timeout_ms; /* how long the server may take for a statement */
    char sqlstate[6];         /* of the last statement that failed; empty: none, or no such */
    char *warning; /* the first that came with the last statement, or since the commits began;
                      empty: none; NULL: closed */
    bool unsent;   /* the socket has not taken everything yet: wait for it to be writable, too */
    int parameter_max; /* bytes that a parameter may have; 0: as many as PostgreSQL takes */
    bool is_refused;   /* one had more: nothing can be sent any more */
};

/* A prepared statement. */
struct pg_statement {
    const char *name;
    const char *sql;
};

/* What was begun on it is aborted by the server. Legal on a closed one. */
void pg_connection_close(struct pg_connection *connection);

/* Says that the purpose failed, and what libpq said last, and closes it: nothing could be sent. */
USHER_MUST_CHECK enum usher_status pg_connection_lost(struct pg_connection *connection,
                                                      const char *purpose, struct usher_error *err);

/*
 * Within a pipeline: passes over what the server has yet to answer up to the next sync. False: the
 * sync did not come by `deadline_ms`. Sets `*failed` where the server says that a statement failed.
 */
bool pg_connection_pass(struct pg_connection *connection, int64_t deadline_ms, bool *failed);

/* Prepares statements in one round trip. Not within a pipeline. `count` up to 32. */
USHER_MUST_CHECK enum usher_status pg_connection_prepare(struct pg_connection *connection,
                                                         const struct pg_statement *statements,
                                                         uint32_t count, struct usher_error *err);

/*
 * Runs one statement (of SQL, not a name) and waits. `params` may be NULL. On OK the caller
 * owns `*result`: PQclear. On anything else it is NULL.
 */
USHER_MUST_CHECK enum usher_status pg_connection_query(struct pg_connection *connection,
                                                       const char *sql,
                                                       const struct pg_params *params,
                                                       PGresult **result, struct usher_error *err);

/* Runs a script of several statements and waits; its results are dropped. */
USHER_MUST_CHECK enum usher_status pg_connection_script(struct pg_connection *connection,
                                                        const char *sql, struct usher_error *err);

/*
 * Commits the transaction that a script began. RETRY: it is not certain that it was, or that it
 * will survive; also where the server rolled it back, which it does not call an error.
 */
USHER_MUST_CHECK enum usher_status pg_connection_commit(struct pg_connection *connection,
                                                        struct usher_error *err);

/*
 * Has warnings kept in `warning`. To be called once, when the connection is open.
 *
 * None of the statements here warns. So what came with a warning is not certain: the server warns
 * of a commit that no standby has confirmed, because somebody ended the wait for it.
 */
void pg_connection_watch(struct pg_connection *connection);

/* OK: no warning came. RETRY: one did. The functions that wait for results call it themselves. */
USHER_MUST_CHECK enum usher_status pg_connection_confirm(const struct pg_connection *connection,
                                                         const char *purpose,
                                                         struct usher_error *err);

/*
 * Runs `copy (…) to stdout` and passes its lines to `line`. `*rows` is how many there were.
 * Statuses as of a query; where `line` fails, its status, and the connection is closed.
 */
USHER_MUST_CHECK enum usher_status pg_connection_copy(
    struct pg_connection *connection, const char *sql, void *context,
    enum usher_status (*line)(void *context, const char *text, size_t size, struct usher_error *),
    int64_t *rows, struct usher_error *err);

/*
 * Queues one execution of a prepared statement, within a pipeline. False: the connection is lost,
 * or is_refused says that a parameter is too large, and nothing was sent.
 */
USHER_MUST_CHECK bool pg_connection_send(struct pg_connection *connection, const char *name,
                                         const struct pg_params *params);

/*
 * Ends a pipeline of `count` statements with a sync, sends it, and waits for all results; then
 * the pipeline mode is over. On OK the caller owns results[0 … count - 1]; on anything else they
 * are NULL, and the connection is closed unless the server said no and goes on.
 */
USHER_MUST_CHECK enum usher_status pg_connection_finish(struct pg_connection *connection,
                                                        PGresult **results, uint32_t count,
                                                        struct usher_error *err);

/* Runs one prepared statement on its own and waits. On OK the caller owns `*result`; as
 * pg_connection_finish. */
USHER_MUST_CHECK enum usher_status pg_connection_ask(struct pg_connection *connection,
                                                     const char *name,
                                                     const struct pg_params *params,
                                                     PGresult **result, struct usher_error *err);

/*
 * Sends what it can, waits at most `timeout_ms` until there is something to read, or until more can
 * be sent, and takes it in. RETRY: the connection is lost.
 */
USHER_MUST_CHECK enum usher_status pg_connection_wait(struct pg_connection *connection,
                                                      int timeout_ms, struct usher_error *err);

#endif
