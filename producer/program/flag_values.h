/*
 * Reads the values of flags, of parts of flags, and of fields of a CSV file. `what` names the
 * place in complaints: "--ttl", or "shows.csv" with line and column.
 */
#ifndef USHER_PRODUCER_PROGRAM_FLAG_VALUES_H
#define USHER_PRODUCER_PROGRAM_FLAG_VALUES_H

#include <stdint.h>

#include "producer/base/options.h"
#include "producer/codec/message_fields.h"
#include "usher/memory.h"
#include "usher/message.h"
#include "usher/status.h"

/* A whole number 0 … max. FATAL with exit code 64. */
USHER_MUST_CHECK enum usher_status flag_number(const char *what, const char *text, int64_t max,
                                               int64_t *number, struct usher_error *err);

/*
 * A price up to USHER_PRICE_MAX: an amount with exactly as many decimals as the currency has, or 0;
 * where no currency is known (NULL), a whole number of minor units. FATAL with exit code 64.
 */
USHER_MUST_CHECK enum usher_status flag_price(const char *what, const char *text,
                                              const char *currency, int64_t *minor,
                                              struct usher_error *err);

/*
 * An instant: RFC 3339 with Z or an offset, or 2h or +2h: a time from now on (clock_gettime). FATAL
 * with exit code 64.
 */
USHER_MUST_CHECK enum usher_status flag_deadline(const char *what, const char *text, int64_t *ms,
                                                 struct usher_error *err);

/* An instant as above, or 2h: that long before now. */
USHER_MUST_CHECK enum usher_status flag_past(const char *what, const char *text, int64_t *ms,
                                             struct usher_error *err);

/* The resources that --only-new or --only-existing says. FATAL with exit code 64: both are given.
 */
USHER_MUST_CHECK enum usher_status flag_only(const struct options *options, enum usher_only *only,
                                             struct usher_error *err);

struct flag_names {
    const char *const *names;
    uint32_t count;
};

/* Names with a separator between them; none of them may be empty. FATAL with exit code 64. */
USHER_MUST_CHECK enum usher_status flag_names(struct usher_arena *arena, const char *what,
                                              const char *text, char separator,
                                              struct flag_names *names, struct usher_error *err);

struct flag_rates {
    const char *currency; /* of decimals in prices; NULL: none. Set by the caller. */
    const struct usher_rate *rates;
    uint32_t count;
};

/* RATE:PRICE with a separator between several of them. FATAL with exit code 64. */
USHER_MUST_CHECK enum usher_status flag_rates(struct usher_arena *arena, const char *what,
                                              const char *text, char separator,
                                              struct flag_rates *rates, struct usher_error *err);

/*
 * ==== Fields ====
 *
 * Reads a field of a message out of a flag, by the type that it has.
 */

struct flag_source {
    struct usher_arena *arena; /* what is read lives there, or is the text itself */
    const char *what;          /* the place, for complaints: --section */
    const char *text;
    const char *currency; /* of decimals in prices; NULL: none is known */
    char separator;       /* of names and rates in a list */
};

/*
 * Sets the field of the structure; the rows of a section are as A:20+B:22:5+C-F:18. FATAL with exit
 * code 64: the text is no such value.
 */
USHER_MUST_CHECK enum usher_status flag_field(const struct flag_source *source,
                                              const struct message_field *field, void *object,
                                              struct usher_error *err);

#endif
