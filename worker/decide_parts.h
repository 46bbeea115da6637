/*
 * What the parts of the booking rules share: one decision in the making, and the plan of what it
 * takes. For decide*.c only. PURE.
 */
#ifndef USHER_WORKER_DECIDE_PARTS_H
#define USHER_WORKER_DECIDE_PARTS_H

#include "decide.h"
#include "inventory_change.h"

/* One decision in the making. */
struct decision {
    struct inventory *inventory;
    const struct rules *rules;
    const struct usher_request *request; /* of an expiry NULL */
    struct batch *batch;
    struct decision_row *row;
    struct resource *resource; /* NULL: there is none */
    struct usher_answer answer;
    bool changes; /* the resource gets a new rev */
    bool encoded; /* the body is in batch->text */
};

/* Makes it a refusal. `detail` is for people; NULL: the reason says it all. */
void decision_refuse(struct decision *decision, enum usher_reason reason, const char *detail);

/* Makes it a success that gives the resource a new rev. The answer's other fields stay. */
void decision_succeed(struct decision *decision, enum usher_outcome outcome);

/*
 * Whether the answer to this success is small enough; if not, it is a refusal now, and the caller
 * takes back what it did. To be asked before anything is changed for good.
 */
bool decision_fits(struct decision *decision);

/* Ends it: encodes the answer and completes the row. */
void decision_end(struct decision *decision);

/* ---- the operations: each makes all of its own checks and sets the answer ---- */

void decide_hold(struct decision *decision);   /* and book */
void decide_change(struct decision *decision); /* confirm, release, cancel */
void decide_define(struct decision *decision);
void decide_open(struct decision *decision); /* and close */
void decide_probe(struct decision *decision);

/* ---- what is taken for the items of a request ---- */

struct plan {
    struct resource *resource;
    struct usher_arena *arena;
    enum booking_state state; /* that the units get: HELD or CONFIRMED */
    struct line *lines;
    uint32_t line_count;
    int32_t *units;
    uint32_t unit_count;
    struct usher_shortfall *shortfalls; /* items that fell short */
    uint32_t shortfall_count;
};

/* Makes room in `arena` for as many lines and units. */
void plan_init(struct plan *plan, struct resource *resource, enum booking_state state,
               uint32_t unit_limit, struct usher_arena *arena);

/* Takes the units of an item; where that is not possible, none of them, and adds a shortfall. */
void plan_item(struct plan *plan, const struct usher_item *item, uint32_t index);

/*
 * Takes again what a booking had, at its prices: the very same seats, as many of the others. Items
 * for which that is not possible become shortfalls.
 */
void plan_again(struct plan *plan, const struct content *content);

/* For the ways to plan: takes the lowest free units of a pool, which are enough, as a new line … */
void plan_take_lowest(struct plan *plan, const struct line *wanted);

/* … or those written behind the units of the plan, as a new line. */
void plan_take(struct plan *plan, const struct line *wanted);

/* Adds what an item lacked. */
void plan_fall_short(struct plan *plan, const struct usher_shortfall *shortfall);

/* The earliest reason of the shortfalls; NONE: everything was taken. */
enum usher_reason plan_reason(const struct plan *plan);

/* Gives everything back. */
void plan_undo(struct plan *plan);

/* ---- how units are shown in answers ---- */

/* Returns line_count groups of units in the arena. */
const struct usher_units *show_units(const struct resource *resource, const struct line *lines,
                                     uint32_t line_count, struct usher_arena *arena);

/* A night as 2026-12-24, in the arena. */
const char *show_night(int32_t night, struct usher_arena *arena);

/* Sets what every answer about a booking says of it; not its units. */
void show_booking(struct decision *decision, const struct booking *booking);

/* ---- what release, cancel and expiry have in common ---- */

/* Gives all units of a booking back and makes that the answer. */
void decision_return(struct decision *decision, struct booking *booking, enum booking_state to,
                     enum usher_outcome outcome);

#endif
