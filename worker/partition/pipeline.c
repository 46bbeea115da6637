/*
 * The batches of one ownership: those in flight (their commit was begun), oldest first, and the
 * open one, which is filled meanwhile. Knows nothing of who decides or commits. PURE.
 */
#include "worker/partition/pipeline.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "producer/base/allocate.h"

/* ==== Batches ==== */

static void check_pipeline(const struct pipeline *pipeline)
{
    assert(pipeline->oldest < pipeline->slots && pipeline->in_flight < pipeline->slots);
    assert(pipeline->open || !pipeline->is_full);
}

static uint32_t slot(const struct pipeline *pipeline, uint32_t index)
{
    assert(index < pipeline->slots);
    return (pipeline->oldest + index) % pipeline->slots;
}

void pipeline_init(struct pipeline *pipeline, uint32_t depth, uint32_t record_limit,
                   uint32_t expiry_limit)
{
    assert(depth > 0);
    *pipeline = (struct pipeline){.slots = depth + 2};
    pipeline->batches = memory_calloc(pipeline->slots, sizeof *pipeline->batches);
    pipeline->times = memory_calloc(pipeline->slots, sizeof *pipeline->times);
    pipeline->order = memory_calloc(pipeline->slots, sizeof *pipeline->order);
    for (uint32_t i = 0; i < pipeline->slots; i++)
        batch_init(&pipeline->batches[i], record_limit, expiry_limit);
}

void pipeline_deinit(struct pipeline *pipeline)
{
    for (uint32_t i = 0; i < pipeline->slots; i++)
        batch_deinit(&pipeline->batches[i]);
    free(pipeline->batches);
    free(pipeline->times);
    free(pipeline->order);
    *pipeline = (struct pipeline){0};
}

static void leave_open(struct pipeline *pipeline)
{
    pipeline->open = NULL;
    pipeline->open_times = NULL;
    pipeline->is_full = false;
}

void pipeline_abandon(struct pipeline *pipeline)
{
    for (uint32_t i = 0; i < pipeline->slots; i++)
        batch_reset(&pipeline->batches[i]);
    pipeline->in_flight = 0;
    leave_open(pipeline);
    pipeline->numbered = 0;
    check_pipeline(pipeline);
}

void pipeline_return_memory(struct pipeline *pipeline)
{
    uint32_t used = pipeline->in_flight + (pipeline->open ? 1 : 0);
    for (uint32_t i = used; i < pipeline->slots; i++)
        batch_return_memory(&pipeline->batches[slot(pipeline, i)]);
}

bool pipeline_is_empty(const struct pipeline *pipeline)
{
    return pipeline->in_flight == 0 && !pipeline->open;
}

struct batch *pipeline_open_batch(struct pipeline *pipeline)
{
    uint32_t at = slot(pipeline, pipeline->in_flight);
    check_pipeline(pipeline);
    assert(!pipeline->open);
    pipeline->open = &pipeline->batches[at];
    pipeline->open_times = &pipeline->times[at];
    assert(pipeline->open->number == 0 && pipeline->open->decision_count == 0);
    *pipeline->open_times = (struct batch_times){0};
    pipeline->open->number = ++pipeline->numbered;
    return pipeline->open;
}

void pipeline_drop_batch(struct pipeline *pipeline)
{
    assert(pipeline->open && pipeline->open->decision_count == 0);
    batch_reset(pipeline->open);
    leave_open(pipeline);
}

void pipeline_close_batch(struct pipeline *pipeline)
{
    assert(pipeline->open);
    pipeline->is_full = true;
}

/* The guard of the database accepts each batch only behind the one before. */
static void check_chain(const struct pipeline *pipeline)
{
    if (pipeline->in_flight == 0)
        return;
    const struct batch *last = &pipeline->batches[slot(pipeline, pipeline->in_flight - 1)];
    const struct batch *next = &pipeline->batches[slot(pipeline, pipeline->in_flight)];
    assert(next->number > last->number && next->epoch == last->epoch);
    assert(next->expected_next_seq == last->next_seq);
    assert(next->expected_next_offset == last->next_offset);
}

void pipeline_begin_commit(struct pipeline *pipeline)
{
    assert(pipeline->open && pipeline->in_flight + 1 < pipeline->slots);
    check_chain(pipeline);
    pipeline->in_flight++;
    leave_open(pipeline);
}

struct batch *pipeline_oldest(struct pipeline *pipeline, struct batch_times **times)
{
    if (pipeline->in_flight == 0)
        return NULL;
    check_pipeline(pipeline);
    *times = &pipeline->times[pipeline->oldest];
    return &pipeline->batches[pipeline->oldest];
}

void pipeline_end_oldest(struct pipeline *pipeline)
{
    assert(pipeline->in_flight > 0);
    batch_reset(&pipeline->batches[pipeline->oldest]);
    pipeline->oldest = slot(pipeline, 1);
    pipeline->in_flight--;
}

const struct batch *const *pipeline_in_flight(struct pipeline *pipeline)
{
    for (uint32_t i = 0; i < pipeline->in_flight; i++)
        pipeline->order[i] = &pipeline->batches[slot(pipeline, i)];
    return pipeline->order;
}

uint32_t pipeline_decisions(const struct pipeline *pipeline, uint32_t done)
{
    uint32_t count = 0;
    assert(done <= pipeline->in_flight);
    for (uint32_t i = done; i < pipeline->in_flight; i++)
        count += pipeline->batches[slot(pipeline, i)].decision_count;
    return count;
}

/* ==== Replay buffer ==== */

static void check_replay(const struct replay_buffer *buffer)
{
    assert(buffer->first <= buffer->next && buffer->next <= buffer->end);
    assert(buffer->end <= buffer->capacity);
    assert(buffer->first < buffer->end || buffer->bytes == 0);
}

void replay_buffer_init(struct replay_buffer *buffer, uint32_t capacity)
{
    assert(capacity > 0);
    *buffer = (struct replay_buffer){.capacity = capacity};
    buffer->records = memory_calloc(capacity, sizeof *buffer->records);
}

void replay_buffer_deinit(struct replay_buffer *buffer)
{
    assert(buffer->first == buffer->end);
    free(buffer->records);
    *buffer = (struct replay_buffer){0};
}

/* Moving only when less than half is left keeps the cost per record constant. */
static bool is_to_move(const struct replay_buffer *buffer)
{
    return buffer->first > 0 && buffer->capacity - buffer->end < buffer->capacity / 2;
}

uint32_t replay_buffer_room(const struct replay_buffer *buffer)
{
    uint32_t end = is_to_move(buffer) ? buffer->end - buffer->first : buffer->end;
    return buffer->capacity - end;
}

struct log_record *replay_buffer_make_room(struct replay_buffer *buffer)
{
    if (is_to_move(buffer)) {
        uint32_t count = buffer->end - buffer->first;
        memmove(buffer->records, buffer->records + buffer->first, count * sizeof *buffer->records);
        buffer->next -= buffer->first;
        buffer->end = count;
        buffer->first = 0;
    }
    check_replay(buffer);
    return buffer->records + buffer->end;
}

void replay_buffer_add(struct replay_buffer *buffer, uint32_t count)
{
    assert(count <= buffer->capacity - buffer->end);
    for (uint32_t i = buffer->end; i < buffer->end + count; i++) {
        const struct log_record *record = &buffer->records[i];
        assert(i == buffer->first || record[-1].offset < record->offset);
        buffer->bytes += log_record_size(record);
    }
    buffer->end += count;
    check_replay(buffer);
}

uint32_t replay_buffer_undecided(const struct replay_buffer *buffer, struct log_record **at)
{
    *at = buffer->records + buffer->next;
    return buffer->end - buffer->next;
}

void replay_buffer_mark_decided(struct replay_buffer *buffer, uint32_t count)
{
    assert(count <= buffer->end - buffer->next);
    buffer->next += count;
    check_replay(buffer);
}

void replay_buffer_rewind(struct replay_buffer *buffer)
{
    buffer->next = buffer->first;
}

uint32_t replay_buffer_below(const struct replay_buffer *buffer, int64_t offset,
                             struct log_record **at)
{
    uint32_t count = 0;
    *at = buffer->records + buffer->first;
    while (buffer->first + count < buffer->end && (*at)[count].offset < offset)
        count++;
    return count;
}

void replay_buffer_drop(struct replay_buffer *buffer, uint32_t count)
{
    assert(count <= buffer->end - buffer->first);
    for (uint32_t i = 0; i < count; i++)
        buffer->bytes -= log_record_size(&buffer->records[buffer->first + i]);
    buffer->first += count;
    if (buffer->next < buffer->first)
        buffer->next = buffer->first;
    check_replay(buffer);
}

/* ==== Latencies ==== */

static void check_latency(const struct latency *latency)
{
    assert(latency->first < LATENCY_BATCHES && latency->count <= LATENCY_BATCHES);
}

void latency_note(struct latency *latency, const struct batch *batch, int64_t now_us)
{
    if (batch->decision_count == 0)
        return; /* no answer is ever delivered for it */
    for (uint32_t i = 0; i < batch->decision_count; i++) {
        const struct decision_row *row = &batch->decisions[i];
        assert(row->seq > latency->handed_seq);
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
    check_latency(latency);
}

int64_t latency_appended_ms(const struct latency *latency, int64_t seq)
{
    if (seq > latency->handed_seq || seq <= latency->handed_seq - LATENCY_ANSWERS)
        return USHER_ABSENT;
    return latency->appended_ms[seq % LATENCY_ANSWERS];
}

int64_t latency_batch_done(struct latency *latency, int64_t seq)
{
    check_latency(latency);
    if (latency->count == 0 || latency->batches[latency->first].last_seq > seq)
        return USHER_ABSENT;
    int64_t committed_us = latency->batches[latency->first].committed_us;
    latency->first = (latency->first + 1) % LATENCY_BATCHES;
    latency->count--;
    return committed_us;
}
