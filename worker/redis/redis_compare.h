/*
 * Compares what Redis has of one resource with what it should have. Knows nothing of who repairs
 * it.
 */
#ifndef USHER_WORKER_REDIS_REDIS_COMPARE_H
#define USHER_WORKER_REDIS_REDIS_COMPARE_H

#include <stdbool.h>
#include <stdint.h>

#include "usher/memory.h"
#include "usher/status.h"
#include "worker/display/display_update.h"
#include "worker/redis/redis_store.h"

/* How what Redis has of a resource stands to what it should have. */
struct redis_comparison {
    bool present;
    int32_t epoch; /* as in Redis; 0 where missing */
    int64_t rev;
    int64_t updated_ms; /* when it was put last */
    bool equal;         /* all but updated_ms, and an epoch that is not higher */
    bool newer;         /* Redis has a higher (epoch, rev) than was expected */
    const char *text;   /* where not equal: what differs, for people; in the arena */
};

/* Compares with a whole update, in one MULTI. RETRY. */
USHER_MUST_CHECK enum usher_status redis_compare(struct redis_store *store,
                                                 const struct display_update *expected,
                                                 struct usher_arena *arena,
                                                 struct redis_comparison *comparison,
                                                 struct usher_error *err);

/* Whether Redis has an earlier one of the same epoch. */
bool redis_comparison_is_behind(const struct redis_comparison *comparison,
                                const struct display_update *expected);

/*
 * Whether it was put so short a while before `expected` was read that the display may still let it
 * rest (display.h): if it is behind, it will be put again. Both times are the database's.
 */
bool redis_comparison_may_be_throttled(const struct redis_comparison *comparison,
                                       const struct display_update *expected);

#endif
