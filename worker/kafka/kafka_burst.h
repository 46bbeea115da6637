/*
 * Answers that wait until the produce request before them is acknowledged, to be sent as one batch.
 * librdkafka would queue them as well, but up to version 2.0.2 (and with one request in flight) its
 * broker thread spins while further batches are ready: a third of a core at 10,000 answers per
 * second. Where that is fixed, this file can go. For the outbox only.
 */
#ifndef USHER_WORKER_KAFKA_KAFKA_BURST_H
#define USHER_WORKER_KAFKA_KAFKA_BURST_H

#include "usher/memory.h"
#include "worker/kafka/kafka_producer.h"

/* Zero-initialised: empty. Memory is reused. */
struct kafka_burst {
    struct usher_arena memory; /* keys and values */
    struct kafka_outgoing *messages;
    uint32_t first; /* that was not passed on yet, … */
    uint32_t count; /* … of so many; 0: none wait */
    uint32_t capacity;
};

/* Adds a message: key and value are copied, headers are taken. */
void kafka_burst_add(struct kafka_burst *burst, const struct kafka_outgoing *out);

/* Passes the first messages, at most `most`, to the producer, in order: `*sent`. Empties the burst
 * on failure. RETRY: see kafka_producer_send. */
USHER_MUST_CHECK enum usher_status kafka_burst_send(struct kafka_burst *burst,
                                                    struct kafka_producer *producer, uint32_t most,
                                                    uint32_t *sent, struct usher_error *err);

/* Drops all messages. */
void kafka_burst_clear(struct kafka_burst *burst);

/* Drops all messages and frees the memory. */
void kafka_burst_deinit(struct kafka_burst *burst);

#endif
