/*
 * The keys that list resources: all of them by start, those of each kind, those in each state. They
 * are passed to the scripts in this order. Inside of the redis_ files.
 */
#ifndef USHER_WORKER_REDIS_REDIS_LISTS_H
#define USHER_WORKER_REDIS_REDIS_LISTS_H

#include "worker/display/display_update.h"

enum {
    REDIS_LISTS = 8
};

struct redis_list {
    const char *key;          /* behind the prefix and its colon */
    const char *type;         /* of the key: "zset" only of the first, by start */
    const char *kind, *state; /* what it lists; NULL: any */
};

extern const struct redis_list redis_lists[REDIS_LISTS];

/* Whether a resource belongs into it; the update is a whole picture, drawn. */
bool redis_list_has(const struct redis_list *list, const struct display_update *update);

#endif
