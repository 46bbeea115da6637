/* Four commands of Redis over hiredis; what is missing is an error here, not a zero. */
#include "shown.h"

#include <errno.h>
#include <hiredis/hiredis.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "clock_us.h"

struct shown {
    redisContext *redis;
};

static enum usher_status fail(const struct shown *shown, const char *what, struct usher_error *err)
{
    const char *why = shown->redis == NULL ? "out of memory" : shown->redis->errstr;
    usher_error_set(err, USHER_EXIT_UNAVAILABLE, "could not read %s from Redis: %s", what,
                    why[0] == '\0' ? "missing" : why);
    return USHER_FATAL;
}

/* The reply if it is of that type, else NULL. */
static redisReply *taken(redisReply *reply, int type)
{
    if (reply != NULL && reply->type != type) {
        freeReplyObject(reply);
        reply = NULL;
    }
    return reply;
}

enum usher_status shown_open(const char *uri, struct shown **shown, struct usher_error *err)
{
    char host[128];
    int port;
    *shown = NULL;
    if (sscanf(uri, "redis://%127[^:/]:%d", host, &port) != 2) {
        usher_error_set(err, USHER_EXIT_CONFIG, "could not read \"%s\": not redis://host:port",
                        uri);
        return USHER_FATAL;
    }
    struct shown *opened = calloc(1, sizeof *opened);
    if (opened == NULL)
        abort();
    const struct timeval patience = {.tv_sec = 5};
    opened->redis = redisConnectWithTimeout(host, port, patience);
    if (opened->redis == NULL || opened->redis->err != 0 ||
        redisSetTimeout(opened->redis, patience) != REDIS_OK) {
        enum usher_status status = fail(opened, "anything", err);
        shown_close(opened);
        return status;
    }
    *shown = opened;
    return USHER_OK;
}

/* ---- counts ---- */

static int64_t number_of(const redisReply *reply)
{
    return reply->type == REDIS_REPLY_STRING ? strtoll(reply->str, NULL, 10) : 0;
}

enum usher_status shown_counts(struct shown *shown, const char *resource,
                               struct shown_counts *counts, struct usher_error *err)
{
    *counts = (struct shown_counts){0};
    redisReply *reply =
        taken(redisCommand(shown->redis, "HMGET usher:{%s} free held sold total rev", resource),
              REDIS_REPLY_ARRAY);
    if (reply == NULL || reply->elements != 5) {
        freeReplyObject(reply);
        return fail(shown, resource, err);
    }
    *counts = (struct shown_counts){
        .free = number_of(reply->element[0]),
        .held = number_of(reply->element[1]),
        .sold = number_of(reply->element[2]),
        .total = number_of(reply->element[3]),
        .rev = number_of(reply->element[4]),
    };
    freeReplyObject(reply);
    return USHER_OK;
}

enum usher_status shown_await(struct shown *shown, const char *resource, int64_t rev,
                              struct shown_counts *counts, struct usher_error *err)
{
    const struct timespec pause = {.tv_nsec = 10000000};
    const int64_t deadline = clock_us() + 10000000;
    enum usher_status status = shown_counts(shown, resource, counts, err);
    while (status == USHER_OK && counts->rev < rev && clock_us() < deadline) {
        nanosleep(&pause, NULL);
        status = shown_counts(shown, resource, counts, err);
    }
    if (status == USHER_OK && counts->rev < rev) {
        usher_error_set(err, USHER_EXIT_UNAVAILABLE,
                        "Redis shows \"%s\" at rev %" PRId64 ", not at %" PRId64, resource,
                        counts->rev, rev);
        status = USHER_FATAL;
    }
    return status;
}

/* ---- texts ---- */

/* Takes the reply to a GET, whose text it is. */
static enum usher_status take_text(struct shown *shown, const char *what, redisReply *reply,
                                   struct usher_buffer *text, struct usher_error *err)
{
    reply = taken(reply, REDIS_REPLY_STRING);
    if (reply == NULL)
        return fail(shown, what, err);
    text->size = 0;
    usher_buffer_append(text, reply->str, (size_t)reply->len + 1);
    freeReplyObject(reply);
    return USHER_OK;
}

enum usher_status shown_seats(struct shown *shown, const char *resource, struct usher_buffer *seats,
                              struct usher_error *err)
{
    return take_text(shown, "seats", redisCommand(shown->redis, "GET usher:{%s}:seats", resource),
                     seats, err);
}

enum usher_status shown_layout(struct shown *shown, const char *resource,
                               struct usher_buffer *layout, struct usher_error *err)
{
    redisReply *name =
        taken(redisCommand(shown->redis, "HGET usher:{%s} layout", resource), REDIS_REPLY_STRING);
    if (!name)
        return fail(shown, "the name of the layout", err);
    enum usher_status status =
        take_text(shown, "the layout", redisCommand(shown->redis, "GET usher:layout:%s", name->str),
                  layout, err);
    freeReplyObject(name);
    return status;
}

/* ---- pools ---- */

enum usher_status shown_each_pool(struct shown *shown, const char *resource,
                                  const struct shown_pools *pools, struct usher_error *err)
{
    redisReply *reply =
        taken(redisCommand(shown->redis, "HGETALL usher:{%s}:pools", resource), REDIS_REPLY_ARRAY);
    if (reply == NULL)
        return fail(shown, "pools", err);
    for (size_t i = 0; i + 1 < reply->elements; i += 2) {
        int64_t free, total;
        if (sscanf(reply->element[i + 1]->str, "%" SCNd64 "/%" SCNd64, &free, &total) == 2)
            pools->pool(pools->context, reply->element[i]->str, free, total);
    }
    freeReplyObject(reply);
    return USHER_OK;
}

void shown_close(struct shown *shown)
{
    if (shown == NULL)
        return;
    redisFree(shown->redis);
    free(shown);
}
