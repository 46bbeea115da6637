/*
 * Redis one step at a time, for those who compare, heal and rebuild: no queue, no threads, every
 * call waits for its reply (at most REDIS_TIMEOUT_MS without a byte). Shows no type of hiredis.
 */
#ifndef USHER_WORKER_REDIS_REDIS_STORE_H
#define USHER_WORKER_REDIS_REDIS_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "usher/memory.h"
#include "usher/status.h"
#include "worker/display/display.h"

struct redis_store;

/*
 * Connects. Borrows `prefix` (NULL: "usher"). With `claim` the keys are marked with the contract's
 * version. RETRY (69), FATAL (77, 78). After any RETRY of the calls below the store is to be closed
 * and opened anew.
 */
USHER_MUST_CHECK enum usher_status redis_store_open(const char *uri, const char *prefix, bool claim,
                                                    struct redis_store **store,
                                                    struct usher_error *err);

/* NULL is legal. */
void redis_store_close(struct redis_store *store);

/*
 * Writes an update as the cache does, guarded by (epoch, rev); `*written` is false where Redis has
 * a higher pair. RETRY.
 */
USHER_MUST_CHECK enum usher_status redis_store_write(struct redis_store *store,
                                                     const struct display_update *update,
                                                     bool *written, struct usher_error *err);

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

/* Compares with a whole picture, in one MULTI. RETRY. */
USHER_MUST_CHECK enum usher_status redis_store_compare(struct redis_store *store,
                                                       const struct display_update *expected,
                                                       struct usher_arena *arena,
                                                       struct redis_comparison *comparison,
                                                       struct usher_error *err);

/* Whether Redis has an earlier picture of the same epoch. */
bool redis_comparison_is_behind(const struct redis_comparison *comparison,
                                const struct display_update *expected);

/*
 * Whether it was put so short a while before `expected` was read that the display may still let it
 * rest (display.h): if it is behind, it will be put again. Both times are the database's.
 */
bool redis_comparison_may_rest(const struct redis_comparison *comparison,
                               const struct display_update *expected);

/* Receives each resource id that Redis has a key of, or lists; perhaps more than once. */
struct redis_names {
    void *context;
    void (*name)(void *context, const char *resource);
};

/* RETRY. */
USHER_MUST_CHECK enum usher_status redis_store_names(struct redis_store *store,
                                                     const struct redis_names *names,
                                                     struct usher_error *err);

/* Deletes all keys of the prefix but the workers' signs of life. `*deleted` counts keys. RETRY. */
USHER_MUST_CHECK enum usher_status redis_store_clear(struct redis_store *store, uint64_t *deleted,
                                                     struct usher_error *err);

#endif
