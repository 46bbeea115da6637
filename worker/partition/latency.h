/*
 * When the requests of answers in flight were appended, and when their batches were committed: what
 * the metrics need once the answers are delivered. PURE.
 */
#ifndef USHER_WORKER_PARTITION_LATENCY_H
#define USHER_WORKER_PARTITION_LATENCY_H

#include "worker/model/batch.h"

enum {
    LATENCY_ANSWERS = 32768, /* more are in flight only when Kafka is away: not measured */
    LATENCY_BATCHES = 256,
};

struct latency {
    int64_t appended_ms[LATENCY_ANSWERS]; /* by seq; USHER_ABSENT: unrequested */
    struct {
        int64_t last_seq, committed_us;
    } batches[LATENCY_BATCHES]; /* a ring */
    uint32_t first, count;
    int64_t handed_seq; /* of the last answer noted */
};

/* Notes that the answers of a committed batch were handed to the outbox. */
void latency_note(struct latency *latency, const struct batch *batch, int64_t now_us);

/* Returns the append time of the answer `seq`; USHER_ABSENT where none is known. */
int64_t latency_appended_ms(const struct latency *latency, int64_t seq);

/* Forgets the oldest batch if it ends at or below `seq`: when it was committed, else ABSENT. */
int64_t latency_batch_done(struct latency *latency, int64_t seq);

#endif
