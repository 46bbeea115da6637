/*
 * What is taken for the items of a request: a plan takes units as it goes, so that each item sees
 * what the earlier ones left, and gives all back where it is not to be. PURE.
 */
#ifndef USHER_WORKER_RULES_PLAN_H
#define USHER_WORKER_RULES_PLAN_H

#include "usher/message.h"
#include "worker/inventory/booking.h"
#include "worker/inventory/resource.h"

/* A unit that was given back for the plan: of the booking to be exchanged, at its frozen price, or
 * of the block to be sold from. */
struct owned {
    uint32_t pool; /* index */
    int32_t unit;
    int64_t price;
    const char *rate;
};

struct plan {
    struct resource *resource;
    struct usher_arena *arena;
    enum booking_state state; /* that the units get */
    bool partial;             /* items get as much as can be had */
    uint64_t seed;            /* of the strategy `random` */
    struct owned *own;        /* by pool and unit; NULL */
    uint32_t own_count;
    bool only_own; /* it is a block: nothing else may be taken, and all of it costs today's price */
    struct line *lines;
    uint32_t line_count;
    int32_t *units;
    uint32_t unit_count;
    int8_t together; /* as in the answer: -1 no seats were chosen, 1 all in one piece, 0 not */
    struct usher_shortfall *shortfalls; /* items that fell short */
    uint32_t shortfall_count;
};

/* Makes room in `arena` for as many lines and units. */
void plan_init(struct plan *plan, struct resource *resource, enum booking_state state,
               uint32_t unit_limit, struct usher_arena *arena);

/* What the booking had counts as its own: kept where it can be, at the price it had. */
void plan_own(struct plan *plan, const struct content *content);

/* Units come out of that block only; they were given back. */
void plan_from(struct plan *plan, const struct content *block);

/* The earliest reason of the shortfalls; NONE: everything was taken. */
enum usher_reason plan_reason(const struct plan *plan);

/* Gives everything back; or what was taken since there were so many lines. */
void plan_undo(struct plan *plan);
void plan_undo_to(struct plan *plan, uint32_t line_count);

/* The lines of `content`, in the arena, without the units that the plan took. */
const struct line *plan_rest(const struct plan *plan, const struct content *content,
                             uint32_t *count);

/* ---- for the kinds of items ---- */

/* Units of a pool for an item. */
struct share {
    uint32_t item;
    const struct pool *pool;
    const char *rate; /* as asked, known to the pool; NULL */
    uint32_t count;
};

/*
 * Takes the units that were written behind those of the plan, at the price of today, or where the
 * booking had a unit by the same rate before, at that price: a line for each price.
 */
void plan_take(struct plan *plan, const struct share *share);

/* The same with units that are free of a pool without rows: its own ones, then the lowest. */
void plan_take_lowest(struct plan *plan, const struct share *share);

/* Takes the units written behind those of the plan as a line at that line's price and rate. */
void plan_take_line(struct plan *plan, const struct line *line);

/* Units of a pool that the plan may still take, by what is free and what quotas allow. */
uint32_t plan_available(const struct plan *plan, const struct pool *pool);

/* Whether a unit may be taken, if nobody has it: it is in the block, or there is no block. */
bool plan_offers(const struct plan *plan, uint32_t pool, uint32_t unit);

/*
 * Writes its own units of a pool that nobody has now, lowest first, at most `limit`, and returns
 * how many. `units` NULL: it only counts.
 */
uint32_t plan_own_units(const struct plan *plan, const struct pool *pool, int32_t *units,
                        uint32_t limit);

/* Adds what an item lacked. */
void plan_fall_short(struct plan *plan, const struct usher_shortfall *shortfall);

/* Room for the names of what is in the way of an item. */
const char **plan_names(struct plan *plan, uint32_t count);

#endif
