/*
 * The words of the contract beside their enums, and what each op requires and accepts: the only
 * place that says so. The decoder refuses requests by it, usher-producer asks for options by it.
 */
#ifndef USHER_PRODUCER_CODEC_MESSAGE_NAMES_H
#define USHER_PRODUCER_CODEC_MESSAGE_NAMES_H

#include <stdbool.h>

#include "usher/message.h"

struct op_rules {
    bool takes_items, needs_items;
    bool needs_booking;
    bool or_cart; /* a cart in place of the booking; then with a customer, whose cart it is */
    bool needs_customer;
    bool house_may; /* "force": true stands in for the customer */
    bool needs_ttl, needs_recipient;
};

/* Never NULL. Static storage. */
const struct op_rules *op_rules(enum usher_op op);

#endif
