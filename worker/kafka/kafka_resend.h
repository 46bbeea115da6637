/*
 * Sends records to the topic of requests again, as they once came. Knows nothing of what is in
 * them.
 */
#ifndef USHER_WORKER_KAFKA_KAFKA_RESEND_H
#define USHER_WORKER_KAFKA_KAFKA_RESEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "usher/status.h"
#include "worker/kafka/kafka_base.h"

/* Key and value are borrowed; `error` is what became of it: empty where Kafka has it. */
struct kafka_resent {
    const void *key, *value;
    size_t key_size, value_size;
    bool done; /* has its result; set beforehand: is not to be sent */
    struct usher_error error;
};

/*
 * Sends each to the partition of its key, and waits until each has its result: one that Kafka
 * refuses stops no other. RETRY: some have none within timeout_ms (69), which is their error, too;
 * they may have been sent: sent again, they are repeats. FATAL: a property is wrong, nothing was
 * sent.
 */
USHER_MUST_CHECK enum usher_status kafka_resend(struct kafka_base *base,
                                                struct kafka_resent *records, uint32_t count,
                                                int timeout_ms, struct usher_error *err);

#endif
