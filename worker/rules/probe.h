/* probe: the units that are free, or the bookings that are asked about, as of now. PURE. */
#ifndef USHER_WORKER_RULES_PROBE_H
#define USHER_WORKER_RULES_PROBE_H

#include "worker/rules/decision.h"

void probe_decide(struct decision *decision);

#endif
