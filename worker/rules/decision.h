/*
 * One decision: its answer, its row, and the verbs with which every operation makes them, such
 * as giving units back and naming them in the answer. It knows no operation. PURE.
 */
#ifndef USHER_WORKER_RULES_DECISION_H
#define USHER_WORKER_RULES_DECISION_H

#include <stdint.h>

#include "usher/message.h"
#include "worker/inventory/booking.h"
#include "worker/inventory/inventory.h"
#include "worker/inventory/resource.h"
#include "worker/model/batch.h"
#include "worker/rules/operations.h"

/* ==== Rules ==== */

/* What the rules take from configuration and ownership. */
struct rules {
    int64_t hold_ttl_s;           /* of a hold if neither the request nor the resource says */
    int64_t hold_ttl_max_s;       /* no hold is longer, … */
    int64_t house_hold_ttl_max_s; /* … and none of the house, if the resource lets it hold longer */
    int32_t partition;
    int32_t partition_count; /* as recorded in the database: keys are hashed with it */
    int32_t epoch;
};

/* ==== Decision ==== */

/* One decision being made. */
struct decision {
    struct inventory *inventory;
    const struct rules *rules;
    const struct usher_request *request; /* NULL: unrequested */
    struct batch *batch;
    struct decision_row *row;
    int64_t at_ms; /* the time by which it is judged what is sold: of the request's append, or of
                      what happened; not batch->now_ms, which depends on the worker */
    struct resource *resource; /* NULL: unknown */
    struct usher_answer answer;
    bool changes; /* the resource gets a new rev */
    bool encoded; /* the body is in batch->text */
};

/* Refuses. `detail` is for people, or NULL. */
void decision_refuse(struct decision *decision, enum usher_reason reason, const char *detail);

/* Refuses because of these items, which live as long as the decision. */
void decision_refuse_items(struct decision *decision, enum usher_reason reason,
                           const struct usher_shortfall *items, uint32_t count);

/* Succeeds, and gives the resource a new rev. The answer's other fields stay. */
void decision_succeed(struct decision *decision, enum usher_outcome outcome);

/* The same with the outcome of the operation that the request asks for. */
void decision_succeed_asked(struct decision *decision);

/*
 * Checks that all that is held or sold may cost so much more; less is always fine. False: it is
 * refused, as by decision_fits.
 */
bool decision_counts(struct decision *decision, int64_t more);

/*
 * Checks the size of the answer to a success. False: it is refused, and the caller takes back what
 * it did. Call it before anything is changed for good.
 */
bool decision_fits(struct decision *decision);

/*
 * Ends the decision: encodes the answer, completes the row, and wakes the waiting list where units
 * came back.
 */
void decision_end(struct decision *decision);

/* Names the bookings that were made or changed, for history. */
void decision_name(struct decision *decision, const struct booking *booking);

void decision_name_all(struct decision *decision, struct booking *const *bookings, uint32_t count);

/*
 * Begins an unrequested decision about a booking whose resource is in memory, of what happens at
 * `at_ms`. Its envelope is that of the request that made the booking.
 */
void decision_begin_unrequested(struct decision *decision, const struct booking *booking,
                                const char *cause, int64_t at_ms);

static inline struct usher_arena *decision_arena(const struct decision *decision)
{
    return &decision->batch->arena;
}

/* Copies a text into the decision's arena; NULL stays NULL. */
const char *decision_text(const struct decision *decision, const char *text);

/* ==== Lines of units ==== */

/* Sums up the prices of all units. */
int64_t unit_lines_total(const struct line *lines, uint32_t count);

/*
 * Whether the units of a line are still what they were when it was taken: the same seats, or units
 * of a pool that still has no seats.
 */
bool unit_lines_current(const struct pool *pool, const struct line *line);

/*
 * ==== Units of an answer ====
 *
 * Units and bookings as answers describe them, by the names that people know.
 */

/* Returns line_count groups of units in the arena. */
struct usher_units *answer_units(const struct resource *resource, const struct line *lines,
                                 uint32_t line_count, struct usher_arena *arena);

/* Groups of units, added booking by booking. */
struct answer_units_list {
    struct usher_units *at;
    uint32_t count;
};

/* Makes room for the units of that many lines. */
struct answer_units_list answer_units_begin(const struct decision *decision, uint32_t line_count);

/* Adds the units of these lines; in the answer about a cart each group names its booking. */
void answer_units_add(const struct decision *decision, const struct booking *booking,
                      const struct line *lines, uint32_t line_count,
                      struct answer_units_list *shown);

/*
 * Counts the units among these lines that are beyond the rooms or pieces there are; USHER_ABSENT:
 * none. A room is one by its number. Of a counted pool they are as many as exceed what there is,
 * after `returned` came back.
 */
int64_t answer_overbooked(const struct resource *resource, const struct line *lines, uint32_t count,
                          const struct line *returned, uint32_t returned_count);

/* Formats a night as 2026-12-24, in the arena. */
const char *answer_night(int32_t night, struct usher_arena *arena);

/* Sets what every answer about a booking says, but for its units. */
void answer_set_booking(struct decision *decision, const struct booking *booking);

/* Sets the units of a booking, with how many of them are overbooked. */
void answer_set_lines(struct decision *decision, const struct line *lines, uint32_t count);

/*
 * ==== Returning units ====
 *
 * The end of a booking: its units go back.
 */

/* Ends a booking: sets its state, and gives its units back. */
void returning_end(struct decision *decision, struct booking *booking, enum booking_state to);

/* Ends a booking and makes that the answer. */
void returning_decide(struct decision *decision, struct booking *booking,
                      const struct result *result);

#endif
