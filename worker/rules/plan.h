/*
 * Units taken for the items of a request: a plan takes them as it goes, so that each item sees what
 * the earlier ones left, and gives them all back if the request is refused. PURE.
 */
#ifndef USHER_WORKER_RULES_PLAN_H
#define USHER_WORKER_RULES_PLAN_H

#include "usher/message.h"
#include "worker/inventory/booking.h"
#include "worker/inventory/resource.h"

/*
 * A numbered unit that the plan gave back: of the booking that is exchanged, or the hold that goes
 * into it, at its old price; or of the block that is sold from.
 */
struct reusable_unit {
    uint32_t pool; /* index */
    int32_t unit;
    int64_t price;
    const char *rate;
};

/* A line of a counted pool that was given back, and how many of its units the plan took. */
struct reusable_line {
    const struct line *line;
    uint32_t taken;
};

struct plan {
    struct resource *resource;
    struct usher_arena *arena;
    enum booking_state state; /* of the units that are taken */
    bool partial;             /* an item gets as many units as there are */
    bool overbook;   /* an item for which too few are left gets more of rooms and counted pools */
    bool beyond;     /* the present item is such a one */
    bool restricted; /* stays have to meet the restrictions of their dates */
    uint64_t seed;   /* of the strategy `random` */
    int64_t at_ms;   /* the time at which rates are judged */
    const struct booking *owners[2]; /* whose units were given back, so that they may be taken */
    uint32_t owner_count;
    struct reusable_unit *own; /* them, by pool and unit; NULL */
    uint32_t own_count;
    struct reusable_line *own_lines; /* in the bookings' order; NULL */
    uint32_t own_line_count;
    bool from_block_only; /* the units are a block's: only these may be taken, each at today's price
                           */
    const struct line *rest; /* those that a block keeps; NULL: they are not taken again yet */
    uint32_t rest_count;
    struct line *lines;
    uint32_t line_count, line_limit;
    uint32_t apart;  /* lines before this one get no more units */
    int8_t *members; /* of each line: whose it is among those of its item, -1: it has none; NULL */
    int32_t *units;  /* the numbers of numbered ones */
    uint32_t number_count;
    int8_t together; /* as in the answer: -1 no seats were chosen, 1 all in one piece, 0 not */
    int8_t *items_together; /* the same of each of several items, as in its units; NULL */
    struct usher_shortfall *shortfalls; /* items that fell short */
    uint32_t shortfall_count;
    bool can_never_fit; /* one of them can never be served, whatever units are returned */
};

/* Begins a plan at that time, of at most `unit_limit` numbered units, in `arena`. */
void plan_init(struct plan *plan, struct resource *resource, enum booking_state state,
               int64_t at_ms, uint32_t unit_limit, struct usher_arena *arena);

/*
 * Gives back the units of a booking and makes them the plan's own: kept where possible, at their
 * old price, and by their old rate where none is asked for. Before anything is taken; twice where
 * a hold goes into the booking, the booking first: where either has units, they are its.
 */
void plan_own(struct plan *plan, const struct booking *booking);

/* Gives back the units of that block, and has units come out of it only. */
void plan_from(struct plan *plan, const struct booking *block);

/* Returns the earlier of two reasons; NONE is later than any. */
static inline enum usher_reason plan_earlier(enum usher_reason a, enum usher_reason b)
{
    if (a == USHER_REASON_NONE || b == USHER_REASON_NONE)
        return a == USHER_REASON_NONE ? b : a;
    return a < b ? a : b;
}

/* Returns the earliest reason of the shortfalls; NONE: everything was taken. */
enum usher_reason plan_reason(const struct plan *plan);

/*
 * Gives everything up: what it took is given back, and what it gave back is taken again, so that
 * the units are as before plan_init.
 */
void plan_undo(struct plan *plan);

/*
 * Gives back the lines from the one at index `line_count` on. Own units of counted pools still
 * count as taken: it is for seats.
 */
void plan_undo_to(struct plan *plan, uint32_t line_count);

/*
 * Returns the lines of an own booking, in the arena, without the units that the plan took. A block
 * keeps them: they are taken again for it.
 */
const struct line *plan_rest(struct plan *plan, const struct booking *owner, uint32_t *count);

/* ---- for the kinds of items ---- */

/* A quantity of units of a pool, for an item. */
struct unit_request {
    uint32_t item;
    const struct pool *pool;
    const char *rate; /* as requested, known to the pool; NULL */
    uint32_t count;
};

/*
 * Takes the units that were written behind those of the plan, each at today's price, or at its old
 * one where the booking had it by the same rate: a line per price.
 */
void plan_take(struct plan *plan, const struct unit_request *want);

/* Lets `count` more units of a pool be taken by an item that goes beyond what is free. */
void plan_overbook(const struct plan *plan, const struct pool *pool, uint32_t count);

/* Takes rooms of a night: its own ones, then those of the lowest numbers. */
void plan_take_lowest(struct plan *plan, const struct unit_request *want);

/*
 * Takes units of a counted pool: its own ones first, and among them those of the same rate, which
 * keep their old price.
 */
void plan_take_counted(struct plan *plan, const struct unit_request *want);

/*
 * Takes one line, at the price and rate of `wanted`: the units that were written behind those of
 * the plan, or as many of a counted pool.
 */
void plan_take_line(struct plan *plan, const struct line *wanted);

/*
 * Counts the units of a pool that the plan may still take: free ones or its own, within the quotas.
 * An item that goes beyond them may have any of a pool without seats.
 */
uint32_t plan_available(const struct plan *plan, const struct pool *pool);

/* How many units of a pool the rates leave that an item names, or may be served by. */
struct rate_room {
    const char *rate; /* the first that has room for all, else the one with the most; NULL: any */
    int64_t left;     /* INT64_MAX: no quota limits it */
};

/* Finds the rate of so many units of a pool; `rate`: as requested, known to the pool. */
struct rate_room plan_rate_room(const struct plan *plan, const struct pool *pool, const char *rate,
                                uint32_t count);

/* Whether no rate of a pool that an item names, or may be served by, is sold any more. */
bool plan_rates_are_over(const struct plan *plan, const struct pool *pool, const char *rate);

/*
 * Returns how many of the units of a share the rates allow: all, if the rate has room for so many,
 * or if each is an own one that stays at its rate. `units`: those of a numbered pool that it is to
 * get; NULL: own ones first.
 */
uint32_t plan_rate_allows(const struct plan *plan, const struct unit_request *want,
                          const int32_t *units);

/*
 * Returns a line of the plan by which more is held and sold at its rate than a quota allows, or
 * than before if the rate has ended; NULL: none. Own units stay at their rates, whatever the
 * earlier items took.
 */
const struct line *plan_exceeds_rate(const struct plan *plan);

/* Whether a free unit may be taken: it is in the block, or there is no block. */
bool plan_offers(const struct plan *plan, uint32_t pool, uint32_t unit);

/* Whether the pool has a price by that rate (NULL: its standard one); a block needs none. */
bool plan_knows_rate(const struct plan *plan, const struct pool *pool, const char *rate);

/*
 * Writes the plan's own units of a numbered pool that are free, lowest first, at most `limit`, and
 * returns how many. `units` NULL: only counts them.
 */
uint32_t plan_own_units(const struct plan *plan, const struct pool *pool, int32_t *units,
                        uint32_t limit);

/* Adds a shortfall. */
void plan_fall_short(struct plan *plan, const struct usher_shortfall *shortfall);

/* Returns room for the names of seats or nights that an item did not get. */
const char **plan_names(struct plan *plan, uint32_t count);

/*
 * Returns the rate that leaves too few of so many units. One whose time is over helps nobody: then
 * the plan can never fit.
 */
const char *plan_short_rate(struct plan *plan, const struct pool *pool, const char *rate,
                            uint32_t count);

#endif
