/*
 * Carts: an operation on all bookings of a customer's cart, and how long its holds last. PURE.
 */
#ifndef USHER_WORKER_RULES_CART_H
#define USHER_WORKER_RULES_CART_H

#include "worker/rules/decision.h"

/* The time of a cart's holds begins anew, each with its own, up to the cap. */
void cart_restart(struct decision *decision);

/* When a booking's hold ends if it is extended by that long from now. */
int64_t cart_extended_ms(const struct decision *decision, const struct booking *booking,
                         int64_t ttl_s);

/* Decides an operation on all bookings of the cart that the request names. */
void cart_decide(struct decision *decision);

#endif
