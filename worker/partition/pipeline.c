/*
 * A ring of batches: those in flight, one that is being dealt with, and the open one. PURE.
 */
#include "worker/partition/pipeline.h"

#include <assert.h>
#include <stdlib.h>

#include "producer/base/allocate.h"

static uint32_t slot(const struct pipeline *pipeline, uint32_t index)
{
    return (pipeline->oldest + index) % pipeline->slots;
}

void pipeline_init(struct pipeline *pipeline, uint32_t depth, uint32_t record_limit,
                   uint32_t expiry_limit)
{
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

void pipeline_abandon(struct pipeline *pipeline)
{
    for (uint32_t i = 0; i < pipeline->slots; i++)
        batch_reset(&pipeline->batches[i]);
    pipeline->in_flight = 0;
    pipeline->is_open = pipeline->is_full = false;
    pipeline->numbered = 0;
}

void pipeline_return_memory(struct pipeline *pipeline)
{
    uint32_t used = pipeline->in_flight + (pipeline->is_open ? 1 : 0);
    for (uint32_t i = used; i < pipeline->slots; i++)
        batch_return_memory(&pipeline->batches[slot(pipeline, i)]);
}

bool pipeline_is_empty(const struct pipeline *pipeline)
{
    return pipeline->in_flight == 0 && !pipeline->is_open;
}

struct batch *pipeline_open_batch(struct pipeline *pipeline)
{
    uint32_t at = slot(pipeline, pipeline->in_flight);
    struct batch *batch = &pipeline->batches[at];
    if (!pipeline->is_open) {
        pipeline->is_open = true;
        pipeline->times[at] = (struct batch_times){0};
        batch->number = ++pipeline->numbered;
    }
    return batch;
}

struct batch_times *pipeline_open_times(struct pipeline *pipeline)
{
    return &pipeline->times[slot(pipeline, pipeline->in_flight)];
}

void pipeline_drop_batch(struct pipeline *pipeline)
{
    batch_reset(pipeline_open_batch(pipeline));
    pipeline->is_open = pipeline->is_full = false;
}

void pipeline_close_batch(struct pipeline *pipeline)
{
    assert(pipeline->is_open);
    pipeline->is_full = true;
}

void pipeline_begin_commit(struct pipeline *pipeline)
{
    assert(pipeline->is_open && pipeline->in_flight + 1 < pipeline->slots);
    pipeline->in_flight++;
    pipeline->is_open = pipeline->is_full = false;
}

struct batch *pipeline_oldest(struct pipeline *pipeline, struct batch_times **times)
{
    if (pipeline->in_flight == 0)
        return NULL;
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
    for (uint32_t i = done; i < pipeline->in_flight; i++)
        count += pipeline->batches[slot(pipeline, i)].decision_count;
    return count;
}

bool pipeline_redraws(const struct pipeline *pipeline)
{
    for (uint32_t i = 0; i < pipeline->in_flight; i++)
        if (pipeline->batches[slot(pipeline, i)].redraws)
            return true;
    return false;
}
