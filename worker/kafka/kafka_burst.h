/*
 * Answers that wait until the request before them is through, to be sent as one. librdkafka would
 * hold them too, but while one request is under way, the next is made and more messages wait,
 * its thread looks for room all the time: a third of a processor at 10,000 answers a second.
 * For the outbox only.
 */
#ifndef USHER_WORKER_KAFKA_KAFKA_BURST_H
#define USHER_WORKER_KAFKA_KAFKA_BURST_H

#include "usher/memory.h"
#include "worker/kafka/kafka_producer.h"

/* Zero-initialised: empty. Memory is kept and used again. */
struct kafka_burst {
    struct usher_arena memory; /* keys and values */
    struct kafka_outgoing *messages;
    uint32_t count, capacity;
};

/* Adds a message: key and value are copied, headers are taken. */
void kafka_burst_add(struct kafka_burst *burst, const struct kafka_outgoing *out);

/* Hands all to the producer, in order, and empties it, whatever comes out. RETRY: as the producer.
 */
USHER_MUST_CHECK enum usher_status kafka_burst_send(struct kafka_burst *burst,
                                                    struct kafka_producer *producer,
                                                    struct usher_error *err);

/* Drops what is in it. */
void kafka_burst_clear(struct kafka_burst *burst);

/* Empties it and gives its memory back. */
void kafka_burst_deinit(struct kafka_burst *burst);

#endif
