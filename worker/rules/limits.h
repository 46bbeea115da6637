/*
 * What a resource allows: when it sells, how much a request may ask for, how much one customer may
 * have, how long a hold lasts. PURE.
 */
#ifndef USHER_WORKER_RULES_LIMITS_H
#define USHER_WORKER_RULES_LIMITS_H

#include "worker/rules/decision.h"

/* Whether hold and book may take units of that resource now. */
bool limits_on_sale(const struct resource_row *row, int64_t now_ms);

/*
 * Whether a request may be had by the limits of its resource: units asked, and what the customer
 * has beside `except` (a booking that is changed; NULL). If not it is refused now.
 */
bool limits_allow_request(struct decision *decision, const char *customer,
                          const struct booking *except);

/* Whether a customer may have these units beside its own, and one more hold. If not: refused. */
bool limits_allow_lines(struct decision *decision, const char *customer, const struct line *lines,
                        uint32_t count, bool hold);

/* The same for a party on the waiting list, without a refusal. */
bool limits_allow_party(const struct resource *resource, const struct booking *party,
                        const struct usher_request *wants, struct usher_arena *arena);

/* Units that a request asks for, nights counted singly. */
uint32_t limits_units_asked(const struct usher_request *request);

/* How long a hold lasts: as asked, else as the resource has it, else as configured; never longer
 * than either allows. */
int64_t limits_hold_ttl_s(const struct decision *decision, int64_t asked_s);

#endif
