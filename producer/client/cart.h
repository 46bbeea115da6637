/*
 * A cart as it is given to a seller: checked, copied, and written as a request for each of its
 * lines; and what answers say of a line. Has no state, and knows neither Kafka nor time.
 */
#ifndef USHER_PRODUCER_CLIENT_CART_H
#define USHER_PRODUCER_CLIENT_CART_H

#include "usher/cart.h"

/*
 * Copies a cart that `op` is to be sent for into the arena. REJECT: exit code 65, `err` names the
 * line and what is wrong with it.
 */
USHER_MUST_CHECK enum usher_status cart_copy(const struct usher_cart *cart, enum usher_op op,
                                             struct usher_arena *arena, struct usher_cart *copy,
                                             struct usher_error *err);

/*
 * The request `op` for a line, by its index. It borrows what the cart has; its id lives in the
 * arena. Ids of holds and confirms are those of the cart, the same each time; `attempt` is the
 * number of the try to take it, from 1. Others are asked again each time, with an id that ends with
 * `unique`, at most 23 bytes.
 */
struct usher_request cart_request(const struct usher_cart *cart, uint32_t index, enum usher_op op,
                                  int attempt, const char *unique, struct usher_arena *arena);

/*
 * What the last answer about a line says of it: HELD, SOLD, GONE; UNKNOWN without one; REFUSED for
 * anything else.
 */
enum usher_cart_state cart_line_state(const struct usher_answer *answer);

/* The same of a cart, whose lines have these answers. */
enum usher_cart_state cart_state(const struct usher_answer *const *answers, uint32_t count);

#endif
