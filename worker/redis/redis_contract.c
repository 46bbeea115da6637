/*
 * Reads and sets the version of the contract.
 */
#include "worker/redis/redis_contract.h"

#include <string.h>

#include "redis_lua.h"

#define REPLACED "1" /* all of its keys are written again, see claim_contract.lua */

/* Takes the reply that says which version the keys are of. */
static enum usher_status take_version(redisReply *reply, const char *prefix,
                                      struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    if (!reply)
        return USHER_RETRY;
    if (redis_reply_is_wrong_type(reply)) {
        status = USHER_OK; /* no version was ever of another type */
    } else if (reply->type == REDIS_REPLY_ERROR) {
        status = redis_reply_status(reply, "use Redis", err);
    } else if (reply->type == REDIS_REPLY_STRING && strcmp(reply->str, REDIS_CONTRACT) != 0 &&
               strcmp(reply->str, REPLACED) != 0) {
        usher_error_set(err, USHER_EXIT_CONFIG,
                        "could not use Redis: the keys under \"%s:\" are of contract version "
                        "\"%s\", not " REDIS_CONTRACT ": set another USHER_REDIS_PREFIX",
                        prefix, reply->str);
        status = USHER_FATAL;
    }
    freeReplyObject(reply);
    return status;
}

enum usher_status redis_contract_check(struct redis_link *link, const char *prefix,
                                       struct usher_error *err)
{
    return take_version(redis_link_call(link, err, "GET %s:contract", prefix), prefix, err);
}

enum usher_status redis_contract_claim(struct redis_link *link, const char *prefix,
                                       int32_t partitions, struct usher_error *err)
{
    redisReply *reply = redis_link_call(
        link, err, "EVAL %s 1 %s:contract " REDIS_CONTRACT " " REPLACED " %s:shown: %d",
        claim_contract_lua, prefix, prefix, (int)partitions);
    return take_version(reply, prefix, err);
}
