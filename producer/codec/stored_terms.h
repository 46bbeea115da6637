/*
 * Limits, quotas and rates of a resource as JSON columns of the database. Not installed: only the
 * worker stores them.
 */
#ifndef USHER_PRODUCER_CODEC_STORED_TERMS_H
#define USHER_PRODUCER_CODEC_STORED_TERMS_H

#include "usher/message.h"

/* The limits and quotas that apply to a resource. */
struct stored_terms {
    const struct usher_limits *limits; /* NULL: none */
    const struct usher_quota *quotas;  /* in the order of definition; limits given */
    uint32_t quota_count;
};

/* Appends {"limits":{…},"quotas":[…]} in canonical form; an absent part is left out. */
void stored_terms_encode(const struct stored_terms *terms, struct usher_buffer *out);

/* Reads it back into the arena. REJECT if it is malformed. */
USHER_MUST_CHECK enum usher_status stored_terms_decode(const char *json, size_t size,
                                                       struct usher_arena *arena,
                                                       struct stored_terms *terms,
                                                       struct usher_error *err);

/* Appends [["adult",4500],["child",2500]]: rates in the order listed. */
void stored_rates_encode(const struct usher_rate *rates, uint32_t count, struct usher_buffer *out);

/* Reads it back into the arena. REJECT if it is malformed. */
USHER_MUST_CHECK enum usher_status stored_rates_decode(const char *json, size_t size,
                                                       struct usher_arena *arena,
                                                       const struct usher_rate **rates,
                                                       uint32_t *count, struct usher_error *err);

#endif
