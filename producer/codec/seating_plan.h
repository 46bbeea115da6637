/* Seating plans as pretix has them, into sections and rows. For the codec only. */
#ifndef USHER_PRODUCER_CODEC_SEATING_PLAN_H
#define USHER_PRODUCER_CODEC_SEATING_PLAN_H

#include "producer/codec/message_fault.h"
#include "usher/message.h"

/* As usher_plan_decode, of JSON that is parsed already. */
USHER_MUST_CHECK enum usher_status plan_decode(const struct message_reader *reader,
                                               yyjson_val *plan,
                                               const struct usher_section **sections,
                                               uint32_t *count);

#endif
