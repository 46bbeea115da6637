/*
 * When the requests of answers on their way were appended, and when their batches were committed:
 * what the metrics need once the answers are delivered. PURE.
 */
#ifndef USHER_WORKER_PARTITION_LATENCY_H
#define USHER_WORKER_PARTITION_LATENCY_H

#include "worker/model/batch.h"

enum {
    ANSWER_TIMES_ANSWERS = 32768, /* more are on their way only when Kafka is away: not measured */
    ANSWER_TIMES_BATCHES = 256,
};

struct answer_times {
    int64_t appended_ms[ANSWER_TIMES_ANSWERS]; /* by seq; USHER_ABSENT: unasked */
    struct {
        int64_t last_seq, committed_us;
    } batches[ANSWER_TIMES_BATCHES]; /* a ring */
    uint32_t first, count;
    int64_t handed_seq; /* of the last answer noted */
};

/* The answers of a committed batch were handed over. */
void answer_times_note(struct answer_times *times, const struct batch *batch, int64_t now_us);

/* The append time of the answer `seq`; USHER_ABSENT where none is known. */
int64_t answer_times_appended(const struct answer_times *times, int64_t seq);

/* Forgets the oldest batch if it ends at or below `seq`: when it was committed, else ABSENT. */
int64_t answer_times_batch_done(struct answer_times *times, int64_t seq);

#endif
