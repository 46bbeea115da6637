/* Reads Redis for those who show it: one connection that listens, one that reads keys. */
#include "worker/redis/redis_follow.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "producer/base/allocate.h"
#include "producer/base/clock.h"
#include "producer/base/utf8.h"
#include "worker/redis/redis_contract.h"
#include "worker/redis/redis_link.h"

struct redis_follow {
    struct redis_link keys, channels;
    const char *prefix;
    int confirmations; /* that are still to come */
};

/* ==== Life ==== */

static enum usher_status lost(struct redis_follow *follow, struct usher_error *err)
{
    usher_error_set(err, USHER_EXIT_UNAVAILABLE, "lost the connection to Redis: %s",
                    follow->channels.context->errstr);
    return USHER_RETRY;
}

/* Sends a command of subscription, whose confirmation comes between messages. */
static enum usher_status subscribe(struct redis_follow *follow, const char *command,
                                   const char *channel, struct usher_error *err)
{
    int sent = 0;
    if (redisAppendCommand(follow->channels.context, "%s %s", command, channel) != REDIS_OK)
        return lost(follow, err);
    follow->confirmations++;
    while (!sent)
        if (redisBufferWrite(follow->channels.context, &sent) != REDIS_OK)
            return lost(follow, err);
    return USHER_OK;
}

static enum usher_status begin(struct redis_follow *follow, struct usher_error *err)
{
    struct usher_arena arena = {0};
    enum usher_status status = redis_contract_check(&follow->keys, follow->prefix, err);
    if (status == USHER_OK)
        status = subscribe(follow, "SUBSCRIBE",
                           usher_arena_format(&arena, "%s:changes", follow->prefix), err);
    usher_arena_deinit(&arena);
    return status;
}

enum usher_status redis_follow_open(const struct redis_settings *settings,
                                    struct redis_follow **follow, struct usher_error *err)
{
    struct redis_follow *opened = memory_calloc(1, sizeof *opened);
    opened->prefix = settings->prefix;
    enum usher_status status = redis_link_open(&opened->keys, settings, err);
    if (status == USHER_OK)
        status = redis_link_open(&opened->channels, settings, err);
    if (status == USHER_OK)
        status = begin(opened, err);
    if (status != USHER_OK) {
        redis_follow_close(opened);
        opened = NULL;
    }
    *follow = opened;
    return status;
}

void redis_follow_close(struct redis_follow *follow)
{
    if (follow) {
        redis_link_close(&follow->keys);
        redis_link_close(&follow->channels);
        free(follow);
    }
}

/* ==== Channels ==== */

/* The resource of usher:{R}:changes, in the arena; NULL: the channel of all. */
static const char *resource_of(const struct redis_follow *follow, const redisReply *channel,
                               struct usher_arena *arena)
{
    static const char end[] = "}:changes";
    size_t prefix = strlen(follow->prefix) + strlen(":{");
    if (channel->len < prefix + strlen(end) || channel->str[prefix - 1] != '{')
        return NULL;
    return usher_arena_text(arena, channel->str + prefix, channel->len - prefix - strlen(end));
}

static enum usher_status deliver(struct redis_follow *follow, const redisReply *reply,
                                 const struct redis_listener *listener, struct usher_error *err)
{
    struct usher_arena arena = {0};
    if (reply->type == REDIS_REPLY_ERROR)
        return redis_reply_status(reply, "listen to Redis", err);
    if (reply->type != REDIS_REPLY_ARRAY || reply->elements != 3)
        return USHER_OK;
    const redisReply *const *parts = (const redisReply *const *)reply->element;
    if (strcmp(parts[0]->str, "message") != 0)
        follow->confirmations--;
    else
        listener->change(listener->context, resource_of(follow, parts[1], &arena), parts[2]->str,
                         parts[2]->len);
    usher_arena_deinit(&arena);
    return USHER_OK;
}

/* Those that were read already. */
static enum usher_status deliver_all(struct redis_follow *follow, uint32_t *count,
                                     const struct redis_listener *listener, struct usher_error *err)
{
    for (;;) {
        void *reply = NULL;
        if (redisGetReplyFromReader(follow->channels.context, &reply) != REDIS_OK)
            return lost(follow, err);
        if (!reply)
            return USHER_OK;
        enum usher_status status = deliver(follow, reply, listener, err);
        freeReplyObject(reply);
        if (status != USHER_OK)
            return status;
        ++*count;
    }
}

enum usher_status redis_follow_wait(struct redis_follow *follow, int timeout_ms,
                                    const struct redis_listener *listener, struct usher_error *err)
{
    struct pollfd readable = {.fd = follow->channels.context->fd, .events = POLLIN};
    uint32_t count = 0;
    for (;;) {
        enum usher_status status = deliver_all(follow, &count, listener, err);
        if (status != USHER_OK)
            return status;
        int ready = poll(&readable, 1, count == 0 ? timeout_ms : 0);
        if (ready == 0 || (ready < 0 && errno == EINTR) || count > 10000)
            return USHER_OK;
        if (redisBufferRead(follow->channels.context) != REDIS_OK)
            return lost(follow, err);
    }
}

enum usher_status redis_follow_listen(struct redis_follow *follow, const char *resource,
                                      bool listen, const struct redis_listener *listener,
                                      struct usher_error *err)
{
    struct usher_arena arena = {0};
    int64_t until_ms = clock_ms() + REDIS_TIMEOUT_MS;
    enum usher_status status =
        subscribe(follow, listen ? "SUBSCRIBE" : "UNSUBSCRIBE",
                  usher_arena_format(&arena, "%s:{%s}:changes", follow->prefix, resource), err);
    usher_arena_deinit(&arena);
    while (status == USHER_OK && listen && follow->confirmations > 0) {
        status = redis_follow_wait(follow, 50, listener, err);
        if (status == USHER_OK && clock_ms() > until_ms) {
            usher_error_set(err, USHER_EXIT_UNAVAILABLE,
                            "lost the connection to Redis: no reply in time");
            status = USHER_RETRY;
        }
    }
    return status;
}

/* ==== Keys ==== */

const char *redis_hash_get(const struct redis_hash *hash, const char *name)
{
    for (uint32_t i = 0; i < hash->count; i++)
        if (strcmp(hash->fields[i].name, name) == 0)
            return hash->fields[i].value;
    return "";
}

static const char *copy(const redisReply *reply, struct usher_arena *arena)
{
    return reply->str ? usher_arena_text(arena, reply->str, reply->len) : NULL;
}

static const char *copy_field(const redisReply *reply, struct usher_arena *arena)
{
    char text[REDIS_FIELD_MAX + 1];
    size_t size = reply->str ? utf8_copy(text, sizeof text, reply->str, reply->len) : 0;
    return usher_arena_text(arena, text, size);
}

static struct redis_hash copy_hash(const redisReply *reply, struct usher_arena *arena)
{
    uint32_t count = reply->type == REDIS_REPLY_ARRAY ? (uint32_t)reply->elements / 2 : 0;
    struct redis_field *fields = usher_arena_alloc(arena, count * sizeof *fields);
    for (uint32_t i = 0; i < count; i++) {
        fields[i].name = copy_field(reply->element[(size_t)2 * i], arena);
        fields[i].value = copy_field(reply->element[(size_t)2 * i + 1], arena);
    }
    return (struct redis_hash){.fields = fields, .count = count};
}

/* Somebody gave a key another type: it is as if there was none, until a worker puts it right. */
static bool is_of_another_type(const redisReply *reply)
{
    return reply->type == REDIS_REPLY_ERROR && strncmp(reply->str, "WRONGTYPE", 9) == 0;
}

/* The next reply, if it has the type, is nil or of a key of another type; NULL with `err` set:
 * RETRY or FATAL in *status. */
static redisReply *take_reply(struct redis_follow *follow, int type, enum usher_status *status,
                              struct usher_error *err)
{
    redisReply *reply = redis_link_reply(&follow->keys, err);
    *status = reply ? USHER_OK : USHER_RETRY;
    if (!reply || reply->type == type || reply->type == REDIS_REPLY_NIL ||
        is_of_another_type(reply))
        return reply;
    if (reply->type == REDIS_REPLY_ERROR) {
        *status = redis_reply_status(reply, "read Redis", err);
    } else {
        usher_error_set(err, USHER_EXIT_UNAVAILABLE,
                        "could not read Redis: a reply of another type");
        *status = USHER_RETRY;
    }
    freeReplyObject(reply);
    return NULL;
}

static void append_picture(struct redis_follow *follow, const char *resource)
{
    redisContext *keys = follow->keys.context;
    const char *prefix = follow->prefix;
    redisAppendCommand(keys, "MULTI");
    redisAppendCommand(keys, "HGETALL %s:{%s}", prefix, resource);
    redisAppendCommand(keys, "GET %s:{%s}:seats", prefix, resource);
    redisAppendCommand(keys, "HGETALL %s:{%s}:pools", prefix, resource);
    redisAppendCommand(keys, "GET %s:{%s}:catalogue", prefix, resource);
    redisAppendCommand(keys, "EXEC");
}

/* Of the reply to EXEC; an error within it is of a key that has another type: nothing is shown. */
static void copy_picture(const redisReply *reply, struct usher_arena *arena,
                         struct redis_picture *picture)
{
    if (reply->type != REDIS_REPLY_ARRAY || reply->elements != 4)
        return;
    for (size_t i = 0; i < reply->elements; i++)
        if (reply->element[i]->type == REDIS_REPLY_ERROR)
            return;
    picture->hash = copy_hash(reply->element[0], arena);
    picture->seats = copy(reply->element[1], arena);
    picture->seat_count = picture->seats ? reply->element[1]->len : 0;
    picture->pools = copy_hash(reply->element[2], arena);
    picture->catalogue = copy(reply->element[3], arena);
}

enum usher_status redis_follow_read(struct redis_follow *follow, const char *resource,
                                    struct usher_arena *arena, struct redis_picture *picture,
                                    struct usher_error *err)
{
    enum {
        QUEUED = 5 /* replies before that to EXEC */
    };
    *picture = (struct redis_picture){0};
    enum usher_status status = USHER_OK;
    append_picture(follow, resource);
    for (int i = 0; i < QUEUED && status == USHER_OK; i++) {
        redisReply *reply = take_reply(follow, REDIS_REPLY_STATUS, &status, err);
        if (reply)
            freeReplyObject(reply);
    }
    redisReply *reply =
        status == USHER_OK ? take_reply(follow, REDIS_REPLY_ARRAY, &status, err) : NULL;
    if (reply) {
        copy_picture(reply, arena, picture);
        freeReplyObject(reply);
    }
    return status;
}

enum usher_status redis_follow_layout(struct redis_follow *follow, const char *layout,
                                      struct usher_arena *arena, const char **json,
                                      struct usher_error *err)
{
    enum usher_status status;
    *json = NULL;
    redisAppendCommand(follow->keys.context, "GET %s:layout:%s", follow->prefix, layout);
    redisReply *reply = take_reply(follow, REDIS_REPLY_STRING, &status, err);
    if (reply) {
        *json = reply->type == REDIS_REPLY_STRING ? copy(reply, arena) : NULL;
        freeReplyObject(reply);
    }
    return status;
}

enum usher_status redis_follow_list(struct redis_follow *follow, uint32_t first, uint32_t max,
                                    struct usher_arena *arena, struct redis_ids *ids,
                                    struct usher_error *err)
{
    enum usher_status status;
    *ids = (struct redis_ids){0};
    redisAppendCommand(follow->keys.context, "ZRANGE %s:resources %u %u", follow->prefix, first,
                       first + max - 1);
    redisReply *reply = take_reply(follow, REDIS_REPLY_ARRAY, &status, err);
    if (!reply)
        return status;
    ids->at = usher_arena_alloc(arena, (reply->elements + 1) * sizeof *ids->at);
    for (size_t i = 0; i < reply->elements; i++)
        ids->at[ids->count++] = copy(reply->element[i], arena);
    freeReplyObject(reply);
    return USHER_OK;
}

/* Takes the replies to a pipeline of HGETALL. */
static enum usher_status take_hashes(struct redis_follow *follow, uint32_t count,
                                     struct usher_arena *arena, struct redis_hash *hashes,
                                     struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    for (uint32_t i = 0; i < count && status == USHER_OK; i++) {
        redisReply *reply = take_reply(follow, REDIS_REPLY_ARRAY, &status, err);
        if (reply) {
            hashes[i] = copy_hash(reply, arena);
            freeReplyObject(reply);
        }
    }
    return status;
}

enum usher_status redis_follow_hashes(struct redis_follow *follow, const char *const *ids,
                                      uint32_t count, struct usher_arena *arena,
                                      struct redis_hash *hashes, struct usher_error *err)
{
    for (uint32_t i = 0; i < count; i++)
        redisAppendCommand(follow->keys.context, "HGETALL %s:{%s}", follow->prefix, ids[i]);
    return take_hashes(follow, count, arena, hashes, err);
}

enum usher_status redis_follow_beats(struct redis_follow *follow, const int32_t *partitions,
                                     uint32_t count, struct usher_arena *arena,
                                     struct redis_hash *beats, struct usher_error *err)
{
    for (uint32_t i = 0; i < count; i++)
        redisAppendCommand(follow->keys.context, "HGETALL %s:worker:%d", follow->prefix,
                           (int)partitions[i]);
    return take_hashes(follow, count, arena, beats, err);
}
