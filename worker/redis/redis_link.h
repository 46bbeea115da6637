/*
 * One connection to Redis: address, login, scripts, and what its errors mean. Blocking, with a
 * deadline on every read and write; after any error it is closed and reopened, since hiredis' own
 * reconnect loses login, database and timeouts. Inside of the redis_ files, not for others.
 */
#ifndef USHER_WORKER_REDIS_REDIS_LINK_H
#define USHER_WORKER_REDIS_REDIS_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hiredis/hiredis.h>

#include "usher/status.h"
#include "worker/redis/redis_settings.h"

enum {
    REDIS_TIMEOUT_MS = 2000,   /* to connect, and for each read or write, … */
    REDIS_BYTES_PER_MS = 1000, /* … and longer after more bytes than that */
    REDIS_SHA_SIZE = 41
};

struct redis_link {
    redisContext *context;
    int64_t timeout_ms;             /* of the context */
    char write_sha[REDIS_SHA_SIZE]; /* of the scripts, see redis_script.h */
    char beat_sha[REDIS_SHA_SIZE];
};

/*
 * Connects, by TLS if the URI says so, logs in, chooses the database. RETRY: Redis is away, not
 * ready or not trusted (69). FATAL: access denied (77), settings or database wrong (78).
 */
USHER_MUST_CHECK enum usher_status redis_link_open(struct redis_link *link,
                                                   const struct redis_settings *settings,
                                                   struct usher_error *err);

/* Legal on a zeroed link. */
void redis_link_close(struct redis_link *link);

/*
 * The next reply, owned by the caller (freeReplyObject), or NULL with `err` set where the
 * connection is lost; its status is then RETRY. An error reply is returned as such.
 */
redisReply *redis_link_reply(struct redis_link *link, struct usher_error *err);

/* Gives Redis time for as many bytes as are sent next: for each read and write from now on. */
void redis_link_expect(struct redis_link *link, size_t bytes);

/* Sends one command and returns its reply, as redis_link_reply. */
redisReply *redis_link_call(struct redis_link *link, struct usher_error *err, const char *format,
                            ...);

/* Whether a key has another type than the command is for. */
bool redis_reply_is_wrong_type(const redisReply *reply);

/* What an error reply means: RETRY, or FATAL with 77 or 78. `doing` begins the text. */
enum usher_status redis_reply_status(const redisReply *reply, const char *doing,
                                     struct usher_error *err);

#endif
