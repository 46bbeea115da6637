/*
 * hold, book and block. PURE.
 */
#ifndef USHER_WORKER_RULES_HOLD_H
#define USHER_WORKER_RULES_HOLD_H

#include "worker/rules/decision.h"

/* Decides a hold or a book. */
void decide_hold(struct decision *decision);

void decide_block(struct decision *decision);

#endif
