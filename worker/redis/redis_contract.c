/* The version of the contract: read, compared, claimed. */
#include "worker/redis/redis_contract.h"

#include <string.h>

#include "redis_lua.h"

#define REPLACED "1" /* all of its keys are written again, see claim_contract.lua */

static void refuse(const char *version, const char *prefix, struct usher_error *err)
{
    usher_error_set(err, USHER_EXIT_CONFIG,
                    "could not use Redis: the keys under \"%s:\" are of contract version \"%s\", "
                    "not " REDIS_CONTRACT ": %s",
                    prefix, version,
                    strcmp(version, REPLACED) == 0
                        ? "start a worker, or run usher-worker rebuild-cache: both write all again"
                        : "set another USHER_REDIS_PREFIX");
}

/* Takes the reply that says which version the keys are of; `other` will do as well as this one. */
static enum usher_status take_version(redisReply *reply, const char *other, const char *prefix,
                                      struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    if (!reply)
        return USHER_RETRY;
    /* No version was ever of another type. */
    if (reply->type == REDIS_REPLY_ERROR && !redis_reply_is_wrong_type(reply)) {
        status = redis_reply_status(reply, "use Redis", err);
    } else if (reply->type == REDIS_REPLY_STRING && strcmp(reply->str, REDIS_CONTRACT) != 0 &&
               strcmp(reply->str, other) != 0) {
        refuse(reply->str, prefix, err);
        status = USHER_FATAL;
    }
    freeReplyObject(reply);
    return status;
}

enum usher_status redis_contract_check(struct redis_link *link, const char *prefix,
                                       struct usher_error *err)
{
    return take_version(redis_link_call(link, err, "GET %s:contract", prefix), REPLACED, prefix,
                        err);
}

static enum usher_status claim(struct redis_link *link, const char *replaced, const char *prefix,
                               int32_t partitions, struct usher_error *err)
{
    redisReply *reply =
        redis_link_call(link, err, "EVAL %s 1 %s:contract " REDIS_CONTRACT " %s %s:shown: %d",
                        claim_contract_lua, prefix, replaced, prefix, (int)partitions);
    return take_version(reply, REDIS_CONTRACT, prefix, err);
}

enum usher_status redis_contract_claim(struct redis_link *link, const char *prefix,
                                       int32_t partitions, struct usher_error *err)
{
    return claim(link, REPLACED, prefix, partitions, err);
}

enum usher_status redis_contract_mark(struct redis_link *link, const char *prefix,
                                      struct usher_error *err)
{
    return claim(link, REDIS_CONTRACT, prefix, 0, err);
}
