/*
 * The operations, a row each: for whom, from which states, what they take and what they make. The
 * functions that apply them stand in decide.c and change.c. PURE.
 */
#ifndef USHER_WORKER_RULES_OPERATIONS_H
#define USHER_WORKER_RULES_OPERATIONS_H

#include <stdbool.h>

#include "usher/message.h"
#include "worker/model/rows.h"

/* What becomes of a booking, and the outcome that says so. */
struct result {
    enum booking_state to;
    enum usher_outcome outcome;
};

/* Who may ask for an operation on a booking. */
enum owner {
    OWNER_CUSTOMER, /* its customer only */
    OWNER_OR_HOUSE, /* or the house: no customer, and "force" */
    OWNER_HOUSE,    /* the house: any client */
};

struct operation {
    bool takes;           /* may take units to which waiting parties have the first right */
    enum owner owner;     /* of one on a booking, or on all bookings of a cart */
    struct result result; /* to NONE: it neither makes a booking nor ends one */
    enum usher_reason refused[BOOKING_STATE_COUNT]; /* why, in a state; NONE: it is allowed */
};

extern const struct operation operations[USHER_OP_COUNT];

#endif
