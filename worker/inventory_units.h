/*
 * The units of one pool as bits: free, held or sold, and how many of each. Words without a free
 * unit are skipped through summary levels, so that finding the lowest free one of ten million
 * costs a few words. PURE: it knows nothing of rows, prices or bookings.
 */
#ifndef USHER_WORKER_INVENTORY_UNITS_H
#define USHER_WORKER_INVENTORY_UNITS_H

#include <stdbool.h>
#include <stdint.h>

#include "rows.h"
#include "usher/memory.h"

enum {
    UNITS_LEVELS_MAX = 5 /* 64^5 units */
};

/* free + held + sold + blocked = count, always. */
struct units {
    uint32_t count;
    uint32_t free, held, sold, blocked;
    uint64_t *free_bits[UNITS_LEVELS_MAX]; /* [0]: a bit a unit; [n]: a bit a word of [n - 1] */
    uint64_t *sold_bits;
    uint32_t level_count;
};

/* Makes `count` free units; their bits live in `arena`. */
void units_init(struct units *units, uint32_t count, struct usher_arena *arena);

bool units_is_free(const struct units *units, uint32_t unit);

/* HELD, CONFIRMED, or NONE for a free one. */
enum booking_state units_state(const struct units *units, uint32_t unit);

/* The lowest free unit >= `from`, or count. */
uint32_t units_next_free(const struct units *units, uint32_t from);

/* The lowest unit in [from, end) that is not free, or `end`. */
uint32_t units_next_taken(const struct units *units, uint32_t from, uint32_t end);

/* One more than the highest unit that is not free; 0: all are. */
uint32_t units_taken_end(const struct units *units);

/* Free → HELD or CONFIRMED; HELD → CONFIRMED; HELD or CONFIRMED → free. */
void units_take(struct units *units, uint32_t unit, enum booking_state state);
void units_sell(struct units *units, uint32_t unit);
void units_give(struct units *units, uint32_t unit);

/* Whether the counts are those of the bits and add up. For tests and asserts. */
bool units_check(const struct units *units);

#endif
