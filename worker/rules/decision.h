/*
 * One decision: its answer, its row, and the verbs with which every operation makes them. It knows
 * no operation. PURE.
 */
#ifndef USHER_WORKER_RULES_DECISION_H
#define USHER_WORKER_RULES_DECISION_H

#include "usher/message.h"
#include "worker/inventory/booking.h"
#include "worker/inventory/inventory.h"
#include "worker/model/batch.h"
#include "worker/rules/rules.h"

/* One decision being made. */
struct decision {
    struct inventory *inventory;
    const struct rules *rules;
    const struct usher_request *request; /* NULL: unrequested */
    struct batch *batch;
    struct decision_row *row;
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
 * Begins an unrequested decision about a booking whose resource is in memory. Its envelope is that
 * of the request that made the booking.
 */
void decision_begin_unasked(struct decision *decision, const struct booking *booking,
                            const char *cause);

static inline struct usher_arena *decision_arena(const struct decision *decision)
{
    return &decision->batch->arena;
}

/* Copies a text into the decision's arena; NULL stays NULL. */
const char *decision_text(const struct decision *decision, const char *text);

#endif
