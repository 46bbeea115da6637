/* What a redis_store is made of: for redis_store.c and redis_compare.c only. */
#ifndef USHER_WORKER_REDIS_REDIS_STORE_LINK_H
#define USHER_WORKER_REDIS_REDIS_STORE_LINK_H

#include "worker/redis/redis_link.h"
#include "worker/redis/redis_store.h"

struct redis_store {
    struct redis_link link;
    const char *prefix;
};

#endif
