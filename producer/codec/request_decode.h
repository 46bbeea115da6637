/*
 * Requests from JSON, for callers that want a fault as data. Not installed.
 */
#ifndef USHER_PRODUCER_CODEC_REQUEST_DECODE_H
#define USHER_PRODUCER_CODEC_REQUEST_DECODE_H

#include "producer/codec/message_fault.h"
#include "usher/message.h"

/* As usher_request_decode. REJECT: `fault` says what is wrong; it lives in the arena. */
USHER_MUST_CHECK enum usher_status request_decode(const void *data, size_t size,
                                                  struct usher_arena *arena,
                                                  struct usher_request *request,
                                                  struct message_fault *fault);

#endif
