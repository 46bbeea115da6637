/* Whether a Redis can be used: it answers, this user may write, and it keeps what is written. */
#include "worker/redis/redis_check.h"

#include <stdlib.h>
#include <string.h>

#include "worker/redis/redis_contract.h"
#include "worker/redis/redis_link.h"

/* The value of a field of INFO, up to the end of its line; "": there is none. */
static const char *info_value(const char *info, const char *field)
{
    const char *at = strstr(info, field);
    return at ? at + strlen(field) : "";
}

/* Evicted keys look like resources that are unknown, until their next change. */
static bool may_evict(const char *info)
{
    static const char *const keeps = "noeviction";
    long long limit = strtoll(info_value(info, "\nmaxmemory:"), NULL, 10);
    const char *policy = info_value(info, "\nmaxmemory_policy:");
    return limit > 0 && strncmp(policy, keeps, strlen(keeps)) != 0;
}

/* A Redis that does not say (a hosted one may forbid INFO) is not reported. */
static enum usher_status read_eviction(struct redis_link *link, bool *evicts,
                                       struct usher_error *err)
{
    redisReply *reply = redis_link_call(link, err, "INFO memory");
    if (!reply)
        return USHER_RETRY;
    *evicts = reply->type == REDIS_REPLY_STRING && may_evict(reply->str);
    freeReplyObject(reply);
    return USHER_OK;
}

/* A script that is given a key may run only where that key may be written, whatever it does. */
static enum usher_status check_rights(struct redis_link *link, const char *prefix,
                                      struct usher_error *err)
{
    redisReply *reply = redis_link_call(link, err, "EVAL %s 1 %s:contract", "return 0", prefix);
    if (!reply)
        return USHER_RETRY;
    enum usher_status status = reply->type == REDIS_REPLY_ERROR
                                   ? redis_reply_status(reply, "write to Redis", err)
                                   : USHER_OK;
    freeReplyObject(reply);
    return status;
}

enum usher_status redis_check(const struct redis_settings *settings, bool *evicts,
                              struct usher_error *err)
{
    struct redis_link link;
    *evicts = false;
    enum usher_status status = redis_link_open(&link, settings, err);
    if (status == USHER_OK)
        status = redis_contract_check(&link, settings->prefix, err);
    if (status == USHER_OK)
        status = check_rights(&link, settings->prefix, err);
    if (status == USHER_OK)
        status = read_eviction(&link, evicts, err);
    redis_link_close(&link);
    return status;
}
