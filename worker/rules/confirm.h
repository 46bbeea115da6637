/*
 * confirm: of one booking or a part of it, also after expiry, and of all bookings of a cart.
 * PURE.
 */
#ifndef USHER_WORKER_RULES_CONFIRM_H
#define USHER_WORKER_RULES_CONFIRM_H

#include "usher/message.h"
#include "worker/inventory/booking.h"
#include "worker/inventory/resource.h"
#include "worker/rules/decision.h"
#include "worker/rules/plan.h"

void confirm_decide(struct decision *decision, struct booking *booking);

void confirm_decide_all(struct decision *decision, struct booking *const *bookings, uint32_t count);

#endif
