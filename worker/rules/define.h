/*
 * define, open, close. PURE.
 */
#ifndef USHER_WORKER_RULES_DEFINE_H
#define USHER_WORKER_RULES_DEFINE_H

#include "worker/rules/decision.h"

void define_decide(struct decision *decision);
void define_decide_open(struct decision *decision);
void define_decide_close(struct decision *decision);

#endif
