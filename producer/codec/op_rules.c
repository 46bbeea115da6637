/* What each op requires and accepts, as a table. */
#include "producer/codec/op_rules.h"

static const struct op_rules rules_of[USHER_OP_COUNT] = {
    [USHER_OP_HOLD] = {.takes_items = true, .needs_items = true, .needs_customer = true},
    [USHER_OP_BOOK] = {.takes_items = true, .needs_items = true, .needs_customer = true},
    [USHER_OP_CONFIRM] = {.takes_items = true,
                          .needs_booking = true,
                          .or_cart = true,
                          .needs_customer = true},
    [USHER_OP_RELEASE] = {.needs_booking = true,
                          .or_cart = true,
                          .needs_customer = true,
                          .house_may = true},
    [USHER_OP_CANCEL] = {.needs_booking = true,
                         .or_cart = true,
                         .needs_customer = true,
                         .house_may = true},
    [USHER_OP_EXTEND] = {.needs_booking = true,
                         .or_cart = true,
                         .needs_customer = true,
                         .needs_ttl = true},
    [USHER_OP_EXCHANGE] = {.takes_items = true,
                           .needs_items = true,
                           .needs_booking = true,
                           .needs_customer = true,
                           .house_may = true},
    [USHER_OP_TRANSFER] = {.needs_booking = true,
                           .needs_customer = true,
                           .house_may = true,
                           .needs_recipient = true},
    [USHER_OP_LEAVE] = {.needs_booking = true, .needs_customer = true},
    [USHER_OP_BLOCK] = {.takes_items = true, .needs_items = true},
    [USHER_OP_UNBLOCK] = {.needs_booking = true},
    [USHER_OP_PROBE] = {.takes_items = true},
};

const struct op_rules *op_rules(enum usher_op op)
{
    return &rules_of[op];
}
