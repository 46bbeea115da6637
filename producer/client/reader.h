/*
 * Reads partitions of the result topic from chosen offsets, as a member of no group. Used by the
 * client, the watch and the load generator. Knows nothing of what a record says.
 */
#ifndef USHER_PRODUCER_CLIENT_READER_H
#define USHER_PRODUCER_CLIENT_READER_H

#include "usher/client.h"

struct reader;

/* Connects. Statuses as usher_client_open. Closed with reader_close. */
USHER_MUST_CHECK enum usher_status reader_open(const struct usher_kafka_settings *settings,
                                               const char *client_id, struct reader **reader,
                                               struct usher_error *err);

int32_t reader_partition_count(const struct reader *reader);

/*
 * Asks for the offset of the oldest record kept and for that of the next one to be written: a round
 * trip, up to 5 s. FATAL where there is no answer.
 */
USHER_MUST_CHECK enum usher_status reader_range(struct reader *reader, int32_t partition,
                                                int64_t *first, int64_t *end,
                                                struct usher_error *err);

/* Starts to read a partition from that offset on. Once for each partition. */
USHER_MUST_CHECK enum usher_status reader_start(struct reader *reader, int32_t partition,
                                                int64_t offset, struct usher_error *err);

/*
 * The next record of any started partition, waiting up to timeout_ms; valid until the next call.
 * RETRY: none. FATAL: access denied, the topic is gone, or the offset is no longer kept.
 */
USHER_MUST_CHECK enum usher_status reader_next(struct reader *reader, int timeout_ms,
                                               struct usher_reply *record, struct usher_error *err);

/* NULL is legal. */
void reader_close(struct reader *reader);

#endif
