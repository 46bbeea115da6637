/*
 * A party and the seats that it would accept. PURE.
 */
#ifndef USHER_WORKER_RULES_SEATING_FILTER_H
#define USHER_WORKER_RULES_SEATING_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "worker/inventory/resource.h"
#include "worker/inventory/seats.h"

struct party {
    uint32_t quantity; /* at least 1 */
    bool together;     /* refuse rather than split */
    enum usher_strategy strategy;
    uint64_t seed; /* of RANDOM */
    const char *const *features;
    uint32_t feature_count;
    const char *const *avoid;
    uint32_t avoid_count;
    const int32_t *among; /* the only free units that it may have; NULL: any */
    uint32_t among_count;
};

/* Whether a seat has all features that the party wants, and none that it avoids. */
bool seating_accepts(const struct pool *pool, const struct party *party, uint32_t unit);

/* Returns the free seats that a party would accept; what is made for them lives in `scratch`. */
struct seat_set seating_set(const struct pool *pool, const struct party *party,
                            struct usher_arena *scratch);

/* Counts the free seats among `bits`, those of a set. */
uint32_t seating_count(const struct pool *pool, const uint64_t *bits);

/* Counts the free seats that the party would accept. */
uint32_t seating_free(const struct pool *pool, const struct party *party);

#endif
