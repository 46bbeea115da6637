/*
 * probe: what is free now. PURE.
 */
#ifndef USHER_WORKER_RULES_PROBE_H
#define USHER_WORKER_RULES_PROBE_H

#include "worker/rules/decision.h"

void decide_probe(struct decision *decision);

#endif
