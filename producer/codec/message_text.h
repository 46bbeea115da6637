/*
 * Reads strings out of JSON by the type of text that a field is.
 */
#ifndef USHER_PRODUCER_CODEC_MESSAGE_TEXT_H
#define USHER_PRODUCER_CODEC_MESSAGE_TEXT_H

#include "producer/codec/message_fault.h"
#include "producer/codec/message_table.h"

/* Whether a text has only the characters of an id, A-Za-z0-9_.:- (contract of the messages). */
bool message_is_id(const char *text);

/* Reads one string of a list of strings (type ID, NAME, …) into `text`. `place` is the string's. */
USHER_MUST_CHECK enum usher_status message_read_text(const struct message_reader *reader,
                                                     const struct message_place *place,
                                                     const struct message_field *field,
                                                     yyjson_val *value, const char **text);

/* The same of the key of an object, whose keys are names; `field` is the object's. */
USHER_MUST_CHECK enum usher_status message_read_key(const struct message_reader *reader,
                                                    const struct message_place *place,
                                                    const struct message_field *field,
                                                    yyjson_val *key, const char **text);

/* Reads a list of strings, each as above, into a new array in the arena. */
USHER_MUST_CHECK enum usher_status message_read_texts(const struct message_reader *reader,
                                                      const struct message_place *place,
                                                      const struct message_field *field,
                                                      yyjson_val *list, const char *const **texts);

#endif
