/*
 * confirm: of one booking or a part of it, also after expiry, and of all bookings of a cart. Which
 * units a part is. PURE.
 */
#ifndef USHER_WORKER_RULES_CONFIRM_H
#define USHER_WORKER_RULES_CONFIRM_H

#include "usher/message.h"
#include "worker/inventory/booking.h"
#include "worker/inventory/resource.h"
#include "worker/rules/decision.h"
#include "worker/rules/plan.h"

/* Some units of a booking, as lines, and the rest of it. Neither is changed. */
struct picked {
    struct line *lines, *rest; /* as long as the decision */
    uint32_t line_count, rest_count;
};

/* Picks the requested items out of the booking. False: refused. */
bool confirm_pick(struct decision *decision, const struct booking *booking, struct picked *picked);

void confirm_decide(struct decision *decision, struct booking *booking);

void confirm_decide_all(struct decision *decision, struct booking *const *bookings, uint32_t count);

#endif
