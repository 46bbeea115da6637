/*
 * Reads Redis as schema/redis/README.md tells a reader to: channels on one connection, keys on
 * another, since a connection that listens takes no commands. Writes nothing. Not thread-safe.
 * Shows no type of hiredis.
 */
#ifndef USHER_WORKER_REDIS_REDIS_FOLLOW_H
#define USHER_WORKER_REDIS_REDIS_FOLLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "usher/memory.h"
#include "usher/status.h"
#include "worker/redis/redis_settings.h"

struct redis_follow;

/*
 * Connects, checks the version of the contract and listens to <prefix>:changes. Borrows the
 * settings. RETRY (69), FATAL (77, 78). After a RETRY of the calls below it is to be closed and
 * reopened.
 */
USHER_MUST_CHECK enum usher_status redis_follow_open(const struct redis_settings *settings,
                                                     struct redis_follow **follow,
                                                     struct usher_error *err);

/* NULL is legal. */
void redis_follow_close(struct redis_follow *follow);

/* ==== Channels ==== */

/* Receives messages; text is valid during the call. */
struct redis_listener {
    void *context;
    /* Of a resource's channel, or of all resources' (NULL). */
    void (*change)(void *context, const char *resource, const char *text, size_t size);
};

/* Begins or ends to listen to the channel of a resource. Listening is confirmed on return. RETRY.
 */
USHER_MUST_CHECK enum usher_status redis_follow_listen(struct redis_follow *follow,
                                                       const char *resource, bool listen,
                                                       const struct redis_listener *listener,
                                                       struct usher_error *err);

/* Delivers the messages that there are; without any waits for the first up to timeout_ms. RETRY. */
USHER_MUST_CHECK enum usher_status redis_follow_wait(struct redis_follow *follow, int timeout_ms,
                                                     const struct redis_listener *listener,
                                                     struct usher_error *err);

/* ==== Keys ==== */

struct redis_field {
    const char *name, *value;
};

/* What is longer in a hash is cut: the contract has nothing longer. */
enum {
    REDIS_FIELD_MAX = 256
};

/* A hash, in UTF-8; no fields: there is no such key, or it has another type. Of an arena. */
struct redis_hash {
    const struct redis_field *fields;
    uint32_t count;
};

/* The value of a field, or "". */
const char *redis_hash_get(const struct redis_hash *hash, const char *name);

/*
 * The keys of one resource, at one moment; text ends with NUL, and may be anything. Of an arena.
 */
struct redis_picture {
    struct redis_hash hash;
    const char *seats;
    size_t seat_count;
    struct redis_hash pools;
    const char *catalogue; /* JSON; NULL: none */
};

/* RETRY. */
USHER_MUST_CHECK enum usher_status
redis_follow_read(struct redis_follow *follow, const char *resource, struct usher_arena *arena,
                  struct redis_picture *picture, struct usher_error *err);

/* The JSON of a layout, NULL: there is none. RETRY. */
USHER_MUST_CHECK enum usher_status redis_follow_layout(struct redis_follow *follow,
                                                       const char *layout,
                                                       struct usher_arena *arena, const char **json,
                                                       struct usher_error *err);

struct redis_ids {
    const char **at;
    uint32_t count;
};

/* The ids of up to `max` listed resources by start, beginning with number `first`. RETRY. */
USHER_MUST_CHECK enum usher_status redis_follow_list(struct redis_follow *follow, uint32_t first,
                                                     uint32_t max, struct usher_arena *arena,
                                                     struct redis_ids *ids,
                                                     struct usher_error *err);

/* The hashes of resources, in one pipeline. RETRY. */
USHER_MUST_CHECK enum usher_status
redis_follow_hashes(struct redis_follow *follow, const char *const *ids, uint32_t count,
                    struct usher_arena *arena, struct redis_hash *hashes, struct usher_error *err);

/* The heartbeats of the owners of partitions, in one pipeline; none: no owner. RETRY. */
USHER_MUST_CHECK enum usher_status
redis_follow_beats(struct redis_follow *follow, const int32_t *partitions, uint32_t count,
                   struct usher_arena *arena, struct redis_hash *beats, struct usher_error *err);

#endif
