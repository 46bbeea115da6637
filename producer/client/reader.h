/*
 * Reads partitions of the result topic from chosen offsets, without a consumer group, and offers
 * a descriptor that is readable while there may be something to poll for. For the client,
 * the watch, and tests/bench/load. Does not know what a record says.
 */
#ifndef USHER_PRODUCER_CLIENT_READER_H
#define USHER_PRODUCER_CLIENT_READER_H

#include <librdkafka/rdkafka.h>

#include "usher/client.h"

struct reader;

/* Connects. Statuses as usher_client_open. Closed with reader_close. */
USHER_MUST_CHECK enum usher_status reader_open(const struct usher_kafka_settings *settings,
                                               const char *client_id, struct reader **reader,
                                               struct usher_error *err);

int32_t reader_partition_count(const struct reader *reader);

/*
 * Asks for the log start offset and the log end offset: a round trip, up to 5 s. FATAL: no
 * response.
 */
USHER_MUST_CHECK enum usher_status reader_range(struct reader *reader, int32_t partition,
                                                int64_t *first, int64_t *end,
                                                struct usher_error *err);

/* Asks for the first record from a time on, ms since 1970; -1: none. Otherwise as reader_range. */
USHER_MUST_CHECK enum usher_status reader_offset_at(struct reader *reader, int32_t partition,
                                                    int64_t ms, int64_t *offset,
                                                    struct usher_error *err);

/* Starts reading a partition at that offset. Once per partition. */
USHER_MUST_CHECK enum usher_status reader_start(struct reader *reader, int32_t partition,
                                                int64_t offset, struct usher_error *err);

/* Reads a started partition from another offset on; what was fetched of it is dropped. */
USHER_MUST_CHECK enum usher_status reader_restart(struct reader *reader, int32_t partition,
                                                  int64_t offset, struct usher_error *err);

/* Lets the descriptor be readable (reader.h) when there may be something to read. */
void reader_descriptor(struct reader *reader, int descriptor);

/*
 * The next record of any started partition, waiting up to timeout_ms; valid until the next call.
 * RETRY: none. HALT: the offset at which record->partition was to be read is no longer kept, and it
 * is not read on. FATAL: access denied, or the topic is gone.
 */
USHER_MUST_CHECK enum usher_status reader_next(struct reader *reader, int timeout_ms,
                                               struct usher_reply *record, struct usher_error *err);

/* NULL is legal. */
void reader_close(struct reader *reader);

/*
 * ==== Descriptor ====
 *
 * A descriptor that is readable while there may be something to poll for, for programs with an
 * event loop of their own. librdkafka sets it when one of its queues is no longer empty; whoever
 * leaves something in a queue sets it again.
 */

/* Returns a new descriptor, which is readable: something may be there already. */
int descriptor_new(void);

/* Lets the queue set it from now on. */
void descriptor_on(rd_kafka_queue_t *queue, int descriptor);

/* Makes it readable, or not. Below 0: nothing happens. */
void descriptor_set(int descriptor);

void descriptor_clear(int descriptor);

#endif
