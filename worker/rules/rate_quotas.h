/* Quotas with a rate, in a merged definition: whether they can apply from now on. PURE. */
#ifndef USHER_WORKER_RULES_RATE_QUOTAS_H
#define USHER_WORKER_RULES_RATE_QUOTAS_H

#include "usher/message.h"
#include "worker/inventory/resource.h"

/*
 * Lets the pools of all quotas with a rate count the units at each rate from now on. `resource`: a
 * clone of `old` (NULL: it is new) with all pools and terms merged. Returns why the definition is
 * refused, and sets `*detail`, in the arena. NONE: it is not refused.
 */
enum usher_reason rate_quotas_apply(struct resource *resource, const struct resource *old,
                                    const struct usher_definition *definition,
                                    struct usher_arena *arena, const char **detail);

#endif
