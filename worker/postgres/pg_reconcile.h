/*
 * The checks of reconcile that need only SQL: whether the tables agree with each other.
 */
#ifndef USHER_WORKER_POSTGRES_PG_RECONCILE_H
#define USHER_WORKER_POSTGRES_PG_RECONCILE_H

#include "worker/postgres/pg_catalog.h"
#include "worker/postgres/pg_connection.h"

/* As pg_catalog_reconcile, on a connection that is closed afterwards: its settings are changed. */
USHER_MUST_CHECK enum usher_status pg_reconcile(struct pg_connection *connection,
                                                const struct pg_catalog_differences *differences,
                                                uint64_t *count, struct usher_error *err);

#endif
