/*
 * Puts the answers of several partitions into the order of time. What is past waits until no
 * partition can have an earlier answer; what comes in later is passed on as it comes.
 */
#ifndef USHER_PRODUCER_PROGRAM_WATCH_MERGE_H
#define USHER_PRODUCER_PROGRAM_WATCH_MERGE_H

#include "usher/client.h"

/* An answer that is kept. Freed by whoever took it. */
struct watch_kept {
    struct watch_kept *next; /* of its partition */
    int64_t decided_ms, offset;
    int32_t partition;
    size_t size;
    char data[]; /* JSON, not NUL-terminated */
};

/* The answers of one partition in their order, and the time up to which it was read. */
struct watch_lane {
    struct watch_kept *first, *last;
    int64_t seen_ms;
};

struct watch_merge {
    struct watch_lane *lanes;
    int32_t lane_count;
    size_t bytes; /* kept */
};

/* For so many partitions; ended with watch_merge_deinit. */
void watch_merge_init(struct watch_merge *merge, int32_t partitions);

/* Its partition was read up to that time. To be said of every answer, before it is added. */
void watch_merge_saw(struct watch_merge *merge, int32_t partition, int64_t decided_ms);

/* Keeps a copy of an answer. */
void watch_merge_add(struct watch_merge *merge, const struct usher_reply *reply,
                     int64_t decided_ms);

/*
 * Takes the earliest answer. NULL: there is none, or a partition of the watch that is still in the
 * past may have an earlier one. Where very much is kept, the earliest one goes all the same.
 */
struct watch_kept *watch_merge_take(struct watch_merge *merge, const struct usher_watch *watch);

void watch_merge_deinit(struct watch_merge *merge);

#endif
