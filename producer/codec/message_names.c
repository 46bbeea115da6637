/* The words of the contract: those of words.def, and the smaller lists beside their enums. */
#include "producer/codec/message_names.h"

#include <string.h>

static const char *const op_names[USHER_OP_COUNT] = {
#define USHER_OP_ROW(enumerator, name) [enumerator] = (name),
#include "usher/words.def"
};

static const char *const outcome_names[USHER_OUTCOME_COUNT] = {
#define USHER_OUTCOME_ROW(enumerator, name, gives_room) [enumerator] = (name),
#include "usher/words.def"
};

static const char *const reason_names[USHER_REASON_COUNT] = {
#define USHER_REASON_ROW(enumerator, name, retryable, waitable) [enumerator] = (name),
#include "usher/words.def"
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

static const char *const stay_rule_names[] = {
    [USHER_STOP_SELL] = "stop_sell",
    [USHER_CLOSED_TO_ARRIVAL] = "closed_to_arrival",
    [USHER_CLOSED_TO_DEPARTURE] = "closed_to_departure",
    [USHER_MIN_STAY_ARRIVAL] = "min_stay_arrival",
    [USHER_MAX_STAY] = "max_stay",
    [USHER_MIN_STAY_THROUGH] = "min_stay_through",
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
const struct message_words stay_rule_words = WORDS(stay_rule_names);

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

const char *usher_stay_rule_name(enum usher_stay_rule rule)
{
    return name_of(&stay_rule_words, rule);
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
    static const bool can_succeed[USHER_REASON_COUNT] = {
#define USHER_REASON_ROW(enumerator, name, retryable, waitable) [enumerator] = (retryable) > 0,
#include "usher/words.def"
    };
    return reason < USHER_REASON_COUNT && can_succeed[reason];
}
