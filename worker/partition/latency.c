/*
 * Two rings, which forget the oldest. PURE.
 */
#include "worker/partition/latency.h"

void latency_note(struct latency *latency, const struct batch *batch, int64_t now_us)
{
    for (uint32_t i = 0; i < batch->decision_count; i++) {
        const struct decision_row *row = &batch->decisions[i];
        latency->appended_ms[row->seq % LATENCY_ANSWERS] = row->appended_ms;
        latency->handed_seq = row->seq;
    }
    if (latency->count == LATENCY_BATCHES) {
        latency->first = (latency->first + 1) % LATENCY_BATCHES;
        latency->count--;
    }
    uint32_t slot = (latency->first + latency->count++) % LATENCY_BATCHES;
    latency->batches[slot].last_seq = latency->handed_seq;
    latency->batches[slot].committed_us = now_us;
}

int64_t latency_appended_ms(const struct latency *latency, int64_t seq)
{
    if (seq > latency->handed_seq || seq <= latency->handed_seq - LATENCY_ANSWERS)
        return USHER_ABSENT;
    return latency->appended_ms[seq % LATENCY_ANSWERS];
}

int64_t latency_batch_done(struct latency *latency, int64_t seq)
{
    if (latency->count == 0 || latency->batches[latency->first].last_seq > seq)
        return USHER_ABSENT;
    int64_t committed_us = latency->batches[latency->first].committed_us;
    latency->first = (latency->first + 1) % LATENCY_BATCHES;
    latency->count--;
    return committed_us;
}
