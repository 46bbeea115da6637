/*
 * The arrays of one batch: made, emptied, and added to. PURE.
 */
#include "worker/model/batch.h"

#include <assert.h>
#include <stdlib.h>

#include "producer/base/allocate.h"

enum {
    DEAD_LETTER_SIZE_MAX = 1000000 /* bytes kept of a value */
};

void batch_init(struct batch *batch, uint32_t record_limit, uint32_t expiry_limit)
{
    *batch =
        (struct batch){.record_limit = record_limit, .decision_limit = record_limit + expiry_limit};
    batch->decisions = memory_calloc(batch->decision_limit, sizeof *batch->decisions);
    batch->dead_letters = memory_calloc(record_limit, sizeof *batch->dead_letters);
}

void batch_deinit(struct batch *batch)
{
    free(batch->decisions);
    free(batch->dead_letters);
    usher_buffer_deinit(&batch->text);
    usher_arena_deinit(&batch->arena);
    *batch = (struct batch){0};
}

void batch_reset(struct batch *batch)
{
    usher_arena_reset(&batch->arena);
    *batch = (struct batch){
        .arena = batch->arena,
        .text = batch->text,
        .record_limit = batch->record_limit,
        .decisions = batch->decisions,
        .decision_limit = batch->decision_limit,
        .dead_letters = batch->dead_letters,
    };
}

void batch_return_memory(struct batch *batch)
{
    usher_buffer_deinit(&batch->text);
    usher_arena_deinit(&batch->arena);
}

struct decision_row *batch_decision_add(struct batch *batch)
{
    assert(batch->decision_count < batch->decision_limit);
    struct decision_row *row = &batch->decisions[batch->decision_count];
    *row = (struct decision_row){.seq = batch->expected_next_seq + batch->decision_count};
    batch->decision_count++;
    return row;
}

const struct decision_row *batch_decision(const struct batch *batch, int64_t seq)
{
    int64_t index = seq - batch->expected_next_seq;
    return index >= 0 && index < batch->decision_count ? &batch->decisions[index] : NULL;
}

void batch_dead_letter_add(struct batch *batch, const struct decision_row *decision,
                           const char *detail, const struct log_record *record)
{
    assert(batch->dead_letter_count < batch->record_limit);
    bool cuts_key = record->key_size > RECORD_KEY_MAX;
    bool cuts_value = record->value_size > DEAD_LETTER_SIZE_MAX;
    batch->dead_letters[batch->dead_letter_count++] = (struct dead_letter_row){
        .seq = decision->seq,
        .source_offset = record->offset,
        .key = record->key,
        .key_size = cuts_key ? RECORD_KEY_MAX : record->key_size,
        .value = record->value,
        .value_size = cuts_value ? DEAD_LETTER_SIZE_MAX : record->value_size,
        .truncated = cuts_key || cuts_value,
        .reason = decision->reason,
        .request_id = decision->request_id,
        .detail = detail,
        .decided_ms = decision->decided_ms,
    };
}
