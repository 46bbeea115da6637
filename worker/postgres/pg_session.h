/*
 * How a connection comes to be: reached within a deadline, its session set up, the server looked
 * over.
 */
#ifndef USHER_WORKER_POSTGRES_PG_SESSION_H
#define USHER_WORKER_POSTGRES_PG_SESSION_H

#include "worker/postgres/pg_connection.h"
#include "worker/postgres/pg_settings.h"

/*
 * Closes what was open, connects again and sets the session up: synchronous commit, timeouts,
 * nothing left to the server's defaults. Non-blocking from then on. RETRY: the server is away (69).
 * FATAL: access denied (77); too old, not UTF-8, or behind a pooler (78).
 */
USHER_MUST_CHECK enum usher_status pg_session_open(struct pg_connection *connection,
                                                   const struct pg_settings *settings,
                                                   struct usher_error *err);

/* The same, and FATAL (78) unless this program can work with the schema: pg_schema_check. */
USHER_MUST_CHECK enum usher_status pg_session_open_schema(struct pg_connection *connection,
                                                          const struct pg_settings *settings,
                                                          struct usher_error *err);

#endif
