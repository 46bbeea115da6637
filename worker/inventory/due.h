/*
 * Which hold in memory expires next: a binary heap of (expires_at, booking number), each booking
 * knowing its place so that it can leave from anywhere. PURE.
 */
#ifndef USHER_WORKER_INVENTORY_DUE_H
#define USHER_WORKER_INVENTORY_DUE_H

#include <stdbool.h>
#include <stdint.h>

#include "worker/inventory/booking.h"

#define DUE_NONE UINT32_MAX

/* A place in the order of expiry. */
struct due_key {
    int64_t expires_ms;
    int64_t no;
};

static inline bool due_key_less(struct due_key a, struct due_key b)
{
    return a.expires_ms != b.expires_ms ? a.expires_ms < b.expires_ms : a.no < b.no;
}

/* Zero-initialise to make an empty one. */
struct due {
    struct due_entry {
        struct due_key key; /* a copy, so that comparing touches no booking */
        struct booking *booking;
    } * heap;
    uint32_t count, limit;
};

void due_deinit(struct due *due);

/* Adds a booking that is not in it, by its expires_ms and no. */
void due_add(struct due *due, struct booking *booking);

/* Removes a booking, if it is in it. */
void due_remove(struct due *due, struct booking *booking);

/* Returns the booking that expires first, or NULL. */
struct booking *due_first(const struct due *due);

/*
 * Visits the bookings with expires_ms <= until_ms, in no order: returns the next one after `*at`
 * (start with 0) and moves `*at` on; NULL: there are no more.
 */
struct booking *due_each(const struct due *due, int64_t until_ms, uint32_t *at);

#endif
