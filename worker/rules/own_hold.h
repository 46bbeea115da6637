/*
 * Who is stopped by a hold of their own: the refusal names it. Only where limits count what each
 * customer has are all of a customer's holds in memory, so only there it is said. PURE.
 */
#ifndef USHER_WORKER_RULES_OWN_HOLD_H
#define USHER_WORKER_RULES_OWN_HOLD_H

#include "worker/rules/decision.h"

/*
 * Names the newest open hold of the request's customer that has one of the seats that are taken, or
 * units of a pool of which there are not enough, or not side by side: in a refusal for that. What
 * the request itself changes does not stop it.
 */
void own_hold_name(struct decision *decision);

/* Names the newest one that counts against the limit that is exceeded: with units of `group`; NULL:
 * whatever it has. */
void own_hold_name_limit(struct decision *decision, const struct pool_group *group);

#endif
