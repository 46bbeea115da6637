/*
 * The numbered units of one pool, seats or the rooms of a night, as bits: free, held, sold or
 * blocked. Words without an available unit are skipped through summary levels, so that finding the
 * lowest free one of a million costs a few words. PURE: it knows nothing of rows, prices or
 * bookings.
 *
 * A night may have more numbers than rooms: where its capacity went down below a number that is
 * taken, or where more were taken than there are. Then the free ones are always the lowest numbers
 * that are not taken, as many as the capacity leaves; the others are retired, neither free nor
 * taken.
 */
#ifndef USHER_WORKER_INVENTORY_UNITS_H
#define USHER_WORKER_INVENTORY_UNITS_H

#include <stdbool.h>
#include <stdint.h>

#include "usher/memory.h"
#include "worker/model/rows.h"

enum {
    UNITS_LEVELS_MAX = 5 /* 64^5 units */
};

struct units {
    uint32_t count; /* numbers, from 0 on; more than the capacity where some are retired */
    uint32_t limit; /* numbers that are not taken are free below it and retired from it on */
    uint32_t free;
    uint32_t over; /* taken beyond those there are: as many retire when they are given back */
    uint64_t *open_bits[UNITS_LEVELS_MAX]; /* [0]: a bit per number, set where it is not taken; [n]:
                                              a bit per word of [n - 1] */
    uint64_t *sold_bits;
    uint64_t *blocked_bits; /* NULL until the first unit is blocked */
    struct usher_arena *arena;
    uint32_t level_count;
};

/* Makes `count` free units; their bits live in `arena`. */
void units_init(struct units *units, uint32_t count, struct usher_arena *arena);

/*
 * Leaves that many of the numbers that are not taken free: the others retire, or come back. `over`
 * of those taken are more than there are; then none is free.
 */
void units_set_free(struct units *units, uint32_t free, uint32_t over);

/* Makes numbers up to `count`, retired ones, unless there are as many. */
void units_extend(struct units *units, uint32_t count);

/* Returns whether a unit is free: neither taken nor retired. */
bool units_is_free(const struct units *units, uint32_t unit);

/* Returns HELD, CONFIRMED, BLOCKED, or NONE for a unit that is not taken. */
enum booking_state units_state(const struct units *units, uint32_t unit);

/* Writes the character of the state of each unit in [from, end), as above. */
void units_write(const struct units *units, uint32_t from, uint32_t end,
                 const char characters[BOOKING_STATE_COUNT], char *out);

/* Returns the lowest free unit >= `from`, or count. */
uint32_t units_next_free(const struct units *units, uint32_t from);

/* Returns the lowest number >= `from` that is not taken, free or retired, or count. */
uint32_t units_next_open(const struct units *units, uint32_t from);

/* Returns the lowest unit in [from, end) that is taken, or `end`. */
uint32_t units_next_taken(const struct units *units, uint32_t from, uint32_t end);

/* Returns one more than the highest unit that is taken; 0: none is. */
uint32_t units_taken_end(const struct units *units);

/*
 * Free → HELD, CONFIRMED or BLOCKED; HELD → CONFIRMED; any of the three → free. A retired number
 * may be taken too: the highest free one retires for it, and if none is free, one more is taken
 * than there are. One that is given back above the free ones retires, and the lowest retired one is
 * free in its place, unless one less is taken now than there were beyond.
 */
void units_take(struct units *units, uint32_t unit, enum booking_state state);
void units_sell(struct units *units, uint32_t unit);
void units_give(struct units *units, uint32_t unit);

/*
 * Returns whether the bits agree with each other, and as many are taken and free as that. For tests
 * and asserts.
 */
bool units_check(const struct units *units, struct unit_counts taken, uint32_t free);

#endif
