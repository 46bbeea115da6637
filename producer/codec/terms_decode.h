/*
 * Limits, quotas and rates from JSON, as a define gives them. Inside of the codec only.
 */
#ifndef USHER_PRODUCER_CODEC_TERMS_DECODE_H
#define USHER_PRODUCER_CODEC_TERMS_DECODE_H

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

#endif
