/*
 * The words of the contract beside their enums, which have them by number (`usher/message.h` has
 * them one by one). Inside of the codec; usher-producer offers them as choices.
 */
#ifndef USHER_PRODUCER_CODEC_MESSAGE_NAMES_H
#define USHER_PRODUCER_CODEC_MESSAGE_NAMES_H

#include <stdbool.h>

#include "usher/message.h"

/* The names of an enum, by value; NULL: the value has none. */
struct message_words {
    const char *const *names;
    unsigned count;
};

extern const struct message_words op_words, outcome_words, reason_words, sale_state_words,
    strategy_words, shortage_words, only_words, change_words, stay_rule_words;

/* Finds the value with that name; false: there is none. */
bool message_word_named(const struct message_words *words, const char *name, unsigned *value);

/* All of them, with `between` between two and `last` before the last: "draft, open or closed". */
const char *message_words_text(struct usher_arena *arena, const struct message_words *words,
                               const char *between, const char *last);

#endif
