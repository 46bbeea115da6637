/* Which answers a watch shows. */
#ifndef USHER_PRODUCER_PROGRAM_WATCH_FILTER_H
#define USHER_PRODUCER_PROGRAM_WATCH_FILTER_H

#include "producer/base/options.h"
#include "usher/message.h"

struct watch_filter {
    const char *customer, *booking; /* NULL: any */
    enum usher_op op;               /* NONE: any */
    enum usher_outcome outcome;     /* NONE: any */
    int64_t since_ms;               /* decided then or later; 0: any time */
};

/* Reads the flags; their text is borrowed from the options. FATAL with exit code 64. */
USHER_MUST_CHECK enum usher_status watch_filter_read(const struct options *options,
                                                     struct watch_filter *filter,
                                                     struct usher_error *err);

bool watch_filter_takes(const struct watch_filter *filter, const struct usher_answer *answer);

/* Whether it takes all answers from the time on. */
bool watch_filter_is_empty(const struct watch_filter *filter);

#endif
