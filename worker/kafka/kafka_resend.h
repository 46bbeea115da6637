/*
 * Sends records to the topic of requests again, as they once came. Knows nothing of what is in
 * them.
 */
#ifndef USHER_WORKER_KAFKA_KAFKA_RESEND_H
#define USHER_WORKER_KAFKA_KAFKA_RESEND_H

#include <stddef.h>
#include <stdint.h>

#include "usher/status.h"
#include "worker/kafka/kafka_base.h"

/* Borrowed. */
struct kafka_resent {
    const void *key, *value;
    size_t key_size, value_size;
};

/*
 * Sends each to the partition of its key, and waits until Kafka has them all. RETRY: not within
 * timeout_ms (69). FATAL: a record was refused, or a property is wrong. In both cases some may have
 * been sent: sent again, they are repeats.
 */
USHER_MUST_CHECK enum usher_status kafka_resend(struct kafka_base *base,
                                                const struct kafka_resent *records, uint32_t count,
                                                int timeout_ms, struct usher_error *err);

#endif
