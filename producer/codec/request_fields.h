/*
 * The fields of a request and of its items, one row each; and requests from JSON for callers that
 * want a fault as data. Not installed.
 */
#ifndef USHER_PRODUCER_CODEC_REQUEST_FIELDS_H
#define USHER_PRODUCER_CODEC_REQUEST_FIELDS_H

#include "producer/codec/message_fields.h"
#include "usher/message.h"

/* Of a struct usher_request; those of a define are in definition_fields.h. */
extern const struct message_table request_table;

/* Of a struct usher_item. */
extern const struct message_table item_table;
extern const struct message_table member_table;

/* The first field that its operation needs and the request has not; NULL: it has them all. */
const struct message_field *request_missing(const struct usher_request *request);

/* As usher_request_decode. REJECT: `fault` says what is wrong; it lives in the arena. */
USHER_MUST_CHECK enum usher_status request_decode(const void *data, size_t size,
                                                  struct usher_arena *arena,
                                                  struct usher_request *request,
                                                  struct message_fault *fault);

/*
 * Checks the items of a request, as they were read, by what its operation does with them. REJECT as
 * usher_request_decode does.
 */
USHER_MUST_CHECK enum usher_status request_check_items(const struct message_reader *reader,
                                                       const struct usher_request *request);

#endif
