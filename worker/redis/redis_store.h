/*
 * Redis one step at a time, for those who compare, repair and rebuild: no queue, no threads, every
 * call waits for its reply (at most REDIS_TIMEOUT_MS without a byte). Shows no type of hiredis.
 */
#ifndef USHER_WORKER_REDIS_REDIS_STORE_H
#define USHER_WORKER_REDIS_REDIS_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "usher/memory.h"
#include "usher/status.h"
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

/* Its connection, and the prefix of the keys. */
struct redis_link *redis_store_link(struct redis_store *store);
const char *redis_store_prefix(const struct redis_store *store);

/* Whether that layout was compared last, and was right; and says which one was. NULL: none. */
bool redis_store_has_proved(const struct redis_store *store, const char *layout);
void redis_store_set_proved(struct redis_store *store, const char *layout);

/*
 * Writes a whole picture as the cache does, guarded by (epoch, rev); `*written` is false where
 * Redis has a higher pair. `with_layout`: the layout of its seats, too, though Redis has it. RETRY.
 */
USHER_MUST_CHECK enum usher_status redis_store_write(struct redis_store *store,
                                                     const struct display_update *update,
                                                     bool with_layout, bool *written,
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
                                                            uint32_t *strangers,
                                                            struct usher_error *err);

/* Deletes one key, as redis_names has it. RETRY. */
USHER_MUST_CHECK enum usher_status redis_store_delete(struct redis_store *store, const char *key,
                                                      struct usher_error *err);

/*
 * Deletes the keys of a resource that the database has no more, unless one of its name was written
 * in `epoch` or later. RETRY.
 */
USHER_MUST_CHECK enum usher_status redis_store_forget(struct redis_store *store,
                                                      const char *resource, int32_t epoch,
                                                      struct usher_error *err);

/* Deletes all keys of the prefix but the workers' signs of life. `*deleted` counts keys. RETRY. */
USHER_MUST_CHECK enum usher_status redis_store_clear(struct redis_store *store, uint64_t *deleted,
                                                     struct usher_error *err);

#endif
