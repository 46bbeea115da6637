/*
 * SHA-256 of a few bytes, of which every request takes three: of its record, its id, its content.
 */
#ifndef USHER_PRODUCER_BASE_DIGEST_H
#define USHER_PRODUCER_BASE_DIGEST_H

#include <stddef.h>

enum {
    DIGEST_SIZE = 32
};

struct digest_part {
    const void *bytes; /* NULL: none */
    size_t size;
};

/* The digest of the parts, one behind the other. */
void digest_sha256(const struct digest_part *parts, size_t count,
                   unsigned char digest[DIGEST_SIZE]);

#endif
