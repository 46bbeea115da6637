/*
 * Hashes that tell whether two requests are the same. Not installed: only the worker stores them.
 */
#ifndef USHER_PRODUCER_CODEC_REQUEST_HASH_H
#define USHER_PRODUCER_CODEC_REQUEST_HASH_H

#include "usher/message.h"

/*
 * First 16 bytes of the SHA-256 over the decoded known fields in canonical order, defaults left
 * out, without request_id, deadline and client: two requests with one id and one hash are repeats
 * of each other. What could be asked before must hash as before: new fields are left out where they
 * are absent. Any other change of what goes in here needs a new USHER_CODEC_VERSION.
 */
void request_content_hash(const struct usher_request *request, uint8_t hash[USHER_HASH_SIZE]);

/* First 16 bytes of the SHA-256 of an id: the index key of request ids. */
void request_id_hash(const char *id, uint8_t hash[USHER_HASH_SIZE]);

#endif
