/*
 * What a resource allows: how much a request may ask for, how much one customer may
 * have, how long a hold lasts. PURE.
 */
#ifndef USHER_WORKER_RULES_LIMITS_H
#define USHER_WORKER_RULES_LIMITS_H

#include "worker/rules/decision.h"

/*
 * Refuses a request that asks for fewer or more units than its resource allows, or by which the
 * customer would have too many; `except` (a booking that is changed; NULL) no longer counts.
 * Returns whether it was refused.
 */
bool limits_refuse_request(struct decision *decision, const char *customer,
                           const struct booking *except);

/*
 * Refuses if a customer may not have these units beside its own, and one more hold where `hold`.
 * Returns whether it was refused.
 */
bool limits_refuse_lines(struct decision *decision, const char *customer, const struct line *lines,
                         uint32_t count, bool hold);

/* Whether a party on the waiting list may have what it wants. Nothing is refused. */
bool limits_allow_party(const struct resource *resource, const struct booking *party,
                        const struct usher_request *wants, struct usher_arena *arena);

/* Counts the units that a request asks for, each night of a room by itself. */
uint32_t limits_units_requested(const struct usher_request *request);

/*
 * Returns how long a hold lasts: as asked, else as the resource has it, else as configured; never
 * longer than either allows.
 */
int64_t limits_hold_ttl_s(const struct decision *decision, int64_t asked_s);

#endif
