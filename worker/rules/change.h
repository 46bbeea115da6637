/*
 * The operations on one booking or on all bookings of a cart: confirm, release, cancel, extend,
 * exchange, transfer, leave, unblock; and how long the holds of a cart last. PURE.
 */
#ifndef USHER_WORKER_RULES_CHANGE_H
#define USHER_WORKER_RULES_CHANGE_H

#include "worker/rules/decision.h"

void change_decide(struct decision *decision);

/*
 * ==== Carts ====
 *
 * Carts: an operation on all bookings of a customer's cart, and how long its holds last.
 */

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

#endif
