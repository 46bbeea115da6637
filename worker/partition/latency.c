/*
 * Two rings, which forget the oldest. PURE.
 */
#include "worker/partition/latency.h"

void answer_times_note(struct answer_times *times, const struct batch *batch, int64_t now_us)
{
    for (uint32_t i = 0; i < batch->decision_count; i++) {
        const struct decision_row *row = &batch->decisions[i];
        times->appended_ms[row->seq % ANSWER_TIMES_ANSWERS] = row->appended_ms;
        times->handed_seq = row->seq;
    }
    if (times->count == ANSWER_TIMES_BATCHES) {
        times->first = (times->first + 1) % ANSWER_TIMES_BATCHES;
        times->count--;
    }
    uint32_t slot = (times->first + times->count++) % ANSWER_TIMES_BATCHES;
    times->batches[slot].last_seq = times->handed_seq;
    times->batches[slot].committed_us = now_us;
}

int64_t answer_times_appended(const struct answer_times *times, int64_t seq)
{
    if (seq > times->handed_seq || seq <= times->handed_seq - ANSWER_TIMES_ANSWERS)
        return USHER_ABSENT;
    return times->appended_ms[seq % ANSWER_TIMES_ANSWERS];
}

int64_t answer_times_batch_done(struct answer_times *times, int64_t seq)
{
    if (times->count == 0 || times->batches[times->first].last_seq > seq)
        return USHER_ABSENT;
    int64_t committed_us = times->batches[times->first].committed_us;
    times->first = (times->first + 1) % ANSWER_TIMES_BATCHES;
    times->count--;
    return committed_us;
}
