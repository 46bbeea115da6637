/*
 * The end of a booking: its units go back. PURE.
 */
#ifndef USHER_WORKER_RULES_RETURNING_H
#define USHER_WORKER_RULES_RETURNING_H

#include "worker/rules/decision.h"

/* What becomes of a booking that ends. */
struct ending {
    enum booking_state to;
    enum usher_outcome outcome;
};

/* Ends a booking: gives its units back and sets its state. */
void returning_end(struct decision *decision, struct booking *booking, enum booking_state to);

/* Ends a booking and makes that the answer. */
void returning_decide(struct decision *decision, struct booking *booking,
                      const struct ending *ending);

#endif
