/*
 * No-op records: what usher appends to a replicated log of requests to learn that nothing is hidden
 * in it. For the Kafka adapters only: includes rdkafka.h.
 *
 * A log's readable end, the high watermark, stands still for as long as a replica that is in sync
 * does not fetch, or fewer than min.insync.replicas are in sync, while the leader may go on
 * appending. How long that lasts no client can tell: a leader that does not reach the controller
 * keeps a dead replica in sync for ever, and what a client sees of the replicas is as old. But a
 * log is read in the order in which it was appended to: whoever has read a record has read all that
 * was in the log before that record was sent. So one is sent, and read.
 */
#ifndef USHER_WORKER_KAFKA_KAFKA_NOOP_H
#define USHER_WORKER_KAFKA_KAFKA_NOOP_H

#include "worker/kafka/kafka_producer.h"

/* Zero-initialise, then set the first four. */
struct kafka_noop {
    struct kafka_base *base;
    struct log_context context;
    int32_t partition;
    int wake; /* an eventfd that becomes readable when it may have been appended */

    struct kafka_producer producer; /* opened when first needed */
    bool under_way;
    int64_t sent_ms;     /* the last one, */
    int64_t appended_ms; /* and the last that is in the log: before it was; when it was sent, */
    int64_t end;         /* and the offset behind it; 0: none */
    struct log_limit trouble;
};

/*
 * Sends one, unless one is under way or was sent within half a second. Never waits. It stays under
 * way while brokers refuse it, as they do below min.insync.replicas.
 */
void kafka_noop_send(struct kafka_noop *noop);

/* Learns whether the one under way was appended. Never waits. */
void kafka_noop_serve(struct kafka_noop *noop);

void kafka_noop_close(struct kafka_noop *noop);

#endif
