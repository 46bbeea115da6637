/*
 * The records of one partition that were taken from the request log and whose batch is not yet
 * known to be committed, in the order of their offsets. PURE. After a failed commit they are fed
 * again from here: a partition cannot be repositioned alone under an eager assignor.
 */
#ifndef USHER_WORKER_PARTITION_REPLAY_BUFFER_H
#define USHER_WORKER_PARTITION_REPLAY_BUFFER_H

#include "worker/model/batch.h"

struct kept {
    struct log_record *records;
    uint32_t capacity;
    uint32_t first; /* oldest record kept */
    uint32_t next;  /* first one that is not decided */
    uint32_t end;   /* where the next one taken goes */
    size_t bytes;   /* of keys and values */
    int64_t log_ms; /* the log's time before the oldest one kept */
};

void kept_init(struct kept *kept, uint32_t capacity);

/* The records must have been released. */
void kept_deinit(struct kept *kept);

/* Room for taking: returns how many, and where. What was taken is made known by kept_add. */
uint32_t kept_room(struct kept *kept, struct log_record **at);
void kept_add(struct kept *kept, uint32_t count);

/* The records that are not decided yet; kept_decided(n) says that the first n of them now are. */
uint32_t kept_undecided(const struct kept *kept, struct log_record **at);
void kept_decided(struct kept *kept, uint32_t count);

/* All are undecided again. The log's time is then what it was before the oldest of them: log_ms. */
void kept_rewind(struct kept *kept);

/* A record appended at that time came before the oldest one kept; kept_drop sees to its own. */
void kept_came_before(struct kept *kept, int64_t appended_ms);

/*
 * The records below `offset`, at the front: returns how many, and where, for the caller to release;
 * kept_drop(n) then forgets the first n.
 */
uint32_t kept_below(const struct kept *kept, int64_t offset, struct log_record **at);
void kept_drop(struct kept *kept, uint32_t count);

#endif
