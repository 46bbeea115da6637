/*
 * What makes two requests the same: the hash of their content, and the hash that ids are looked up
 * by.
 */
#include "producer/codec/request_hash.h"

#include <assert.h>
#include <string.h>

#include "producer/base/digest.h"

enum {
    ENCODED_SIZE = 1000, /* most requests are shorter; of this size malloc is fastest */
};

static void hash_bytes(const void *bytes, size_t size, uint8_t hash[USHER_HASH_SIZE])
{
    unsigned char digest[DIGEST_SIZE];
    static_assert(USHER_HASH_SIZE <= sizeof digest, "the kept part of a digest");
    digest_sha256(&(struct digest_part){bytes, size}, 1, digest);
    memcpy(hash, digest, USHER_HASH_SIZE);
}

void request_content_hash(const struct usher_request *request, uint8_t hash[USHER_HASH_SIZE])
{
    struct usher_request content = *request;
    content.request_id = NULL;
    content.client = NULL;
    content.deadline_ms = 0;

    struct usher_buffer encoded = {NULL, 0, 0};
    (void)usher_buffer_reserve(&encoded, ENCODED_SIZE);
    usher_request_encode(&content, &encoded);
    hash_bytes(encoded.at, encoded.size, hash);
    usher_buffer_deinit(&encoded);
}

void request_id_hash(const char *id, uint8_t hash[USHER_HASH_SIZE])
{
    hash_bytes(id, strlen(id), hash);
}
