/*
 * Reads the result log of a partition like a consumer that accepts exactly the next seq, to find
 * the position of such a consumer (protocol, "catch up").
 */
#ifndef USHER_WORKER_KAFKA_KAFKA_SCAN_H
#define USHER_WORKER_KAFKA_KAFKA_SCAN_H

#include <stdint.h>

#include "usher/status.h"
#include "worker/kafka/kafka_reader.h"
#include "worker/model/rows.h"

/* The last seq that the consumer has accepted at the end of the log. */
struct consumer_position {
    int64_t last_seq;
    int64_t last_offset; /* of that seq; OFFSET_NONE: none was ever accepted */
    int64_t highest_seq; /* of all answers that were read */
};

/*
 * Scans from `position` (its published_seq and published_offset) to the log's end as it is now. A
 * position deleted by retention: from the log's start, with the stored seq. HALT: the log ends
 * before the position, or has another record there: it is not the log of the position. RETRY: Kafka
 * is away, or did not answer within the reader's deadline.
 */
USHER_MUST_CHECK enum usher_status kafka_scan(struct kafka_reader *reader, struct kafka_place place,
                                              const struct position *position,
                                              struct consumer_position *found,
                                              struct usher_error *err);

#endif
