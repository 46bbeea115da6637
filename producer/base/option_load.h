/* What options.c and option_flags.c share of loading; for nobody else. */
#ifndef USHER_PRODUCER_BASE_OPTION_LOAD_H
#define USHER_PRODUCER_BASE_OPTION_LOAD_H

#include "producer/base/options.h"

/* A value as found somewhere. */
struct option_found {
    struct option_value *value;
    const char *text;
    enum option_source source;
    const char *origin; /* for messages: the flag, or the key and its place */
    bool is_path;       /* found under the _FILE variant */
};

/*
 * Checks what was found and keeps a copy of it, unless a stronger source has set the value before.
 * FATAL with exit code 64.
 */
USHER_MUST_CHECK enum usher_status
option_take(struct options *options, const struct option_found *found, struct usher_error *err);

/* The flags' part of options_load; stops at --help and --version. */
USHER_MUST_CHECK enum usher_status option_load_flags(struct options *options, int argc,
                                                     char *const *argv, struct usher_error *err);

#endif
