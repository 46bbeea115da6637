/*
 * From whole batches to batches of one to the one record that is at fault. PURE.
 */
#include "worker/partition/quarantine.h"

enum {
    FAILURES_BEFORE_ISOLATION = 2,
    DOUBTFUL_MAX = 10,        /* in a row … */
    DOUBTFUL_FOR_MS = 600000, /* … and again after so long */
};

void quarantine_init(struct quarantine *quarantine)
{
    *quarantine = (struct quarantine){
        .offset = OFFSET_NONE, .until_offset = OFFSET_NONE, .dead_letter = OFFSET_NONE};
}

bool quarantine_isolates(const struct quarantine *quarantine, int64_t next_offset)
{
    return quarantine->until_offset != OFFSET_NONE && next_offset < quarantine->until_offset;
}

/* Notes a refusal; returns whether the same kind of batch was refused before. */
static bool was_refused(struct quarantine *quarantine, const struct batch *batch)
{
    bool *refused =
        batch->record_count > 0 ? &quarantine->record_refused : &quarantine->expiry_refused;
    bool before = *refused;
    *refused = true;
    return before;
}

/*
 * Whether the record of a batch of one may be set aside, though the data need not be at fault; it
 * counts. What precedes the record is decided in a batch before.
 */
static bool may_doubt(struct quarantine *quarantine, const struct batch *batch)
{
    enum usher_op op = batch->decisions[batch->decision_count - 1].op;
    if (batch->now_ms - quarantine->doubtful[op].last_ms >= DOUBTFUL_FOR_MS)
        quarantine->doubtful[op].count = 0;
    if (quarantine->doubtful[op].count >= DOUBTFUL_MAX)
        return false;
    quarantine->doubtful[op].count++;
    quarantine->doubtful[op].last_ms = batch->now_ms;
    return true;
}

static enum usher_status refused_alone(struct quarantine *quarantine, const struct batch *batch,
                                       bool by_data)
{
    int64_t record = batch->next_offset - 1;
    if (!was_refused(quarantine, batch))
        return USHER_RETRY;
    if (batch->record_count == 0 || quarantine->dead_letter == record)
        return USHER_HALT;
    if (!by_data && !may_doubt(quarantine, batch))
        return USHER_RETRY;
    quarantine->dead_letter = record;
    return USHER_RETRY;
}

/* Notes a failure of a batch that is not of one decision. */
static void note_failure(struct quarantine *quarantine, const struct batch *batch,
                         int64_t taken_until)
{
    if (quarantine->offset != batch->expected_next_offset) {
        quarantine->failures = 0;
        quarantine->record_refused = quarantine->expiry_refused = false;
    }
    quarantine->offset = batch->expected_next_offset;
    if (++quarantine->failures >= FAILURES_BEFORE_ISOLATION) {
        /* At least one offset further, so that it also applies to a batch that only expires. */
        int64_t least = batch->expected_next_offset + 1;
        quarantine->until_offset = taken_until > least ? taken_until : least;
    }
}

enum usher_status quarantine_refused(struct quarantine *quarantine, const struct batch *batch,
                                     int64_t taken_until, bool by_data)
{
    if (quarantine_isolates(quarantine, batch->expected_next_offset))
        return refused_alone(quarantine, batch, by_data);
    note_failure(quarantine, batch, taken_until);
    (void)was_refused(quarantine, batch);
    return USHER_RETRY;
}

void quarantine_unanswered(struct quarantine *quarantine, const struct batch *batch,
                           int64_t taken_until)
{
    if (!quarantine_isolates(quarantine, batch->expected_next_offset))
        note_failure(quarantine, batch, taken_until);
}

/* Whether it wrote what the next one of its operation writes. */
static bool is_done(const struct decision_row *decision)
{
    return decision->source_offset != OFFSET_NONE && !decision->replayed &&
           decision->outcome != USHER_REFUSED && decision->outcome != USHER_INVALID;
}

void quarantine_committed(struct quarantine *quarantine, const struct batch *batch)
{
    for (uint32_t i = 0; i < batch->decision_count; i++)
        if (is_done(&batch->decisions[i]))
            quarantine->doubtful[batch->decisions[i].op].count = 0;
    quarantine->failures = 0;
    /* Of a record it stays: expiries may be committed between its refusals. */
    quarantine->expiry_refused = false;
}
