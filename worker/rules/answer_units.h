/*
 * Units and bookings as answers describe them, by the names that people know. PURE.
 */
#ifndef USHER_WORKER_RULES_ANSWER_UNITS_H
#define USHER_WORKER_RULES_ANSWER_UNITS_H

#include "worker/rules/decision.h"

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

#endif
