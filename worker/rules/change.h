/*
 * The operations on one booking or on all bookings of a cart: confirm, release, cancel, extend,
 * exchange, transfer, leave, unblock. PURE.
 */
#ifndef USHER_WORKER_RULES_CHANGE_H
#define USHER_WORKER_RULES_CHANGE_H

#include "worker/rules/decision.h"

void change_decide(struct decision *decision);

#endif
