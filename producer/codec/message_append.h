/*
 * Fields of JSON, appended to a buffer. Inside of the codec only. `name` comes with its quotes and
 * what stands before it, such as ",\"price\""; absent values append nothing.
 */
#ifndef USHER_PRODUCER_CODEC_MESSAGE_APPEND_H
#define USHER_PRODUCER_CODEC_MESSAGE_APPEND_H

#include <stdint.h>

#include "usher/memory.h"

#define MESSAGE_LITERAL(out, text) usher_buffer_append(out, text, sizeof(text) - 1)

/* A string; NULL is absent. */
void message_append_text(struct usher_buffer *out, const char *name, const char *text);

/* A number; USHER_ABSENT is absent. */
void message_append_number(struct usher_buffer *out, const char *name, int64_t number);

/* An instant; USHER_ABSENT is absent. */
void message_append_instant(struct usher_buffer *out, const char *name, int64_t ms);

/* A date. */
void message_append_night(struct usher_buffer *out, const char *name, int32_t day);

/* An array of strings. */
void message_append_texts(struct usher_buffer *out, const char *name, const char *const *texts,
                          uint32_t count);

/* The comma before every element of an array but the first. */
void message_append_comma(struct usher_buffer *out, uint32_t index);

#endif
