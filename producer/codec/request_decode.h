/* Requests and their items from JSON, for callers that want a fault as data. Not installed. */
#ifndef USHER_PRODUCER_CODEC_REQUEST_DECODE_H
#define USHER_PRODUCER_CODEC_REQUEST_DECODE_H

#include "producer/codec/message_fault.h"
#include "usher/message.h"

/* As usher_request_decode. REJECT: `fault` says what is wrong; it lives in the arena. */
USHER_MUST_CHECK enum usher_status request_decode(const void *data, size_t size,
                                                  struct usher_arena *arena,
                                                  struct usher_request *request,
                                                  struct message_fault *fault);

/*
 * ==== Items ====
 *
 * The items of a request from JSON. Inside of the codec only.
 */

/*
 * Reads the list into request->items, by the rules of request->op: a probe names pools, all others
 * name what they want of them. REJECT as usher_request_decode does.
 */
USHER_MUST_CHECK enum usher_status request_decode_items(const struct message_reader *reader,
                                                        yyjson_val *list,
                                                        struct usher_request *request);

#endif
