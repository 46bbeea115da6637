/*
 * Whether a request can be fulfilled at all as its resource stands: with its pools, rates,
 * features, limits and quotas, and every unit free. Who asks for more waits in vain. PURE.
 */
#ifndef USHER_WORKER_RULES_POSSIBLE_H
#define USHER_WORKER_RULES_POSSIBLE_H

#include "usher/message.h"
#include "worker/inventory/resource.h"

/*
 * Returns why a hold could not have all of that, whatever were given back; NONE: some day it may.
 * Time is not asked: what is over is another matter.
 */
enum usher_reason possible_refusal(const struct resource *resource,
                                   const struct usher_request *wants);

#endif
