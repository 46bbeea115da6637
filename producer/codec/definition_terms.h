/*
 * Limits, quotas and rates, from JSON as a define gives them, and to JSON in a fixed order. For
 * the codec only.
 */
#ifndef USHER_PRODUCER_CODEC_DEFINITION_TERMS_H
#define USHER_PRODUCER_CODEC_DEFINITION_TERMS_H

#include "producer/codec/message_fault.h"
#include "producer/codec/message_fields.h"
#include "usher/message.h"

/* Each reads into the arena. REJECT as usher_request_decode does. */
USHER_MUST_CHECK enum usher_status terms_decode_limits(const struct message_reader *reader,
                                                       yyjson_val *object,
                                                       const struct usher_limits **limits);

USHER_MUST_CHECK enum usher_status terms_decode_quotas(const struct message_reader *reader,
                                                       yyjson_val *list,
                                                       const struct usher_quota **quotas,
                                                       uint32_t *count);

/* Reads {"adult":4500,…}, the field `rates` of the pool at `place`: at least one, in order. */
USHER_MUST_CHECK enum usher_status
terms_decode_rates(const struct message_reader *reader, const struct message_place *place,
                   yyjson_val *object, const struct usher_rate **rates, uint32_t *count);

/* The name of a rate, as a field of the list `rates`. */
extern const struct message_field terms_rate_name;

/* Reads the price of a rate; `rates` is where it stands. */
USHER_MUST_CHECK enum usher_status terms_decode_price(const struct message_reader *reader,
                                                      const struct message_place *rates,
                                                      const char *rate, yyjson_val *value,
                                                      int64_t *price);

/* REJECT where a pool has no rates, or too many. */
USHER_MUST_CHECK enum usher_status terms_check_rate_count(const struct message_reader *reader,
                                                          const struct message_place *place,
                                                          size_t count);

/* Returns a name that is listed more than once; NULL if there is none. */
const char *terms_find_duplicate(struct usher_arena *arena, const char *const *names, size_t count);

/*
 * ==== Encoding ====
 *
 * Limits, quotas and rates as a define has them. For the codec only.
 */

/* Appends {"units_min":…,…}; absent limits are left out. */
void terms_encode_limits(const struct usher_limits *limits, struct usher_buffer *out);

/* Appends [{"quota":…,"pools":[…],"limit":…},…]. */
void terms_encode_quotas(const struct usher_quota *quotas, uint32_t count,
                         struct usher_buffer *out);

/* Appends {"adult":4500,…}. */
void terms_encode_rates(const struct usher_rate *rates, uint32_t count, struct usher_buffer *out);

#endif
