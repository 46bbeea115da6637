/*
 * The catalogue part of a request from JSON. Inside of the codec only.
 */
#ifndef USHER_PRODUCER_CODEC_DEFINITION_DECODE_H
#define USHER_PRODUCER_CODEC_DEFINITION_DECODE_H

#include "producer/codec/message_fault.h"
#include "usher/message.h"

/* Reads the fields of a define. REJECT as usher_request_decode does. */
USHER_MUST_CHECK enum usher_status definition_decode(const struct message_reader *reader,
                                                     yyjson_val *object,
                                                     struct usher_definition *definition);

/* Whether a define has a field of that name, beside those that every request has. */
bool definition_has_field(const char *name);

#endif
