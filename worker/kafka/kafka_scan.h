/*
 * Reads the result log of a partition as a consumer would that accepts exactly the next seq, to
 * know where such a consumer stands (protocol, "catch up"). For the Kafka adapters only.
 */
#ifndef USHER_WORKER_KAFKA_KAFKA_SCAN_H
#define USHER_WORKER_KAFKA_KAFKA_SCAN_H

#include "usher/status.h"
#include "worker/kafka/kafka_reader.h"
#include "worker/model/rows.h"

struct kafka_standing {
    int64_t last_seq;    /* where the consumer stands at the log's end */
    int64_t last_offset; /* of that seq; OFFSET_NONE: none accepted yet, ever */
    int64_t highest_seq; /* of all that was seen */
};

/*
 * Scans from `position` (its published_seq and published_offset) to the log's end as it is now. A
 * position deleted by retention: from the log's start, with the stored seq. HALT: the log is
 * shorter than the position, or holds another answer there: it is not the log that the position
 * was of. RETRY: Kafka is away, or nothing came within the base's deadline.
 */
USHER_MUST_CHECK enum usher_status kafka_scan(struct kafka_reader *reader, struct kafka_place place,
                                              const struct position *position,
                                              struct kafka_standing *standing,
                                              struct usher_error *err);

#endif
