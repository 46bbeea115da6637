/*
 * The outbox_port of one partition: publishes answers to the result topic and dead letters to
 * theirs, and scans the result log. Knows the rows and the codec, not how rows are decided.
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
    uint32_t queue_limit;    /* queued answers from which on has_room is false; 0: 20,000 */
    size_t queue_bytes;      /* the same in bytes; 0: 64 MiB */
    int delivery_timeout_ms; /* without a report for this long the producer fails; 0: 30,000 */
};

/*
 * Returns an outbox without a connection (outbox_port.open makes one), owned: kafka_outbox_close.
 * Never waits. Borrows `base`. Aborts where the process has no descriptor left.
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
