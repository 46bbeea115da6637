/*
 * Answers in words for people: what both programs print of them alike. Not installed. PURE.
 */
#ifndef USHER_PRODUCER_CODEC_ANSWER_WORDS_H
#define USHER_PRODUCER_CODEC_ANSWER_WORDS_H

#include "usher/message.h"

/*
 * The outcome; of a define its change, "created", "changed" or "unchanged"; of an open and a close,
 * which have the outcome of a define, "opened" and "closed".
 */
const char *answer_word(enum usher_op op, enum usher_outcome outcome, enum usher_change change);

/* Appends the rule that forbids a stay: closed_to_arrival on 2027-01-03, next 2027-01-09. */
void answer_restricted_append(const struct usher_restricted *restricted, struct usher_buffer *out);

/* Appends why an item fell short: item 0: asked 2, got 0: unit_taken. */
void answer_shortfall_append(const struct usher_shortfall *item, struct usher_buffer *out);

#endif
