/*
 * Requests of tests of the codec, decoded: what is refused fails the test, and says why.
 */
#ifndef DECODED_H
#define DECODED_H

#include "usher/message.h"

/* `text` is JSON with single quotes. The request lives as long as the arena. */
struct usher_request request_decoded(struct usher_arena *arena, const char *text);

#endif
