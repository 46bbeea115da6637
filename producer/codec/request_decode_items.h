/*
 * The items of a request from JSON. Inside of the codec only.
 */
#ifndef USHER_PRODUCER_CODEC_REQUEST_DECODE_ITEMS_H
#define USHER_PRODUCER_CODEC_REQUEST_DECODE_ITEMS_H

#include "producer/codec/message_fault.h"
#include "usher/message.h"

/*
 * Reads the list into request->items, by the rules of request->op: a probe names pools, all others
 * name what they want of them. REJECT as usher_request_decode does.
 */
USHER_MUST_CHECK enum usher_status request_decode_items(const struct message_reader *reader,
                                                        yyjson_val *list,
                                                        struct usher_request *request);

#endif
