/*
 * Reads the lists of an answer; as lenient as usher_answer_decode.
 */
#ifndef USHER_PRODUCER_CODEC_ANSWER_DECODE_LISTS_H
#define USHER_PRODUCER_CODEC_ANSWER_DECODE_LISTS_H

#include "producer/codec/message_fault.h"
#include "usher/message.h"

/* Reads units[] or returned[], as `name` says. */
USHER_MUST_CHECK enum usher_status answer_decode_units(const struct message_reader *reader,
                                                       const char *name, yyjson_val *list,
                                                       const struct usher_units **units,
                                                       uint32_t *count);

/* Reads items[] into the answer. */
USHER_MUST_CHECK enum usher_status answer_decode_items(const struct message_reader *reader,
                                                       yyjson_val *list,
                                                       struct usher_answer *answer);

/* Reads pools[] into the answer. */
USHER_MUST_CHECK enum usher_status answer_decode_pools(const struct message_reader *reader,
                                                       yyjson_val *list,
                                                       struct usher_answer *answer);

#endif
