/*
 * One partition of the request topic as the log_port of its allocator: reads the partition's own
 * queue of the group's consumer. Opened by kafka_group; knows nothing of groups and assignments.
 * For the Kafka adapters only: includes rdkafka.h.
 */
#ifndef USHER_WORKER_KAFKA_KAFKA_SOURCE_H
#define USHER_WORKER_KAFKA_KAFKA_SOURCE_H

#include <librdkafka/rdkafka.h>
#include <stdbool.h>
#include <stdint.h>

#include "worker/kafka/kafka_base.h"
#include "worker/kafka/kafka_gaps.h"
#include "worker/model/ports.h"

struct kafka_source;

/*
 * Separates the partition's queue from the consumer's main queue: call it in the rebalance callback
 * before rd_kafka_assign, so that no record goes elsewhere, and from `start` on (negative: the
 * log's start). Borrows `base`, `gaps` and `consumer`. Returns it owned: kafka_source_close. Aborts
 * where the process has no descriptor left.
 */
struct kafka_source *kafka_source_open(struct kafka_base *base, struct kafka_gaps *gaps,
                                       rd_kafka_t *consumer, int32_t partition, int64_t start);

/* The port, valid until the source is closed. */
struct log_port kafka_source_port(struct kafka_source *source);

/* True if librdkafka has stopped fetching. Only a new assignment restarts it. From any thread. */
bool kafka_source_is_lost(const struct kafka_source *source);

/*
 * Commits the acknowledged offset to Kafka if that is not done yet. For an orderly revocation,
 * while the partition is still assigned. Never waits.
 */
void kafka_source_flush(struct kafka_source *source);

/*
 * Closes it, after rd_kafka_assign(NULL): every record must have been released. NULL is legal.
 */
void kafka_source_close(struct kafka_source *source);

#endif
