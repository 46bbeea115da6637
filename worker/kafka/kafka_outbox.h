/*
 * The outbox_port of one partition: publishes answers to the result topic and dead letters to
 * theirs, and scans the result log. Knows the rows and the codec, nothing of how they came about.
 */
#ifndef USHER_WORKER_KAFKA_KAFKA_OUTBOX_H
#define USHER_WORKER_KAFKA_KAFKA_OUTBOX_H

#include "usher/status.h"
#include "worker/kafka/kafka_base.h"
#include "worker/model/ports.h"

struct kafka_outbox;

/* Zero-initialise, then set. */
struct kafka_outbox_settings {
    int32_t partition;
    uint32_t queue_limit;    /* answers queued beyond which nothing more is decided; 0: 20,000 */
    size_t queue_bytes;      /* and their bytes; 0: 64 MiB */
    int delivery_timeout_ms; /* not reported after this: the producer is given up; 0: 30,000 */
};

/*
 * Makes it; opens no connection (outbox_port.open does) and never waits. Borrows `base`. Returned
 * owned: kafka_outbox_close. Aborts where there is no descriptor to be had.
 */
struct kafka_outbox *kafka_outbox_new(struct kafka_base *base,
                                      const struct kafka_outbox_settings *settings);

/* The port, valid until the outbox is closed. */
struct outbox_port kafka_outbox_port(struct kafka_outbox *outbox);

/*
 * Frees it; what was not delivered is dropped (the next owner publishes it). Never waits (see
 * kafka_base_close). NULL is legal.
 */
void kafka_outbox_close(struct kafka_outbox *outbox);

#endif
