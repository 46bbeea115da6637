/* The operations, a row each. PURE. */
#include "worker/rules/operations.h"

#define OK USHER_REASON_NONE

/* The reasons by state; a booking that was released or cancelled refuses every operation. */
#define IN_STATES(held, confirmed, blocked, waiting, expired, left) \
    .refused = {                                                    \
        [BOOKING_HELD] = (held),                                    \
        [BOOKING_CONFIRMED] = (confirmed),                          \
        [BOOKING_BLOCKED] = (blocked),                              \
        [BOOKING_WAITING] = (waiting),                              \
        [BOOKING_EXPIRED] = (expired),                              \
        [BOOKING_LEFT] = (left),                                    \
        [BOOKING_RELEASED] = USHER_ALREADY_RELEASED,                \
        [BOOKING_CANCELLED] = USHER_ALREADY_CANCELLED,              \
    }

/* On what a customer has; blocks and waiting parties are not held. */
#define ON_HELD(held, confirmed, expired) \
    IN_STATES(held, confirmed, USHER_NOT_HELD, USHER_NOT_HELD, expired, USHER_NOT_HELD)

/* On waiting parties only, on blocks only. */
#define ON_WAITING                                                                            \
    IN_STATES(USHER_NOT_WAITING, USHER_NOT_WAITING, USHER_NOT_WAITING, OK, USHER_NOT_WAITING, \
              USHER_NOT_WAITING)
#define ON_BLOCKED                                                                            \
    IN_STATES(USHER_NOT_BLOCKED, USHER_NOT_BLOCKED, OK, USHER_NOT_BLOCKED, USHER_NOT_BLOCKED, \
              USHER_NOT_BLOCKED)

/* clang-format off */
const struct operation operations[USHER_OP_COUNT] = {
    [USHER_OP_DEFINE] = {.result.outcome = USHER_DEFINED},
    [USHER_OP_OPEN] = {.result.outcome = USHER_DEFINED},
    [USHER_OP_CLOSE] = {.result.outcome = USHER_DEFINED},
    [USHER_OP_PROBE] = {.result.outcome = USHER_ALIVE},
    [USHER_OP_HOLD] = {.takes = true, .result = {BOOKING_HELD, USHER_HELD}},
    [USHER_OP_BOOK] = {.takes = true, .result = {BOOKING_CONFIRMED, USHER_CONFIRMED}},
    [USHER_OP_BLOCK] = {.takes = true, .result = {BOOKING_BLOCKED, USHER_BLOCKED}},
    [USHER_OP_CONFIRM] = {.takes = true, .owner = OWNER_CUSTOMER,
        .result.outcome = USHER_CONFIRMED,
        ON_HELD(OK, USHER_ALREADY_CONFIRMED, OK)},
    [USHER_OP_RELEASE] = {.owner = OWNER_OR_HOUSE, .result = {BOOKING_RELEASED, USHER_RELEASED},
        ON_HELD(OK, USHER_ALREADY_CONFIRMED, OK)},
    [USHER_OP_EXTEND] = {.owner = OWNER_CUSTOMER, .result.outcome = USHER_EXTENDED,
        ON_HELD(OK, USHER_ALREADY_CONFIRMED, USHER_HOLD_EXPIRED)},
    [USHER_OP_CANCEL] = {.owner = OWNER_OR_HOUSE, .result = {BOOKING_CANCELLED, USHER_CANCELLED},
        ON_HELD(USHER_NOT_CONFIRMED, OK, USHER_HOLD_EXPIRED)},
    [USHER_OP_EXCHANGE] = {.takes = true, .owner = OWNER_OR_HOUSE,
        .result.outcome = USHER_EXCHANGED,
        IN_STATES(OK, OK, OK, USHER_NOT_HELD, USHER_HOLD_EXPIRED, USHER_NOT_HELD)},
    [USHER_OP_TRANSFER] = {.owner = OWNER_OR_HOUSE, .result.outcome = USHER_TRANSFERRED,
        ON_HELD(OK, OK, USHER_HOLD_EXPIRED)},
    [USHER_OP_LEAVE] = {.owner = OWNER_CUSTOMER, .result = {BOOKING_LEFT, USHER_LEFT},
        ON_WAITING},
    [USHER_OP_UNBLOCK] = {.owner = OWNER_HOUSE, .result = {BOOKING_RELEASED, USHER_RELEASED},
        ON_BLOCKED},
};
/* clang-format on */
