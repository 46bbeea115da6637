/*
 * Redis one step at a time, for those who check, compare, repair and rebuild: no queue, no
 * threads, every call waits for its reply (at most REDIS_TIMEOUT_MS without a byte). Shows no
 * type of hiredis.
 */
#ifndef USHER_WORKER_REDIS_REDIS_STORE_H
#define USHER_WORKER_REDIS_REDIS_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "usher/memory.h"
#include "usher/status.h"
#include "worker/display/display.h"
#include "worker/display/display_update.h"
#include "worker/redis/redis_settings.h"

struct redis_store;

/*
 * Connects, for reading. Borrows the settings. RETRY (69), FATAL (77, 78). After any RETRY of the
 * calls below the store is to be closed and reopened.
 */
USHER_MUST_CHECK enum usher_status redis_store_open(const struct redis_settings *settings,
                                                    struct redis_store **store,
                                                    struct usher_error *err);

/*
 * Prepares it for writing, and marks the keys with the contract's version. `cleared`: there are
 * none, all will be written; else those of the version before are in the way (78), for positions
 * would say that they are shown. RETRY, FATAL.
 */
USHER_MUST_CHECK enum usher_status redis_store_claim(struct redis_store *store, bool cleared,
                                                     struct usher_error *err);

/* NULL is legal. */
void redis_store_close(struct redis_store *store);

/*
 * Writes a whole update as the cache does, guarded by (epoch, rev); `*written` is false where
 * Redis has a higher pair. `with_layout`: the layout of its seats, too, though Redis has it. RETRY.
 */
USHER_MUST_CHECK enum usher_status redis_store_write(struct redis_store *store,
                                                     const struct display_update *update,
                                                     bool with_layout, bool *written,
                                                     struct usher_error *err);

/*
 * Reads the heartbeat of a partition's owner; its text is in the arena. The name is NULL where
 * there is none. RETRY.
 */
USHER_MUST_CHECK enum usher_status redis_store_worker(struct redis_store *store, int32_t partition,
                                                      struct usher_arena *arena,
                                                      struct redis_worker *worker,
                                                      struct usher_error *err);

/*
 * Receives each resource id that Redis has a key of, or lists, perhaps more than once; the keys of
 * no single resource that have the wrong type, each with its type and the right one; and the names
 * of layouts.
 */
struct redis_names {
    void *context;
    void (*name)(void *context, const char *resource);
    void (*mistyped)(void *context, const char *key, const char *type, const char *right);
    void (*layout)(void *context, const char *layout); /* each that Redis has */
};

/* RETRY. */
USHER_MUST_CHECK enum usher_status redis_store_names(struct redis_store *store,
                                                     const struct redis_names *names,
                                                     struct usher_error *err);

/*
 * Counts the resources in the set of a layout that have another one, at one moment; with `repair`
 * they are removed from it, and the layout if they are all. RETRY.
 */
USHER_MUST_CHECK enum usher_status redis_store_check_layout(struct redis_store *store,
                                                            const char *layout, bool repair,
                                                            uint32_t *foreign_members,
                                                            struct usher_error *err);

/* Deletes one key, as redis_names has it. RETRY. */
USHER_MUST_CHECK enum usher_status redis_store_delete(struct redis_store *store, const char *key,
                                                      struct usher_error *err);

/*
 * Deletes the keys of a resource that the database has no more, unless one of its name was written
 * in `epoch` or later. Owners of earlier epochs cannot write it again. RETRY.
 */
USHER_MUST_CHECK enum usher_status redis_store_forget(struct redis_store *store,
                                                      const char *resource, int32_t epoch,
                                                      struct usher_error *err);

/*
 * Deletes all keys of the prefix but the workers' signs of life. `*deleted` counts keys. RETRY.
 * Workers may write meanwhile: the positions of all partitions go with each key, so that whoever
 * had written it again writes all again, wherever this ends.
 */
USHER_MUST_CHECK enum usher_status redis_store_clear(struct redis_store *store,
                                                     int32_t partition_count, uint64_t *deleted,
                                                     struct usher_error *err);

/*
 * ==== Comparing ====
 *
 * Compares what Redis has of one resource with what it should have. Knows nothing of who repairs
 * it.
 */

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

/*
 * ==== Checking a Redis ====
 *
 * Whether a Redis can be used, for the command `check`. Writes nothing.
 */

/*
 * Tries a connection: PING, the contract's version, and whether this user may write, within 2 s.
 * `*evicts` is set where Redis may evict keys, as far as it says so. RETRY (69), or FATAL: 77
 * access denied, 78 as redis_settings_read.
 */
USHER_MUST_CHECK enum usher_status redis_check(const struct redis_settings *settings, bool *evicts,
                                               struct usher_error *err);

#endif
