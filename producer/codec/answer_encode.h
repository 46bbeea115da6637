/*
 * Answers to JSON, in two parts: the body, which a decision stores, and the envelope, which differs
 * in a repeat. Not installed: only the worker writes answers.
 */
#ifndef USHER_PRODUCER_CODEC_ANSWER_ENCODE_H
#define USHER_PRODUCER_CODEC_ANSWER_ENCODE_H

#include "usher/message.h"

/* Written to every decision; encoders of old versions stay while rows of theirs may be published.
 */
#define USHER_CODEC_VERSION 1

/* Appends the body's fields, from "outcome", without braces: what a decision stores. */
void answer_body_encode(const struct usher_answer *answer, struct usher_buffer *out);

/* Appends the whole answer: the envelope of `answer` around a body as stored. */
void answer_wrap(const struct usher_answer *answer, const char *body, size_t body_size,
                 struct usher_buffer *out);

#endif
