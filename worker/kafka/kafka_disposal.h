/*
 * Destroys librdkafka handles in the background, since destroying one may hang for ever after a
 * broker's restart. Knows nothing of what a handle was used for.
 */
#ifndef USHER_WORKER_KAFKA_KAFKA_DISPOSAL_H
#define USHER_WORKER_KAFKA_KAFKA_DISPOSAL_H

#include <librdkafka/rdkafka.h>
#include <stdbool.h>

struct kafka_disposal;

/* Never NULL. Owned: kafka_disposal_free. */
struct kafka_disposal *kafka_disposal_new(void);

/*
 * Takes a handle and destroys it on a thread of its own, then frees `owner` (may be NULL), which
 * the handle's callbacks refer to. The handle's queues and topics must have been destroyed. NULL
 * is legal.
 */
void kafka_disposal_add(struct kafka_disposal *disposal, rd_kafka_t *handle, void *owner);

/* Waits until all handles are destroyed. False: not within timeout_ms. */
bool kafka_disposal_wait(struct kafka_disposal *disposal, int timeout_ms);

/* All handles must have been destroyed. */
void kafka_disposal_free(struct kafka_disposal *disposal);

#endif
