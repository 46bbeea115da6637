/*
 * The part of a waiting hold that is decided again whenever units come free, as JSON. Not
 * installed: only the worker stores it.
 */
#ifndef USHER_PRODUCER_CODEC_REQUEST_WANTS_H
#define USHER_PRODUCER_CODEC_REQUEST_WANTS_H

#include "usher/message.h"

/*
 * Appends the part of a waiting hold that is stored:
 * {"op":"hold","items":[…],"ttl_s":…,"shortage":…}, as in requests, so that equal requests have
 * equal text.
 */
void wants_encode(const struct usher_request *request, struct usher_buffer *out);

/* Reads it back: op HOLD, items, shortage, ttl_s; all else is absent. REJECT where it is not such.
 */
USHER_MUST_CHECK enum usher_status wants_decode(const char *json, size_t size,
                                                struct usher_arena *arena,
                                                struct usher_request *request,
                                                struct usher_error *err);

#endif
