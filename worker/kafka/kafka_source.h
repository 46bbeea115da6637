/*
 * One partition of the request topic as the log_port of its allocator: reads the partition's own
 * queue of the group's consumer, skips batches that cannot be unpacked, and reads records again to
 * notice that the topic was recreated. Opened by kafka_group; knows nothing of groups and
 * assignments. For the Kafka adapters only: includes rdkafka.h.
 */
#ifndef USHER_WORKER_KAFKA_KAFKA_SOURCE_H
#define USHER_WORKER_KAFKA_KAFKA_SOURCE_H

#include <librdkafka/rdkafka.h>
#include <stdbool.h>
#include <stdint.h>

#include "usher/status.h"
#include "worker/kafka/kafka_base.h"
#include "worker/kafka/kafka_gaps.h"
#include "worker/kafka/kafka_reader.h"
#include "worker/model/batch.h"
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

/*
 * ==== Recreated topics ====
 *
 * Whether the request log is still the one that was read. A topic that is deleted and recreated
 * under its name is still fetched from: librdkafka asks by name, and handles what the broker says
 * in between by itself. So a record that was taken is read again, and must still be there.
 */

/* A record of the log. */
struct kafka_mark {
    int64_t offset; /* OFFSET_NONE: none */
    int64_t fingerprint;
};

struct kafka_witness {
    struct kafka_reader *reader; /* this and the next two are borrowed */
    struct kafka_place place;
    int wake;
    struct kafka_mark seen;  /* the log is the one that has it … */
    int64_t seen_ms;         /* … and had it at this time */
    struct kafka_mark taken; /* before it is read again: looked for the next time */
    struct kafka_mark next;  /* since */

    bool is_reading;
    int64_t asked_ms;
    struct kafka_reading reading;
};

/* Nothing was taken yet. */
void kafka_witness_init(struct kafka_witness *witness, struct kafka_reader *reader,
                        struct kafka_place place, int wake);

/* The log was just found to have this record. */
void kafka_witness_saw(struct kafka_witness *witness, int64_t offset, int64_t fingerprint);

void kafka_witness_took(struct kafka_witness *witness, const rd_kafka_message_t *message);

/*
 * To be called before anything is taken from `queue`, and a few times a second. Once a second where
 * something is in the queue or was taken since, else every ten, a record is read again: in the
 * background, unless the last time is longer ago. OK: take. RETRY: not known yet, take nothing;
 * `wake` is set once it is. HALT: the topic was recreated. The text is empty unless something is
 * wrong. Waits only where the record is gone, for a fraction of a second.
 */
USHER_MUST_CHECK enum usher_status kafka_witness_check(struct kafka_witness *witness,
                                                       rd_kafka_queue_t *queue,
                                                       struct usher_error *err);

/* Stops reading. Legal at any time. */
void kafka_witness_stop(struct kafka_witness *witness);

#endif
