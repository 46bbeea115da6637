/*
 * When a resource sells: its state, its times, and the nights that are not over. PURE: time is that
 * of the decision.
 */
#ifndef USHER_WORKER_RULES_SALE_H
#define USHER_WORKER_RULES_SALE_H

#include "worker/rules/decision.h"

/* What is said of a draft, also when it is defined. */
#define SALE_DRAFT_DETAIL "draft: nothing is sold before open"

/* Whether hold and book may take units of that resource now. */
bool sale_is_on(const struct resource_row *row, int64_t now_ms);

/* Whether a request is for a night that is over where the resource is; false if nobody knows. */
bool sale_is_of_past(const struct resource_row *row, const struct usher_request *request,
                     int64_t now_ms);

/*
 * Refuses a hold or a book of what is not on sale now, saying why and from when on it is. The house
 * may sell what is over. Returns whether it was refused.
 */
bool sale_refuse(struct decision *decision);

#endif
