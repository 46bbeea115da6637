/*
 * Checks that PostgreSQL is as the worker needs it: version, settings, schema, permissions and
 * the recorded partition count. Changes nothing.
 */
#ifndef USHER_WORKER_POSTGRES_PG_CHECK_H
#define USHER_WORKER_POSTGRES_PG_CHECK_H

#include <stdint.h>

#include "usher/status.h"
#include "worker/model/findings.h"
#include "worker/postgres/pg_settings.h"

/*
 * `partition_count` of the topic; 0: not known, then it is not compared. OK when no finding is
 * wrong; else the status and exit code of the first that is (69, 77, 78).
 */
USHER_MUST_CHECK enum usher_status pg_check(const struct pg_settings *settings,
                                            int32_t partition_count,
                                            const struct findings *findings,
                                            struct usher_error *err);

/*
 * Reports what somebody else made of the tables that hides rows, or may keep them from being
 * written. A database that cannot be asked has no finding.
 */
void pg_check_tables(const struct pg_settings *settings, const struct findings *findings);

#endif
