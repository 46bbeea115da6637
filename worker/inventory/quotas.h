/*
 * The names that pools are sold under, groups of them, and the quotas over these. PURE.
 */
#ifndef USHER_WORKER_INVENTORY_QUOTAS_H
#define USHER_WORKER_INVENTORY_QUOTAS_H

#include <stdbool.h>
#include <stdint.h>

#include "usher/memory.h"
#include "usher/message.h"
#include "worker/base/table.h"

/* A name on sale: one pool, or of a room type one pool for each night. */
struct pool_name {
    struct table_node by_text;
    const char *text;
    enum usher_kind kind; /* SECTION, with rows or without; ROOM; PRODUCT */
    uint32_t pool;        /* index; of ROOM the first that was defined */
    int32_t first_night;  /* of ROOM: pool index + 1 of first_night + i, 0: none */
    uint32_t night_count;
    uint32_t *nights;
    int32_t lowest, highest; /* the first and last one that has a pool */
};

/* Names of pools: sections, room types (all of their nights), products. */
struct pool_group {
    const char *name; /* of a quota; NULL */
    struct pool_name **pools;
    uint32_t pool_count;
    int64_t limit;
};

/* A name of pools that is in a quota. */
struct quota_member {
    struct pool_name *name;
    uint32_t *quotas; /* indexes of those that it is in */
    uint32_t quota_count;
};

/* What all customers together may have of groups of pools; of room types per night. */
struct quotas {
    struct pool_group *at;
    uint32_t count;
    struct quota_member *members; /* room types, then the others, each in the order of filling */
    uint32_t member_count, room_count;
    int32_t *nights; /* that some of these room types has, in order */
    uint32_t night_count;
    bool mixed; /* some quota has room types and others */
};

/* Sets all but `at` and `count`, in the arena. */
void quotas_arrange(struct quotas *quotas, struct usher_arena *arena);

#endif
