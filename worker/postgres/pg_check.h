/*
 * Checks that PostgreSQL is as the worker needs it: version, settings, schema, permissions and
 * the recorded partition count. Changes nothing.
 */
#ifndef USHER_WORKER_POSTGRES_PG_CHECK_H
#define USHER_WORKER_POSTGRES_PG_CHECK_H

#include <stdint.h>

#include "usher/status.h"
#include "worker/postgres/pg_settings.h"

enum pg_check_level {
    PG_CHECK_GOOD,
    PG_CHECK_WARNING, /* it works, but should not stay so */
    PG_CHECK_WRONG,
};

/* Receives each line: how it is, and text that says what was found and what to do. */
struct pg_check_report {
    void *context;
    void (*line)(void *context, enum pg_check_level level, const char *text);
};

/*
 * `partition_count` of the topic; 0: not known, then it is not compared. OK when no line is wrong;
 * else the status and exit code of the first that is (69, 77, 78).
 */
USHER_MUST_CHECK enum usher_status pg_check(const struct pg_settings *settings,
                                            int32_t partition_count,
                                            const struct pg_check_report *report,
                                            struct usher_error *err);

#endif
