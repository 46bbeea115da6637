/*
 * The catalogue part of a request, and the sections of a chart, from JSON. Inside of the codec
 * only.
 */
#ifndef DEFINITION_DECODE_H
#define DEFINITION_DECODE_H

#include "message_fields.h"
#include "usher/message.h"

/* Reads the fields of a define. REJECT as usher_request_decode does. */
USHER_MUST_CHECK enum usher_status definition_decode(const struct message_reader *reader,
                                                     json_t *object,
                                                     struct usher_definition *definition);

/* Reads a list of sections into the arena. */
USHER_MUST_CHECK enum usher_status definition_sections_decode(const struct message_reader *reader,
                                                              json_t *list,
                                                              const struct usher_section **sections,
                                                              uint32_t *count);

#endif
