/*
 * Carts: an operation on all bookings of a customer's cart, and how long its holds last. PURE.
 */
#ifndef USHER_WORKER_RULES_CART_H
#define USHER_WORKER_RULES_CART_H

#include "worker/rules/decision.h"

enum {
    /* Whatever became of them: each request that names the cart goes through all. */
    CART_BOOKINGS_MAX = 10000,
    CART_UNITS_MAX =
        100000 /* that one request may change: so many rows are to be written at once */
};

/* Refuses another booking in the request's cart where that has CART_BOOKINGS_MAX of them. */
bool cart_refuse_full(struct decision *decision);

/*
 * Restarts the time of the holds of the request's cart, each with its own ttl, up to the maximum.
 */
void cart_restart(struct decision *decision);

/* Returns when a hold ends if it is extended to `ttl_s` from now. */
int64_t cart_extended_ms(const struct decision *decision, const struct booking *booking,
                         int64_t ttl_s);

/* Decides an operation on all bookings of the cart that the request names. */
void cart_decide(struct decision *decision);

#endif
