/*
 * Limits, quotas and rates as a define has them. For the codec only.
 */
#ifndef USHER_PRODUCER_CODEC_TERMS_ENCODE_H
#define USHER_PRODUCER_CODEC_TERMS_ENCODE_H

#include "usher/message.h"

/* Appends {"units_min":…,…}; absent limits are left out. */
void terms_encode_limits(const struct usher_limits *limits, struct usher_buffer *out);

/* Appends [{"quota":…,"pools":[…],"limit":…},…]. */
void terms_encode_quotas(const struct usher_quota *quotas, uint32_t count,
                         struct usher_buffer *out);

/* Appends {"adult":4500,…}. */
void terms_encode_rates(const struct usher_rate *rates, uint32_t count, struct usher_buffer *out);

#endif
