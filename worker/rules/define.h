/*
 * define, open, close. PURE.
 */
#ifndef USHER_WORKER_RULES_DEFINE_H
#define USHER_WORKER_RULES_DEFINE_H

#include "worker/rules/decision.h"

void decide_define(struct decision *decision);
void decide_open(struct decision *decision);
void decide_close(struct decision *decision);

#endif
