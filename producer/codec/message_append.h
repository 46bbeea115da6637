/*
 * Fields of JSON, appended to a buffer. Inside of the codec only. `name` comes with its quotes
 * and what stands before it, such as ",\"price\""; its comma is left out behind the brace that
 * an object begins with. Absent values append nothing. Canonical JSON is appended here, too:
 * equal values are equal text, and hashes and the database rest on these bytes.
 */
#ifndef USHER_PRODUCER_CODEC_MESSAGE_APPEND_H
#define USHER_PRODUCER_CODEC_MESSAGE_APPEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <yyjson.h>

#include "usher/memory.h"
#include "usher/message.h"

#define MESSAGE_LITERAL(out, text) usher_buffer_append(out, text, sizeof(text) - 1)

/* A string; NULL is absent. */
void message_append_text(struct usher_buffer *out, const char *name, const char *text);

/* A number; USHER_ABSENT is absent. */
void message_append_number(struct usher_buffer *out, const char *name, int64_t number);

/* An instant; USHER_ABSENT is absent. */
void message_append_instant(struct usher_buffer *out, const char *name, int64_t ms);

/* The name of a value that is appended by other means, and its colon. */
void message_append_name(struct usher_buffer *out, const char *name);

/* The same of a plain name of `size` bytes, as in a table of fields, with its comma. Two add the
 * value. */
void message_append_key(struct usher_buffer *out, const char *name, size_t size);
void message_append_key_text(struct usher_buffer *out, const char *name, size_t size,
                             const char *text);
void message_append_key_number(struct usher_buffer *out, const char *name, size_t size,
                               int64_t number);

/* An array of strings; with its name. */
void message_append_strings(struct usher_buffer *out, const char *const *texts, uint32_t count);
void message_append_texts(struct usher_buffer *out, const char *name, const char *const *texts,
                          uint32_t count);

/* {"adult":4500,…}. */
void message_append_rates(struct usher_buffer *out, const struct usher_rate *rates, uint32_t count);

/* The comma before every element of an array but the first. */
void message_append_comma(struct usher_buffer *out, uint32_t index);

/*
 * ==== Canonical JSON ====
 *
 * Canonical JSON: equal values are equal text. Hashes and the database rest on these bytes.
 */

/* How many digits a real keeps. */
enum {
    MESSAGE_DIGITS_ALL = 17,
    MESSAGE_DIGITS_DRAWN = 15, /* more than a drawing has; 17 make 0.1 0.10000000000000001 */
    MESSAGE_DIGITS_SHOWN = 6,
};

/*
 * Canonical JSON: sorted keys, no white space, so that equal values are equal text. Ends with a NUL
 * that is not counted in `*size`.
 */
const char *message_canonical(struct usher_arena *arena, yyjson_val *value, int digits,
                              size_t *size);

#endif
