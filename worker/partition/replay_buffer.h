/*
 * The records of one partition that were taken from the request log and whose batch is not yet
 * known to be committed, in the order of their offsets. PURE. After a failed commit they are fed
 * again from here, so the log need not be read again.
 */
#ifndef USHER_WORKER_PARTITION_REPLAY_BUFFER_H
#define USHER_WORKER_PARTITION_REPLAY_BUFFER_H

#include "worker/model/batch.h"

struct replay_buffer {
    struct log_record *records;
    uint32_t capacity;
    uint32_t first; /* the oldest record */
    uint32_t next;  /* the first one that is not decided */
    uint32_t end;   /* where the next one taken goes */
    size_t bytes;   /* of keys, values and headers */
};

void replay_buffer_init(struct replay_buffer *buffer, uint32_t capacity);

/* The records must have been released. */
void replay_buffer_deinit(struct replay_buffer *buffer);

/*
 * Makes room for records: returns how many may be taken, and where they go. replay_buffer_add then
 * says how many were.
 */
uint32_t replay_buffer_room(struct replay_buffer *buffer, struct log_record **at);
void replay_buffer_add(struct replay_buffer *buffer, uint32_t count);

/*
 * Returns the records that are not decided yet; replay_buffer_mark_decided marks the first `count`
 * of them as decided.
 */
uint32_t replay_buffer_undecided(const struct replay_buffer *buffer, struct log_record **at);
void replay_buffer_mark_decided(struct replay_buffer *buffer, uint32_t count);

/* Makes all undecided again. */
void replay_buffer_rewind(struct replay_buffer *buffer);

/*
 * Returns the records below `offset`, at the front, for the caller to release;
 * replay_buffer_drop then forgets the first `count`.
 */
uint32_t replay_buffer_below(const struct replay_buffer *buffer, int64_t offset,
                             struct log_record **at);
void replay_buffer_drop(struct replay_buffer *buffer, uint32_t count);

#endif
