/* The words of the contract beside their enums. */
#include "producer/codec/message_names.h"

#include <string.h>

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
    [USHER_ALREADY_EXISTS] = "already_exists",
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

static const char *const shortage_names[] = {
    [USHER_SHORTAGE_ALL] = "all",
    [USHER_SHORTAGE_PARTIAL] = "partial",
};

static const char *const only_names[] = {
    [USHER_ONLY_NEW] = "new",
    [USHER_ONLY_EXISTING] = "existing",
};

static const char *const change_names[] = {
    [USHER_CREATED] = "created",
    [USHER_CHANGED] = "changed",
    [USHER_SAME] = "same",
};

#define WORDS(names)                                \
    {                                               \
        (names), sizeof(names) / sizeof((names)[0]) \
    }

const struct message_words op_words = WORDS(op_names);
const struct message_words outcome_words = WORDS(outcome_names);
const struct message_words reason_words = WORDS(reason_names);
const struct message_words sale_state_words = WORDS(sale_state_names);
const struct message_words strategy_words = WORDS(strategy_names);
const struct message_words shortage_words = WORDS(shortage_names);
const struct message_words only_words = WORDS(only_names);
const struct message_words change_words = WORDS(change_names);

bool message_word_named(const struct message_words *words, const char *name, unsigned *value)
{
    for (unsigned i = 0; name && i < words->count; i++) {
        const char *word = words->names[i];
        if (!word || *word != *name || strcmp(word, name) != 0)
            continue;
        *value = i;
        return true;
    }
    return false;
}

const char *message_words_text(struct usher_arena *arena, const struct message_words *words,
                               const char *between, const char *last)
{
    const char *text = NULL;
    for (unsigned i = 0; i < words->count; i++) {
        if (!words->names[i])
            continue;
        text = text ? usher_arena_format(arena, "%s%s%s", text,
                                         i + 1 == words->count ? last : between, words->names[i])
                    : words->names[i];
    }
    return text;
}

static const char *name_of(const struct message_words *words, unsigned value)
{
    return value < words->count ? words->names[value] : NULL;
}

/* 0, which is NONE or ABSENT in every enum here, where there is no such name. */
static unsigned value_of(const struct message_words *words, const char *name)
{
    unsigned value = 0;
    return message_word_named(words, name, &value) ? value : 0;
}

const char *usher_op_name(enum usher_op op)
{
    return name_of(&op_words, op);
}

const char *usher_outcome_name(enum usher_outcome outcome)
{
    return name_of(&outcome_words, outcome);
}

const char *usher_reason_name(enum usher_reason reason)
{
    return name_of(&reason_words, reason);
}

const char *usher_sale_state_name(enum usher_sale_state state)
{
    return name_of(&sale_state_words, state);
}

const char *usher_strategy_name(enum usher_strategy strategy)
{
    return name_of(&strategy_words, strategy);
}

const char *usher_change_name(enum usher_change change)
{
    return name_of(&change_words, change);
}

enum usher_op usher_op_named(const char *name)
{
    return (enum usher_op)value_of(&op_words, name);
}

enum usher_outcome usher_outcome_named(const char *name)
{
    return (enum usher_outcome)value_of(&outcome_words, name);
}

enum usher_reason usher_reason_named(const char *name)
{
    return (enum usher_reason)value_of(&reason_words, name);
}

enum usher_sale_state usher_sale_state_named(const char *name)
{
    return (enum usher_sale_state)value_of(&sale_state_words, name);
}

enum usher_strategy usher_strategy_named(const char *name)
{
    return (enum usher_strategy)value_of(&strategy_words, name);
}

enum usher_change usher_change_named(const char *name)
{
    return (enum usher_change)value_of(&change_words, name);
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
