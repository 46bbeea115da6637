/*
 * The catalogue part of a request, and the rows of a chart, as JSON. Inside of the codec only.
 */
#ifndef USHER_PRODUCER_CODEC_DEFINITION_ENCODE_H
#define USHER_PRODUCER_CODEC_DEFINITION_ENCODE_H

#include "usher/message.h"

/* Appends the fields of a definition, each with a comma before it. */
void definition_encode(const struct usher_definition *definition, struct usher_buffer *out);

/* The number of a row's first seat. */
uint32_t definition_row_first(const struct usher_row *row);

/* Appends what a row has besides its name and numbers, each field with a comma before it. */
void definition_encode_seats(const struct usher_row *row, struct usher_buffer *out);

#endif
