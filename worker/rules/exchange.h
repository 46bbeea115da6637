/*
 * exchange: the content of a booking replaced in one step. PURE.
 */
#ifndef USHER_WORKER_RULES_EXCHANGE_H
#define USHER_WORKER_RULES_EXCHANGE_H

#include "worker/rules/decision.h"

void exchange_decide(struct decision *decision, struct booking *booking);

#endif
