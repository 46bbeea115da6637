/*
 * Loads options from flags.
 */
#ifndef USHER_PRODUCER_BASE_OPTION_FLAGS_H
#define USHER_PRODUCER_BASE_OPTION_FLAGS_H

#include "producer/base/option_types.h"
#include "usher/status.h"

/* The flags' part of options_load; stops at --help and --version. */
USHER_MUST_CHECK enum usher_status option_load_flags(struct options *options, int argc,
                                                     char *const *argv, struct usher_error *err);

#endif
