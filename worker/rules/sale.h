/*
 * The terms of a sale: refusals of what is not on sale, the limits on a request and on a customer,
 * and how long a hold lasts. PURE: what is sold is judged by decision.at_ms, whenever it is
 * decided.
 */
#ifndef USHER_WORKER_RULES_SALE_H
#define USHER_WORKER_RULES_SALE_H

#include "worker/inventory/booking.h"
#include "worker/rules/decision.h"

/* Returns why nothing is sold of it, as it is defined, until that is changed; NULL: it sells. */
const char *sale_never(const struct decision *decision);

/*
 * Refuses to sell what is not on sale, saying why and from when on it is. The house may sell what
 * is over: after closes_at or ends_at, or a night before today. An exchange sells what it adds to
 * the units that the bookings have, pool by pool; for hold and book there are none. Returns whether
 * it was refused.
 */
bool sale_refuse(struct decision *decision, struct booking *const *bookings, uint32_t count);

/* Returns why time keeps a request for those items from being served; NULL: it does not. */
const char *sale_over_detail(const struct decision *decision, const struct usher_request *wants);

/* Refuses to sell the units of an expired hold again if they are over: HOLD_EXPIRED. */
bool sale_refuse_again(struct decision *decision, const struct line *lines, uint32_t count);

/*
 * ==== Limits ====
 *
 * What a resource allows: how much a request may ask for, how much one customer may
 * have, how long a hold lasts.
 */

/*
 * Refuses a request that asks for fewer or more units than its resource allows, or by which the
 * customer would have too many; the bookings `except` no longer count: they are changed.
 * Returns whether it was refused.
 */
bool limits_refuse_request(struct decision *decision, const char *customer,
                           struct booking *const *except, uint32_t except_count);

/*
 * Refuses if a customer may not have these units beside its own, and one more hold where `hold`.
 * Returns whether it was refused.
 */
bool limits_refuse_lines(struct decision *decision, const char *customer, const struct line *lines,
                         uint32_t count, bool hold);

/* Whether a customer who has nothing may have that in one request. Nothing is refused. */
bool limits_may_allow(const struct resource *resource, const struct usher_request *wants);

/* Whether a party on the waiting list may have what it wants. Nothing is refused. */
bool limits_allow_party(const struct resource *resource, const struct booking *party,
                        const struct usher_request *wants, struct usher_arena *arena);

/* Counts the units that a request asks for, each night of a room by itself. */
uint32_t limits_units_requested(const struct usher_request *request);

/*
 * Returns how long a hold may last in all: as the resource limits it, and as configured. Both have
 * a maximum of its own for the house.
 */
int64_t sale_hold_total_s(const struct decision *decision);

/*
 * Returns how long a hold lasts, or is extended: as asked, else as the resource has it, else as
 * configured; never longer than either allows. Of the house only the time in all is bounded, if
 * the resource has a maximum of its own for it.
 */
int64_t sale_hold_ttl_s(const struct decision *decision, int64_t asked_s);

#endif
