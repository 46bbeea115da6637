/*
 * Canonical JSON: equal values are equal text. Hashes and the database rest on these bytes.
 */
#ifndef USHER_PRODUCER_CODEC_MESSAGE_CANONICAL_H
#define USHER_PRODUCER_CODEC_MESSAGE_CANONICAL_H

#include <stddef.h>
#include <yyjson.h>

#include "usher/memory.h"

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
