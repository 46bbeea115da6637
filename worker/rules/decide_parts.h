/*
 * What the parts of the booking rules share: one decision in the making, and how units are shown.
 * For decide*.c only. PURE.
 */
#ifndef USHER_WORKER_RULES_DECIDE_PARTS_H
#define USHER_WORKER_RULES_DECIDE_PARTS_H

#include "worker/inventory/inventory_change.h"
#include "worker/rules/decide.h"

/* One decision in the making. */
struct decision {
    struct inventory *inventory;
    const struct rules *rules;
    const struct usher_request *request; /* of an unasked one NULL */
    struct batch *batch;
    struct decision_row *row;
    struct resource *resource; /* NULL: there is none */
    struct usher_answer answer;
    bool changes; /* the resource gets a new rev */
    bool encoded; /* the body is in batch->text */
};

/* Makes it a refusal. `detail` is for people; NULL: the reason says it all. */
void decision_refuse(struct decision *decision, enum usher_reason reason, const char *detail);

/* The same because of these items; they live as long as the decision. */
void decision_refuse_items(struct decision *decision, enum usher_reason reason,
                           const struct usher_shortfall *items, uint32_t count);

/* Makes it a success that gives the resource a new rev. The answer's other fields stay. */
void decision_succeed(struct decision *decision, enum usher_outcome outcome);

/*
 * Whether the answer to this success is small enough; if not, it is a refusal now, and the caller
 * takes back what it did. To be asked before anything is changed for good.
 */
bool decision_fits(struct decision *decision);

/* Ends it: encodes the answer and completes the row. */
void decision_end(struct decision *decision);

/* Names the booking that it made or changed, for history. */
void decision_name(struct decision *decision, const struct booking *booking);
void decision_name_all(struct decision *decision, struct booking *const *bookings, uint32_t count);

/*
 * Begins one that nobody asked for, about a booking whose resource is in memory: its envelope is
 * that of the request that made the booking.
 */
void decision_begin_unasked(struct decision *decision, const struct booking *booking,
                            const char *cause);

static inline struct usher_arena *decision_arena(const struct decision *decision)
{
    return &decision->batch->arena;
}

/* ---- the operations: each makes all of its own checks and sets the answer ---- */

void decide_hold(struct decision *decision); /* and book */
void decide_block(struct decision *decision);
void decide_change(struct decision *decision); /* confirm … unblock: of one booking or of a cart */
void decide_define(struct decision *decision);
void decide_open(struct decision *decision);
void decide_close(struct decision *decision);
void decide_probe(struct decision *decision);

/* ---- checks that several operations make ---- */

/* Whether hold and book may take units of that resource now. */
bool is_selling(const struct resource_row *row, int64_t now_ms);

/*
 * Whether a request may be had by the limits of its resource: units asked, and what the customer
 * has beside `except` (a booking that is changed; NULL). If not it is refused now.
 */
bool limits_allow(struct decision *decision, const char *customer, const struct booking *except);

/* Whether a customer may have these units beside its own, and one more hold. If not: refused. */
bool limits_allow_lines(struct decision *decision, const char *customer, const struct line *lines,
                        uint32_t count, bool hold);

/* The same for a party on the waiting list, without a refusal. */
bool limits_allow_party(const struct resource *resource, const struct booking *party,
                        const struct usher_request *wants, struct usher_arena *arena);

/* Units that a request asks for, nights counted singly. */
uint32_t units_asked(const struct usher_request *request);

/* How long a hold lasts: as asked, else as the resource has it, else as configured; never longer
 * than either allows. */
int64_t hold_ttl_s(const struct decision *decision, int64_t asked_s);

/* ---- the waiting list, and work that outlasts a batch ---- */

/* Puts the request on the waiting list; it was short of units. */
void waiting_join(struct decision *decision);

/*
 * Something changed that may make a party on the list fit: units came back; or, of all, names,
 * limits or the sale are not what they were. The list is to be gone through.
 */
void waiting_wake(struct inventory *inventory, struct resource *resource);
void waiting_wake_all(struct inventory *inventory, struct resource *resource);

/* Serves the list, at most `max` parties. Returns how many; row.unserved is whether more may fit.
 */
uint32_t waiting_serve(struct inventory *inventory, const struct rules *rules,
                       struct resource *resource, uint32_t max, struct batch *batch);

/* Goes on with cancelling all bookings of a resource, at most `max`. Returns how many. */
uint32_t cancel_more(struct inventory *inventory, const struct rules *rules,
                     struct resource *resource, uint32_t max, struct batch *batch);

/* Whether bookings of the resource are still to be cancelled. */
bool cancel_remains(const struct resource *resource);

/* ---- what becomes of a booking ---- */

/* The time of a cart's holds begins anew, each with its own, up to the cap. */
void cart_restart(struct decision *decision);

/* When a booking's hold ends if it is extended by that long from now. */
int64_t extended_ms(const struct decision *decision, const struct booking *booking, int64_t ttl_s);

/* An operation on all bookings of the cart that a request names. */
void decide_cart(struct decision *decision);

/* Confirms a booking, or those of a cart, after expiry too; exchanges a booking's units. */
void confirm_booking(struct decision *decision, struct booking *booking);
void confirm_bookings(struct decision *decision, struct booking *const *bookings, uint32_t count);
void exchange_booking(struct decision *decision, struct booking *booking);

/* Ends a booking: its units go back, it is in that state. */
void end_booking(struct decision *decision, struct booking *booking, enum booking_state to);

/* The same, and makes that the answer. */
void decision_return(struct decision *decision, struct booking *booking, enum booking_state to,
                     enum usher_outcome outcome);

/* Gives the units of a booking's lines back, or takes them again as they were. */
void give_lines(struct resource *resource, const struct line *lines, uint32_t count);
void take_lines(struct resource *resource, const struct line *lines, uint32_t count,
                enum booking_state state);
int64_t lines_total(const struct line *lines, uint32_t count);

/* ---- how units are shown in answers ---- */

/* Returns line_count groups of units in the arena. */
struct usher_units *show_units(const struct resource *resource, const struct line *lines,
                               uint32_t line_count, struct usher_arena *arena);

/* Groups of units of one booking after another. */
struct shown_units {
    struct usher_units *at;
    uint32_t count;
};

/* Room for those of so many lines. */
struct shown_units show_units_begin(const struct decision *decision, uint32_t line_count);

/* Adds the units of these lines, in the answer to a cart with the booking that they are of. */
void show_units_of(const struct decision *decision, const struct booking *booking,
                   const struct line *lines, uint32_t line_count, struct shown_units *shown);

/* Units beyond the rooms or pieces there are among these; USHER_ABSENT: none. */
int64_t show_overbooked(const struct resource *resource, const struct line *lines, uint32_t count);

/* A night as 2026-12-24, in the arena. */
const char *show_night(int32_t night, struct usher_arena *arena);

/* A copy in the arena; NULL stays NULL. */
const char *show_text(const char *text, struct usher_arena *arena);

/* Sets what every answer about a booking says of it; not its units. */
void show_booking(struct decision *decision, const struct booking *booking);

/* Sets the units that a booking has, or gets. */
void show_lines(struct decision *decision, const struct line *lines, uint32_t count);

#endif
