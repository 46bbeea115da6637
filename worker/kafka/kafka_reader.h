/*
 * A consumer that is a member of no group and is shared by all partitions of a process: reads logs
 * from any offset and asks for their ends. It ignores transactions: records after an open one
 * count, for the log does not end there, and it reads records of aborted ones, too. Requests are
 * taken by kafka_source.h alone. For the Kafka adapters only: includes rdkafka.h.
 */
#ifndef USHER_WORKER_KAFKA_KAFKA_READER_H
#define USHER_WORKER_KAFKA_KAFKA_READER_H

#include <librdkafka/rdkafka.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "usher/client.h"
#include "usher/status.h"

struct kafka_reader;
struct kafka_disposal;

/*
 * Opens it; does not wait for Kafka. With `committed` it is another one than that above: it reads
 * what the consumer group reads, up to the first open transaction. `timeout_ms` is the deadline of
 * each request to Kafka. Borrows the settings. `*reader` is owned: kafka_reader_close. FATAL with
 * exit code 78: a property is wrong.
 */
USHER_MUST_CHECK enum usher_status kafka_reader_open(const struct usher_kafka_settings *settings,
                                                     const struct usher_topic_names *topics,
                                                     int timeout_ms, bool committed,
                                                     struct kafka_reader **reader,
                                                     struct usher_error *err);

/* Never waits: the handle is destroyed by `disposal`. Every reading must have ended. */
void kafka_reader_close(struct kafka_reader *reader, struct kafka_disposal *disposal);

/* The deadline of each request to Kafka. */
int kafka_reader_timeout_ms(const struct kafka_reader *reader);

/* Requests a topic's partition count. Statuses of kafka_partition_count. */
USHER_MUST_CHECK enum usher_status kafka_reader_partitions(struct kafka_reader *reader,
                                                           const char *topic, int32_t *count,
                                                           struct usher_error *err);

/* Returns a queue for what the reader is asked; owned: rd_kafka_queue_destroy. */
rd_kafka_queue_t *kafka_reader_queue(struct kafka_reader *reader);

/*
 * Requests the settings of a topic; does not wait. The answer, or that there was none within the
 * deadline, is an event of DescribeConfigs in `answers`.
 */
void kafka_reader_describe(struct kafka_reader *reader, const char *topic,
                           rd_kafka_queue_t *answers);

/* The log of a partition, by the reader's handle of its topic. */
struct kafka_place {
    rd_kafka_topic_t *topic;
    int32_t partition;
};

struct kafka_place kafka_reader_requests(const struct kafka_reader *reader, int32_t partition);

struct kafka_place kafka_reader_results(const struct kafka_reader *reader, int32_t partition);

/*
 * Requests the offset after the last record of a log. Statuses of kafka_status; RETRY where there
 * is no answer within timeout_ms.
 */
USHER_MUST_CHECK enum usher_status kafka_reader_end(struct kafka_reader *reader,
                                                    struct kafka_place place, int timeout_ms,
                                                    int64_t *end, struct usher_error *err);

/* Requests how many replicas a log has. Statuses as above. */
USHER_MUST_CHECK enum usher_status kafka_reader_replicas(struct kafka_reader *reader,
                                                         struct kafka_place place, int timeout_ms,
                                                         int32_t *replicas,
                                                         struct usher_error *err);

/* The first offset in a log and the one after the last. */
struct kafka_bounds {
    int64_t start, end;
};

/* Requests both ends of a log, each within timeout_ms. Statuses as above. */
USHER_MUST_CHECK enum usher_status kafka_reader_bounds(struct kafka_reader *reader,
                                                       struct kafka_place place, int timeout_ms,
                                                       struct kafka_bounds *bounds,
                                                       struct usher_error *err);

/* A log being read: one reading per partition at a time. */
struct kafka_reading {
    struct kafka_place place;
    rd_kafka_queue_t *queue;
};

/* Starts to read at `offset`; does not wait. End it with kafka_reader_stop. */
USHER_MUST_CHECK enum usher_status kafka_reader_start(struct kafka_reader *reader,
                                                      struct kafka_place place, int64_t offset,
                                                      struct kafka_reading *reading,
                                                      struct usher_error *err);

/*
 * Waits up to timeout_ms for messages, fills at most `max` and returns how many. They are owned:
 * rd_kafka_message_destroy. Errors and the end of the log come as messages, too.
 */
size_t kafka_reader_next(struct kafka_reading *reading, rd_kafka_message_t **messages, size_t max,
                         int timeout_ms);

void kafka_reader_stop(struct kafka_reading *reading);

/*
 * Computes the fingerprint of the record at `offset` of a log, with the reader's deadline. REJECT:
 * there is none, or it cannot be read. Otherwise statuses of kafka_status.
 */
USHER_MUST_CHECK enum usher_status kafka_reader_fingerprint(struct kafka_reader *reader,
                                                            struct kafka_place place,
                                                            int64_t offset, int64_t *fingerprint,
                                                            struct usher_error *err);

/*
 * The offset of the first record at or behind `offset`, be it unreadable, with the reader's
 * deadline; OFFSET_NONE: the log has none. Statuses of kafka_status.
 */
USHER_MUST_CHECK enum usher_status kafka_reader_first(struct kafka_reader *reader,
                                                      struct kafka_place place, int64_t offset,
                                                      int64_t *first, struct usher_error *err);

#endif
