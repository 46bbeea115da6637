/*
 * Fields of JSON, appended to a buffer. Inside of the codec only. `name` comes with its quotes and
 * what stands before it, such as ",\"price\""; its comma is left out behind the brace that an
 * object begins with. Absent values append nothing.
 */
#ifndef USHER_PRODUCER_CODEC_MESSAGE_APPEND_H
#define USHER_PRODUCER_CODEC_MESSAGE_APPEND_H

#include <stdbool.h>
#include <stdint.h>

#include "usher/memory.h"

#define MESSAGE_LITERAL(out, text) usher_buffer_append(out, text, sizeof(text) - 1)

/* A string; NULL is absent. */
void message_append_text(struct usher_buffer *out, const char *name, const char *text);

/*
 * A word of the contract; NULL is absent where `value` is 0. Another value without a word stands as
 * the number that it is: a decoder refuses it.
 */
void message_append_word(struct usher_buffer *out, const char *name, const char *word,
                         unsigned value);

/* A number; USHER_ABSENT is absent. */
void message_append_number(struct usher_buffer *out, const char *name, int64_t number);

/* A number of a request: 0 is absent unless it is `given`. */
void message_append_given(struct usher_buffer *out, const char *name, int64_t number, bool given);

/* An instant; USHER_ABSENT is absent. */
void message_append_instant(struct usher_buffer *out, const char *name, int64_t ms);

/* An instant of a request; 0 is absent. What is none stands as a number: a decoder refuses it. */
void message_append_moment(struct usher_buffer *out, const char *name, int64_t ms);

/*
 * "from" and "to"; nothing where `to` is 0, which no stay ends on. What is no night stands as a
 * number: a decoder refuses it.
 */
void message_append_stay(struct usher_buffer *out, int32_t from, int32_t to);

/* A date. */
void message_append_night(struct usher_buffer *out, const char *name, int32_t day);

/* A flag that is set. */
void message_append_true(struct usher_buffer *out, const char *name);

/* The name of a value that is appended by other means, and its colon. */
void message_append_name(struct usher_buffer *out, const char *name);

/* An array of strings. */
void message_append_texts(struct usher_buffer *out, const char *name, const char *const *texts,
                          uint32_t count);

/* The comma before every element of an array but the first. */
void message_append_comma(struct usher_buffer *out, uint32_t index);

#endif
