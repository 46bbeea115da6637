/*
 * A ring of batches: those in flight, one that is being dealt with, one that is filled. PURE.
 */
#include "worker/partition/pipeline.h"

#include <assert.h>
#include <stdlib.h>

static uint32_t slot(const struct flight *flight, uint32_t index)
{
    return (flight->oldest + index) % flight->slots;
}

void flight_init(struct flight *flight, uint32_t depth, uint32_t record_limit,
                 uint32_t expiry_limit)
{
    *flight = (struct flight){.slots = depth + 2};
    flight->batches = calloc(flight->slots, sizeof *flight->batches);
    flight->times = calloc(flight->slots, sizeof *flight->times);
    flight->in_flight = calloc(flight->slots, sizeof *flight->in_flight);
    assert(flight->batches && flight->times && flight->in_flight);
    for (uint32_t i = 0; i < flight->slots; i++)
        batch_init(&flight->batches[i], record_limit, expiry_limit);
}

void flight_deinit(struct flight *flight)
{
    for (uint32_t i = 0; i < flight->slots; i++)
        batch_deinit(&flight->batches[i]);
    free(flight->batches);
    free(flight->times);
    free(flight->in_flight);
    *flight = (struct flight){0};
}

void flight_abandon(struct flight *flight)
{
    for (uint32_t i = 0; i < flight->slots; i++)
        batch_reset(&flight->batches[i]);
    flight->begun = 0;
    flight->filling = flight->full = false;
    flight->numbered = 0;
}

struct batch *flight_filling(struct flight *flight)
{
    uint32_t at = slot(flight, flight->begun);
    struct batch *batch = &flight->batches[at];
    if (!flight->filling) {
        flight->filling = true;
        flight->times[at] = (struct flight_times){0};
        batch->number = ++flight->numbered;
    }
    return batch;
}

struct flight_times *flight_filling_times(struct flight *flight)
{
    return &flight->times[slot(flight, flight->begun)];
}

void flight_drop(struct flight *flight)
{
    batch_reset(flight_filling(flight));
    flight->filling = flight->full = false;
}

void flight_close(struct flight *flight)
{
    assert(flight->filling);
    flight->full = true;
}

void flight_begin(struct flight *flight)
{
    assert(flight->filling && flight->begun + 1 < flight->slots);
    flight->begun++;
    flight->filling = flight->full = false;
}

struct batch *flight_oldest(struct flight *flight, struct flight_times **times)
{
    if (flight->begun == 0)
        return NULL;
    *times = &flight->times[flight->oldest];
    return &flight->batches[flight->oldest];
}

void flight_end(struct flight *flight)
{
    assert(flight->begun > 0);
    batch_reset(&flight->batches[flight->oldest]);
    flight->oldest = slot(flight, 1);
    flight->begun--;
}

const struct batch *const *flight_all(struct flight *flight)
{
    for (uint32_t i = 0; i < flight->begun; i++)
        flight->in_flight[i] = &flight->batches[slot(flight, i)];
    return flight->in_flight;
}

uint32_t flight_decisions(const struct flight *flight, uint32_t done)
{
    uint32_t count = 0;
    for (uint32_t i = done; i < flight->begun; i++)
        count += flight->batches[slot(flight, i)].decision_count;
    return count;
}

bool flight_redraws(const struct flight *flight)
{
    for (uint32_t i = 0; i < flight->begun; i++)
        if (flight->batches[slot(flight, i)].redraws)
            return true;
    return false;
}
