/*
 * What the rules take from configuration and ownership.
 */
#ifndef USHER_WORKER_RULES_RULES_H
#define USHER_WORKER_RULES_RULES_H

#include <stdint.h>

/* What the rules take from configuration and ownership. */
struct rules {
    int64_t hold_ttl_s;     /* of a hold if neither the request nor the resource says */
    int64_t hold_ttl_max_s; /* no hold is longer */
    int32_t partition;
    int32_t partition_count; /* as recorded in the database: keys are hashed with it */
    int32_t epoch;
};

#endif
