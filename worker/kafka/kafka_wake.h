/*
 * Descriptors that an event loop waits on, made readable by librdkafka's queues. For the Kafka
 * adapters only: includes rdkafka.h.
 */
#ifndef USHER_WORKER_KAFKA_KAFKA_WAKE_H
#define USHER_WORKER_KAFKA_KAFKA_WAKE_H

#include <librdkafka/rdkafka.h>

/* Returns a non-blocking eventfd, owned: close. Aborts where the process has no descriptor left. */
int kafka_wake_new(void);

/* Makes it readable. */
void kafka_wake_set(int fd);

/* Makes it unreadable until it is set again. */
void kafka_wake_clear(int fd);

/* Sets `fd` whenever an event arrives in the empty queue; -1: no longer. */
void kafka_wake_on(rd_kafka_queue_t *queue, int fd);

#endif
