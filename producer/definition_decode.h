/*
 * The catalogue part of a request from JSON. Inside of the codec only.
 */
#ifndef DEFINITION_DECODE_H
#define DEFINITION_DECODE_H

#include "message_fields.h"
#include "usher/message.h"

/* Reads the fields of a define. REJECT as usher_request_decode does. */
USHER_MUST_CHECK enum usher_status definition_decode(const struct message_reader *reader,
                                                     yyjson_val *object,
                                                     struct usher_definition *definition);

#endif
