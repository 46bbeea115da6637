/*
 * What a partition's memory asks the record for, and what it is given. PURE: below the ports, so
 * that the inventory can be filled without knowing them.
 */
#ifndef USHER_WORKER_LOADS_H
#define USHER_WORKER_LOADS_H

#include <stdbool.h>
#include <stdint.h>

#include "rows.h"
#include "usher/message.h"

/* A request id or a booking within a resource. */
struct load_key {
    const char *resource;
    uint8_t id_hash[USHER_HASH_SIZE];
};

struct load_request {
    const char *const *resources; /* ids of those that memory lacks */
    uint32_t resource_count;
    const int64_t *resource_nos; /* the same, known by number (of bookings that came due) */
    uint32_t resource_no_count;
    const struct load_key *ids; /* request ids that may have been answered before */
    uint32_t id_count;
    const struct load_key *bookings; /* bookings named, by the id of the request that made them */
    uint32_t booking_count;
    bool due;             /* holds that memory lacks and that come due */
    int64_t due_after_ms; /* only those that expire later than this … */
    int64_t due_after_no; /* … or then, with a higher number */
    int64_t due_until_ms; /* and not after this */
    uint32_t due_limit;   /* in the order of (expires_at, booking); as many means: maybe more */
};

struct load_result {
    struct loaded_resource *resources; /* unknown ones are missing */
    uint32_t resource_count;
    struct decision_row
        *firsts; /* the first answers, with their bodies; unknown ones are missing */
    uint32_t first_count;
    struct booking_row *bookings; /* named ones; unknown ones are missing */
    uint32_t booking_count;
    struct booking_row *due;
    uint32_t due_count;
};

#endif
