/*
 * Sections, room types and products from JSON, each by itself. Inside of the codec only.
 */
#ifndef USHER_PRODUCER_CODEC_DEFINITION_POOLS_H
#define USHER_PRODUCER_CODEC_DEFINITION_POOLS_H

#include "producer/codec/message_fault.h"
#include "usher/message.h"

/* Each reads a list into the arena. REJECT as usher_request_decode does. */
USHER_MUST_CHECK enum usher_status definition_sections_decode(const struct message_reader *reader,
                                                              yyjson_val *list,
                                                              const struct usher_section **sections,
                                                              uint32_t *count);
USHER_MUST_CHECK enum usher_status definition_rooms_decode(const struct message_reader *reader,
                                                           yyjson_val *list,
                                                           const struct usher_room **rooms,
                                                           uint32_t *count);
USHER_MUST_CHECK enum usher_status definition_products_decode(const struct message_reader *reader,
                                                              yyjson_val *list,
                                                              const struct usher_product **products,
                                                              uint32_t *count);

#endif
