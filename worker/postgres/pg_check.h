/*
 * Checks that PostgreSQL is as the worker needs it: version, settings, schema, permissions and
 * the recorded partition count. Changes nothing.
 */
#ifndef USHER_WORKER_POSTGRES_PG_CHECK_H
#define USHER_WORKER_POSTGRES_PG_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "usher/status.h"
#include "worker/postgres/pg_settings.h"

/* Receives each line: whether it is good, and text that says what was found and what to do. */
struct pg_check_report {
    void *context;
    void (*line)(void *context, bool good, const char *text);
};

/*
 * `partition_count` of the topic; 0: not known, then it is not compared. OK when every line is
 * good; else the status and exit code of the first that is not (69, 77, 78).
 */
USHER_MUST_CHECK enum usher_status pg_check(const struct pg_settings *settings,
                                            int32_t partition_count,
                                            const struct pg_check_report *report,
                                            struct usher_error *err);

#endif
