/*
 * When a resource sells: its state, its times, and the nights that are not over. PURE: time is that
 * of the decision.
 */
#ifndef USHER_WORKER_RULES_SALE_H
#define USHER_WORKER_RULES_SALE_H

#include "worker/inventory/booking.h"
#include "worker/rules/decision.h"

/* What is said of a draft, also when it is defined. */
#define SALE_DRAFT_DETAIL "draft: nothing is sold before open"

/* Whether hold and book may take units of that resource now. */
bool sale_is_on(const struct resource_row *row, int64_t now_ms);

/* Whether a request is for a night that is over where the resource is; false if nobody knows. */
bool sale_is_of_past(const struct resource_row *row, const struct usher_request *request,
                     int64_t now_ms);

/* Whether nobody would be served who waits for it: it has ended, or a night of it is over. */
bool sale_is_over(const struct resource_row *row, const struct usher_request *request,
                  int64_t now_ms);

/*
 * Refuses a hold or a book of what is not on sale now, saying why and from when on it is. The house
 * may sell what is over. Returns whether it was refused.
 */
bool sale_refuse(struct decision *decision);

/*
 * Refuses an exchange that would sell what is over, as above: of a show that has ended, or for
 * nights that the booking has not. Whether a sale is open, and its times, concern no exchange.
 */
bool sale_refuse_exchange(struct decision *decision, const struct booking *booking);

/* Refuses to sell again what an expired hold had, where that is over: HOLD_EXPIRED. */
bool sale_refuse_again(struct decision *decision, const struct line *lines, uint32_t count);

#endif
