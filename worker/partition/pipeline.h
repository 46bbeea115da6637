/*
 * The batches of one ownership: those whose commit was begun, oldest first, and the one that is
 * being filled meanwhile. PURE.
 */
#ifndef USHER_WORKER_PARTITION_PIPELINE_H
#define USHER_WORKER_PARTITION_PIPELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "worker/model/batch.h"

/* How long the steps of a batch took, for metrics. */
struct flight_times {
    int64_t opened_us;          /* when it began to be filled */
    int64_t load_us, decide_us; /* sums */
    int64_t begun_us;           /* when its commit was begun */
};

struct flight {
    struct batch *batches; /* a ring */
    struct flight_times *times;
    const struct batch **in_flight; /* scratch of flight_all */
    uint32_t slots;
    uint32_t oldest; /* slot of the oldest one begun */
    uint32_t begun;
    bool filling; /* the slot after those begun is being filled … */
    bool full;    /* … and takes no more: see flight_close */
    uint64_t numbered;
};

/* Room for `depth` batches in flight, beside one that is known to be committed. */
void flight_init(struct flight *flight, uint32_t depth, uint32_t record_limit,
                 uint32_t expiry_limit);
void flight_deinit(struct flight *flight);

/* Forgets all batches: their fate is unknown, or nobody's concern any more. */
void flight_abandon(struct flight *flight);

/* The batch being filled, and its times; one with the next number where there was none. */
struct batch *flight_filling(struct flight *flight);
struct flight_times *flight_filling_times(struct flight *flight);

/* Nothing came of the batch being filled: the next one has its own time. */
void flight_drop(struct flight *flight);

/* The batch being filled takes no more, though it has room: what comes next is for another. */
void flight_close(struct flight *flight);

/* The commit of the batch being filled was begun. */
void flight_begin(struct flight *flight);

/* The oldest batch begun; NULL: none is. flight_end empties it once it is dealt with. */
struct batch *flight_oldest(struct flight *flight, struct flight_times **times);
void flight_end(struct flight *flight);

/* All batches begun, oldest first, valid until the next call. */
const struct batch *const *flight_all(struct flight *flight);

/* How many decisions were begun to be committed, without those of the oldest `done` batches. */
uint32_t flight_decisions(const struct flight *flight, uint32_t done);

/* Whether one that was begun changes what the display must draw anew from memory. */
bool flight_redraws(const struct flight *flight);

#endif
