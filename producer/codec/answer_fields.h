/*
 * The fields of an answer, one row each, and answers to JSON in two parts. A decision stores the
 * body. The envelope differs in a repeat. Not installed: only the worker writes answers.
 */
#ifndef USHER_PRODUCER_CODEC_ANSWER_FIELDS_H
#define USHER_PRODUCER_CODEC_ANSWER_FIELDS_H

#include "producer/codec/message_fields.h"
#include "usher/message.h"

/* Written to every decision; encoders of old versions stay while rows of theirs may be published.
 */
#define USHER_CODEC_VERSION 1

/* Of a struct usher_answer. */
extern const struct message_table answer_table;

/* Writes the body's fields to an empty `out`, from "outcome", without braces. A decision stores
 * them. */
void answer_body_encode(const struct usher_answer *answer, struct usher_buffer *out);

/* Appends the whole answer: the envelope of `answer` around a body as stored. */
void answer_wrap(const struct usher_answer *answer, const char *body, size_t body_size,
                 struct usher_buffer *out);

#endif
