/*
 * The fingerprint of a record: tells whether the record at an offset is still the one that was
 * consumed, or the topic was deleted and recreated. PURE.
 */
#ifndef USHER_WORKER_BASE_FINGERPRINT_H
#define USHER_WORKER_BASE_FINGERPRINT_H

#include <stddef.h>
#include <stdint.h>

/*
 * First 8 bytes, big-endian, of the SHA-256 over the key's length (8 bytes, big-endian; all ones
 * where there is no key), the key and the value. `key` and `value` may be NULL. It is stored: a
 * change would make every partition look like another topic.
 */
int64_t record_fingerprint(const void *key, size_t key_size, const void *value, size_t value_size);

#endif
