/*
 * SHA-256 of a few bytes. By the functions of OpenSSL 1.1, which 3 calls deprecated: those that
 * took their place look the algorithm up and allocate for each digest, which costs more than a
 * digest of some hundred bytes.
 */
#define OPENSSL_API_COMPAT 0x10100000L
#include "producer/base/digest.h"

#include <assert.h>
#include <openssl/sha.h>

static_assert(DIGEST_SIZE == SHA256_DIGEST_LENGTH, "a whole digest");

void digest_sha256(const struct digest_part *parts, size_t count, unsigned char digest[DIGEST_SIZE])
{
    SHA256_CTX context;
    int good = SHA256_Init(&context);
    for (size_t i = 0; i < count; i++)
        if (parts[i].bytes)
            good &= SHA256_Update(&context, parts[i].bytes, parts[i].size);
    good &= SHA256_Final(digest, &context);
    assert(good);
}
