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

struct redis_link;
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

/* For redis_compare only: its connection, … */
struct redis_link *redis_store_link(struct redis_store *store);

/* … the prefix of the keys, … */
const char *redis_store_prefix(const struct redis_store *store);

/* … whether that layout was compared last, and was right; … */
bool redis_store_layout_is_verified(const struct redis_store *store, const char *layout);

/* … and which one was. NULL: none. */
void redis_store_set_verified_layout(struct redis_store *store, const char *layout);

#endif
