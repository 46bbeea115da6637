/*
 * The waiting list: who joins it, and who is served when units return. PURE.
 */
#ifndef USHER_WORKER_RULES_WAITING_H
#define USHER_WORKER_RULES_WAITING_H

#include "worker/rules/decision.h"

/* Puts the request on the waiting list; it was short of units. */
void waiting_join(struct decision *decision);

enum {
    WAITING_TRIES_MAX = 5000 /* parties looked at at once: a batch must end */
};

/* Serving waiting lists: how many parties may still be served, and looked at. */
struct serving {
    uint32_t max, tries;
};

/* Serves the list. Returns how many parties; row.unserved is whether more may fit. */
uint32_t waiting_serve(struct inventory *inventory, const struct rules *rules,
                       struct resource *resource, struct serving *serving, struct batch *batch);

#endif
