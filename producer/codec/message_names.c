/*
 * What each op requires and accepts: the only place that says so. The decoder refuses requests by
 * it, usher-producer asks for options by it.
 */
#include "producer/codec/message_names.h"

#include <string.h>

/* ==== Names ==== */

static const char *const op_names[USHER_OP_COUNT] = {
    [USHER_OP_DEFINE] = "define",     [USHER_OP_OPEN] = "open",
    [USHER_OP_CLOSE] = "close",       [USHER_OP_HOLD] = "hold",
    [USHER_OP_BOOK] = "book",         [USHER_OP_CONFIRM] = "confirm",
    [USHER_OP_RELEASE] = "release",   [USHER_OP_CANCEL] = "cancel",
    [USHER_OP_EXTEND] = "extend",     [USHER_OP_EXCHANGE] = "exchange",
    [USHER_OP_TRANSFER] = "transfer", [USHER_OP_LEAVE] = "leave",
    [USHER_OP_BLOCK] = "block",       [USHER_OP_UNBLOCK] = "unblock",
    [USHER_OP_PROBE] = "probe",
};

static const char *const outcome_names[USHER_OUTCOME_COUNT] = {
    [USHER_HELD] = "held",           [USHER_CONFIRMED] = "confirmed",
    [USHER_RELEASED] = "released",   [USHER_EXTENDED] = "extended",
    [USHER_EXCHANGED] = "exchanged", [USHER_TRANSFERRED] = "transferred",
    [USHER_WAITING] = "waiting",     [USHER_LEFT] = "left",
    [USHER_BLOCKED] = "blocked",     [USHER_CANCELLED] = "cancelled",
    [USHER_EXPIRED] = "expired",     [USHER_DEFINED] = "defined",
    [USHER_ALIVE] = "alive",         [USHER_REFUSED] = "refused",
    [USHER_INVALID] = "invalid",
};

static const char *const reason_names[USHER_REASON_COUNT] = {
    [USHER_MALFORMED] = "malformed",
    [USHER_WRONG_PARTITION] = "wrong_partition",
    [USHER_ID_REUSED] = "id_reused",
    [USHER_TOO_LATE] = "too_late",
    [USHER_UNKNOWN_RESOURCE] = "unknown_resource",
    [USHER_BAD_CHART] = "bad_chart",
    [USHER_UNKNOWN_CHART] = "unknown_chart",
    [USHER_IN_USE] = "in_use",
    [USHER_NOT_ON_SALE] = "not_on_sale",
    [USHER_UNKNOWN_BOOKING] = "unknown_booking",
    [USHER_NOT_OWNER] = "not_owner",
    [USHER_ALREADY_CONFIRMED] = "already_confirmed",
    [USHER_ALREADY_RELEASED] = "already_released",
    [USHER_ALREADY_CANCELLED] = "already_cancelled",
    [USHER_NOT_CONFIRMED] = "not_confirmed",
    [USHER_NOT_HELD] = "not_held",
    [USHER_NOT_WAITING] = "not_waiting",
    [USHER_NOT_BLOCKED] = "not_blocked",
    [USHER_HOLD_EXPIRED] = "hold_expired",
    [USHER_NOT_IN_BOOKING] = "not_in_booking",
    [USHER_LIMIT_EXCEEDED] = "limit_exceeded",
    [USHER_UNKNOWN_POOL] = "unknown_pool",
    [USHER_UNKNOWN_SEAT] = "unknown_seat",
    [USHER_UNKNOWN_RATE] = "unknown_rate",
    [USHER_UNKNOWN_FEATURE] = "unknown_feature",
    [USHER_UNIT_TAKEN] = "unit_taken",
    [USHER_NOT_ENOUGH] = "not_enough",
    [USHER_NOT_TOGETHER] = "not_together",
    [USHER_INTERNAL] = "internal",
};

static const char *const sale_state_names[] = {
    [USHER_DRAFT] = "draft",
    [USHER_OPEN] = "open",
    [USHER_CLOSED] = "closed",
};

static const char *const strategy_names[] = {
    [USHER_BEST] = "best",
    [USHER_FIRST] = "first",
    [USHER_RANDOM] = "random",
};

enum {
    STRATEGY_COUNT = sizeof strategy_names / sizeof strategy_names[0],
    SALE_STATE_COUNT = sizeof sale_state_names / sizeof sale_state_names[0]
};

/* The index of `name`, 0 (which is NONE or ABSENT in every enum here) where it is not among them.
 */
static unsigned index_of(const char *const *names, unsigned count, const char *name)
{
    for (unsigned i = 1; name && i < count; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return 0;
}

const char *usher_op_name(enum usher_op op)
{
    return op < USHER_OP_COUNT ? op_names[op] : NULL;
}

const char *usher_outcome_name(enum usher_outcome outcome)
{
    return outcome < USHER_OUTCOME_COUNT ? outcome_names[outcome] : NULL;
}

const char *usher_reason_name(enum usher_reason reason)
{
    return reason < USHER_REASON_COUNT ? reason_names[reason] : NULL;
}

const char *usher_sale_state_name(enum usher_sale_state state)
{
    return (unsigned)state < SALE_STATE_COUNT ? sale_state_names[state] : NULL;
}

const char *usher_strategy_name(enum usher_strategy strategy)
{
    return (unsigned)strategy < STRATEGY_COUNT ? strategy_names[strategy] : NULL;
}

enum usher_op usher_op_named(const char *name)
{
    return (enum usher_op)index_of(op_names, USHER_OP_COUNT, name);
}

enum usher_outcome usher_outcome_named(const char *name)
{
    return (enum usher_outcome)index_of(outcome_names, USHER_OUTCOME_COUNT, name);
}

enum usher_reason usher_reason_named(const char *name)
{
    return (enum usher_reason)index_of(reason_names, USHER_REASON_COUNT, name);
}

enum usher_sale_state usher_sale_state_named(const char *name)
{
    return (enum usher_sale_state)index_of(sale_state_names, SALE_STATE_COUNT, name);
}

enum usher_strategy usher_strategy_named(const char *name)
{
    return (enum usher_strategy)index_of(strategy_names, STRATEGY_COUNT, name);
}

bool usher_reason_retryable(enum usher_reason reason)
{
    static const bool retryable[USHER_REASON_COUNT] = {
        [USHER_TOO_LATE] = true,     [USHER_NOT_ON_SALE] = true, [USHER_LIMIT_EXCEEDED] = true,
        [USHER_IN_USE] = true,       [USHER_UNIT_TAKEN] = true,  [USHER_NOT_ENOUGH] = true,
        [USHER_NOT_TOGETHER] = true, [USHER_INTERNAL] = true,
    };
    return reason < USHER_REASON_COUNT && retryable[reason];
}

/* ==== What each op takes ==== */

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
