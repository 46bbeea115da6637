/*
 * The catalogue part of a request from JSON: the resource, its pools, its layout and its terms.
 * Inside of the codec only.
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

/*
 * ==== Pools ====
 *
 * Sections, room types and products from JSON, each by itself. Inside of the codec only.
 */

/* Each reads a list into the arena. REJECT as usher_request_decode does. */
USHER_MUST_CHECK enum usher_status definition_sections_decode(const struct message_reader *reader,
                                                              yyjson_val *list,
                                                              const struct usher_section **sections,
                                                              uint32_t *count);

#endif
