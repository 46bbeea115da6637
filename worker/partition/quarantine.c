/*
 * From whole batches to batches of one to the one record that is at fault. PURE.
 */
#include "worker/partition/quarantine.h"

enum {
    REFUSALS_BEFORE_CAUTION = 2
};

void caution_init(struct caution *caution)
{
    *caution = (struct caution){
        .offset = OFFSET_NONE, .until_offset = OFFSET_NONE, .set_aside = OFFSET_NONE};
}

bool caution_applies(const struct caution *caution, int64_t next_offset)
{
    return caution->until_offset != OFFSET_NONE && next_offset < caution->until_offset;
}

static enum usher_status refused_alone(struct caution *caution, const struct batch *batch)
{
    if (batch->record_count == 0 || caution->set_aside == batch->fingerprint_offset)
        return USHER_HALT;
    caution->set_aside = batch->fingerprint_offset;
    return USHER_RETRY;
}

enum usher_status caution_refused(struct caution *caution, const struct batch *batch,
                                  int64_t taken_until)
{
    if (caution_applies(caution, batch->expected_next_offset))
        return refused_alone(caution, batch);
    if (caution->offset != batch->expected_next_offset)
        caution->refusals = 0;
    caution->offset = batch->expected_next_offset;
    if (++caution->refusals >= REFUSALS_BEFORE_CAUTION) {
        /* At least one offset on, so that it also applies to a batch that only expires. */
        int64_t least = batch->expected_next_offset + 1;
        caution->until_offset = taken_until > least ? taken_until : least;
    }
    return USHER_RETRY;
}

void caution_committed(struct caution *caution)
{
    caution->refusals = 0;
}
