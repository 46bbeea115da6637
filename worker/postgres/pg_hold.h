/*
 * Keeps all partitions in the databases where they live, for a command that goes through one
 * database after another: no move begins as long as it lasts, and one that has begun is seen in
 * usher.partition_state. For the owner of the schema.
 */
#ifndef USHER_WORKER_POSTGRES_PG_HOLD_H
#define USHER_WORKER_POSTGRES_PG_HOLD_H

#include <stdint.h>

#include "usher/status.h"
#include "worker/postgres/pg_settings.h"

struct pg_hold;

/* Never NULL. A database that is away is not held. Borrows the settings' strings. */
struct pg_hold *pg_hold_open(const struct pg_settings *settings);

/* Whether the database at that place was held; else why not. RETRY: it is away, or a move begins in
 * it at this moment (69). FATAL: access denied (77), schema wrong (78). */
USHER_MUST_CHECK enum usher_status pg_hold_status(const struct pg_hold *hold, uint32_t place,
                                                  struct usher_error *err);

/*
 * Whether no partition is on its way. RETRY (69): one is; then they are not held any more. For what
 * passes over none of them, before it begins: a move that began before may end meanwhile.
 */
USHER_MUST_CHECK enum usher_status pg_hold_check(struct pg_hold *hold, struct usher_error *err);

/*
 * Lets them move again, and frees it. RETRY: the connection to one of them was lost meanwhile, so
 * that a move may have begun, and what was done is to be done again.
 */
USHER_MUST_CHECK enum usher_status pg_hold_close(struct pg_hold *hold, struct usher_error *err);

#endif
