/*
 * The batches of one ownership: those in flight (their commit was begun), oldest first, and the
 * open one, which is filled meanwhile. Knows nothing of who decides or commits. PURE.
 */
#ifndef USHER_WORKER_PARTITION_PIPELINE_H
#define USHER_WORKER_PARTITION_PIPELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "worker/model/batch.h"

/* How long the steps of a batch took, for metrics. */
struct batch_times {
    int64_t opened_us;          /* when it was opened */
    int64_t load_us, decide_us; /* sums */
    int64_t begun_us;           /* when its commit was begun */
};

struct pipeline {
    struct batch *batches; /* a ring */
    struct batch_times *times;
    const struct batch **order; /* scratch of pipeline_in_flight */
    uint32_t slots;
    uint32_t oldest;    /* slot of the oldest batch in flight */
    uint32_t in_flight; /* how many */
    bool is_open;       /* the slot after those in flight is being filled … */
    bool is_full;       /* … and takes no more: see pipeline_close_batch */
    uint64_t numbered;
};

/* Makes room for `depth` batches in flight, beside one that is known to be committed. */
void pipeline_init(struct pipeline *pipeline, uint32_t depth, uint32_t record_limit,
                   uint32_t expiry_limit);
void pipeline_deinit(struct pipeline *pipeline);

/* Forgets all batches: their fate is unknown, or no longer of interest. */
void pipeline_abandon(struct pipeline *pipeline);

/* Frees what the batches that are not in use have for their next use. */
void pipeline_return_memory(struct pipeline *pipeline);

/* Nothing is in flight, and no batch is open. */
bool pipeline_is_empty(const struct pipeline *pipeline);

/* ---- the open batch ---- */

/* Returns the open batch; opens one with the next number where there is none. */
struct batch *pipeline_open_batch(struct pipeline *pipeline);
struct batch_times *pipeline_open_times(struct pipeline *pipeline);

/* Drops the open batch, in which nothing was decided: the next one takes a `now` of its own. */
void pipeline_drop_batch(struct pipeline *pipeline);

/*
 * Closes the open batch to further decisions though it has room: what follows is for the next one.
 */
void pipeline_close_batch(struct pipeline *pipeline);

/* ---- the batches in flight ---- */

/* Adds the open batch to those in flight. */
void pipeline_begin_commit(struct pipeline *pipeline);

/* Returns the oldest batch in flight, or NULL; pipeline_end_oldest empties it once it is dealt
 * with. */
struct batch *pipeline_oldest(struct pipeline *pipeline, struct batch_times **times);
void pipeline_end_oldest(struct pipeline *pipeline);

/* Returns all batches in flight, oldest first, valid until the next call. */
const struct batch *const *pipeline_in_flight(struct pipeline *pipeline);

/* Counts the decisions in flight, without those of the oldest `done` batches. */
uint32_t pipeline_decisions(const struct pipeline *pipeline, uint32_t done);

/* Whether a batch in flight changes what the display must draw again from memory. */
bool pipeline_redraws(const struct pipeline *pipeline);

#endif
