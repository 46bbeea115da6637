/*
 * What an error of PostgreSQL means for the caller: the one place where SQLSTATEs are translated.
 */
#ifndef USHER_WORKER_POSTGRES_PG_STATUS_H
#define USHER_WORKER_POSTGRES_PG_STATUS_H

#include <libpq-fe.h>

#include "usher/status.h"

/*
 * Where an error came from. A commit may fail by its data, a read only by the outside: what ends a
 * process is met when it connects, prepares or loads.
 */
enum pg_origin {
    PG_READ,
    PG_COMMIT,
    PG_COMMIT_CALLED, /* a function that a statement of the commit calls, such as a trigger */
    PG_ORIGINS,
};

struct pg_meaning {
    enum usher_status status;
    enum usher_exit exit_code;
    const char *advice; /* what to do, for people; NULL: nothing */
};

/*
 * The meaning of a SQLSTATE. NULL or empty: the connection is lost, RETRY. What is not classified
 * is FATAL (70) of a read, and REJECT of a commit: 65 where the data are at fault by the kind of
 * the error, 70 where it may as well be the database, which somebody changed.
 */
struct pg_meaning pg_status_meaning(const char *sqlstate, enum pg_origin origin);

/*
 * Sets `err` to "could not <what>: <the server's message>" and returns the status of a failed
 * result, or of the lost connection where `result` is NULL.
 */
enum usher_status pg_status_of(PGconn *conn, const PGresult *result, enum pg_origin origin,
                               const char *what, struct usher_error *err);

/*
 * The same for a connection that could not be made, whose verbosity was PQERRORS_VERBOSE: libpq
 * gives the SQLSTATE only within the text then.
 */
enum usher_status pg_status_of_connect(PGconn *conn, struct usher_error *err);

#endif
