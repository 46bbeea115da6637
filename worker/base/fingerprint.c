/* The fingerprint of a record: see fingerprint.h. PURE. */
#include "worker/base/fingerprint.h"

#include <string.h>

#include "producer/base/digest.h"

static void put_big_endian(uint64_t number, unsigned char bytes[8])
{
    for (int i = 7; i >= 0; i--) {
        bytes[i] = (unsigned char)(number & 0xff);
        number >>= 8;
    }
}

static int64_t first_eight(const unsigned char *digest)
{
    uint64_t number = 0;
    for (int i = 0; i < 8; i++)
        number = number << 8 | digest[i];
    int64_t result;
    memcpy(&result, &number, sizeof result);
    return result;
}

int64_t record_fingerprint(const void *key, size_t key_size, const void *value, size_t value_size)
{
    unsigned char length[8];
    put_big_endian(key ? (uint64_t)key_size : UINT64_MAX, length);

    const struct digest_part parts[] = {
        {length, sizeof length}, {key, key_size}, {value, value_size}};
    unsigned char digest[DIGEST_SIZE];
    digest_sha256(parts, sizeof parts / sizeof parts[0], digest);
    return first_eight(digest);
}
