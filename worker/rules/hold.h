/*
 * hold, book and block. PURE.
 */
#ifndef USHER_WORKER_RULES_HOLD_H
#define USHER_WORKER_RULES_HOLD_H

#include "worker/rules/decision.h"

/* Decides a hold or a book. */
void hold_decide(struct decision *decision);

void hold_decide_block(struct decision *decision);

#endif
