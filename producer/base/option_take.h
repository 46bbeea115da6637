/*
 * Takes values as they are found in flags, the environment or a file, in order of precedence.
 */
#ifndef USHER_PRODUCER_BASE_OPTION_TAKE_H
#define USHER_PRODUCER_BASE_OPTION_TAKE_H

#include "producer/base/option_types.h"
#include "usher/status.h"

/* A value as found somewhere. */
struct option_found {
    struct option_value *value;
    const char *text;
    enum option_source source;
    const char *origin; /* for messages: the flag, or the key and its place */
    bool is_path;       /* found under the _FILE variant */
};

/* The value of the option named by the first `size` bytes of `name`; NULL: there is none. */
struct option_value *option_find(const struct options *options, const char *name, size_t size);

/*
 * Checks what was found and keeps a copy of it, unless a stronger source has set the value before.
 * FATAL with exit code 64, or 78: a file that cannot be read, or is empty.
 */
USHER_MUST_CHECK enum usher_status
option_take(struct options *options, const struct option_found *found, struct usher_error *err);

#endif
