/*
 * The batches of one ownership: those in flight (their commit was begun), oldest first, and the
 * open one, which is filled meanwhile. Also their records, until these are committed, and when each
 * was appended and committed. Knows nothing of deciding or committing. PURE.
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
    struct batch *open; /* in the slot after those in flight, or NULL */
    struct batch_times *open_times;
    bool is_full; /* the open one takes no more: see pipeline_close_batch */
    uint64_t numbered;
};

/* Makes room for `depth` batches in flight, beside one that is known to be committed. */
void pipeline_init(struct pipeline *pipeline, uint32_t depth, uint32_t record_limit,
                   uint32_t expiry_limit);

void pipeline_deinit(struct pipeline *pipeline);

/* Forgets all batches: their fate is unknown, or no longer of interest. */
void pipeline_abandon(struct pipeline *pipeline);

/* Frees the memory that batches not in use keep for their next use. */
void pipeline_return_memory(struct pipeline *pipeline);

/* Nothing is in flight, and no batch is open. */
bool pipeline_is_empty(const struct pipeline *pipeline);

/* ---- the open batch ---- */

/* Opens a batch, with the next number. None may be open. */
struct batch *pipeline_open_batch(struct pipeline *pipeline);

/* Drops the open batch, in which nothing was decided: the next one takes a `now` of its own. */
void pipeline_drop_batch(struct pipeline *pipeline);

/* Closes the open batch to further decisions though it has room: the next one takes them. */
void pipeline_close_batch(struct pipeline *pipeline);

/* ---- the batches in flight ---- */

/* Adds the open batch to those in flight. */
void pipeline_begin_commit(struct pipeline *pipeline);

/*
 * Returns the oldest batch in flight, or NULL. pipeline_end_oldest empties it once it is dealt
 * with.
 */
struct batch *pipeline_oldest(struct pipeline *pipeline, struct batch_times **times);

void pipeline_end_oldest(struct pipeline *pipeline);

/* Returns all batches in flight, oldest first, valid until the next call. */
const struct batch *const *pipeline_in_flight(struct pipeline *pipeline);

/* Counts the decisions in flight, without those of the oldest `done` batches. */
uint32_t pipeline_decisions(const struct pipeline *pipeline, uint32_t done);

/*
 * ==== Replay buffer ====
 *
 * The records of one partition that were taken from the request log, in the order of their offsets,
 * until their batch is known to be committed. After a failed commit they are fed again from here,
 * so the log need not be read again.
 */

struct replay_buffer {
    struct log_record *records;
    uint32_t capacity;
    uint32_t first; /* the oldest record */
    uint32_t next;  /* the first one that is not decided */
    uint32_t end;   /* the place of the next one taken */
    size_t bytes;   /* of keys, values and headers */
};

void replay_buffer_init(struct replay_buffer *buffer, uint32_t capacity);

/* The records must have been released. */
void replay_buffer_deinit(struct replay_buffer *buffer);

/* Returns how many records may be taken. */
uint32_t replay_buffer_room(const struct replay_buffer *buffer);

/* Makes room for so many, and returns their place. replay_buffer_add then says how many came. */
struct log_record *replay_buffer_make_room(struct replay_buffer *buffer);

void replay_buffer_add(struct replay_buffer *buffer, uint32_t count);

/*
 * Returns the records that are not decided yet. replay_buffer_mark_decided marks the first `count`
 * of them as decided.
 */
uint32_t replay_buffer_undecided(const struct replay_buffer *buffer, struct log_record **at);

void replay_buffer_mark_decided(struct replay_buffer *buffer, uint32_t count);

/* Makes all undecided again. */
void replay_buffer_rewind(struct replay_buffer *buffer);

/*
 * Returns the records below `offset`, at the front, for the caller to release. replay_buffer_drop
 * then forgets the first `count`.
 */
uint32_t replay_buffer_below(const struct replay_buffer *buffer, int64_t offset,
                             struct log_record **at);

void replay_buffer_drop(struct replay_buffer *buffer, uint32_t count);

/*
 * ==== Latencies ====
 *
 * When the requests of answers in flight were appended, and when their batches were committed. The
 * metrics need both once the answers are delivered.
 */

enum {
    LATENCY_ANSWERS = 32768, /* more are in flight only when Kafka is away: not measured */
    LATENCY_BATCHES = 256,
};

struct latency {
    int64_t appended_ms[LATENCY_ANSWERS]; /* by seq, USHER_ABSENT if unrequested */
    struct {
        int64_t last_seq, committed_us;
    } batches[LATENCY_BATCHES]; /* a ring */
    uint32_t first, count;
    int64_t handed_seq; /* of the last answer noted */
};

/* Notes that the answers of a committed batch were handed to the outbox. */
void latency_note(struct latency *latency, const struct batch *batch, int64_t now_us);

/* Returns the append time of the answer `seq`, USHER_ABSENT if none is known. */
int64_t latency_appended_ms(const struct latency *latency, int64_t seq);

/* Forgets the oldest batch if it ends at or below `seq`: when it was committed, else ABSENT. */
int64_t latency_batch_done(struct latency *latency, int64_t seq);

#endif
