/*
 * A descriptor that is readable while there may be something to poll for, for programs with an
 * event loop of their own. librdkafka sets it when one of its queues is no longer empty; whoever
 * leaves something in a queue sets it again.
 */
#ifndef USHER_PRODUCER_CLIENT_DESCRIPTOR_H
#define USHER_PRODUCER_CLIENT_DESCRIPTOR_H

#include <librdkafka/rdkafka.h>

/* Returns a new descriptor, which is readable: something may be there already. */
int descriptor_new(void);

/* Lets the queue set it from now on. */
void descriptor_on(rd_kafka_queue_t *queue, int descriptor);

/* Makes it readable, or not. Below 0: nothing happens. */
void descriptor_set(int descriptor);
void descriptor_clear(int descriptor);

#endif
