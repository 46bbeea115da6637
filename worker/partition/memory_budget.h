/*
 * The memory of the process, shared by its partitions: a thread measures what is used, the
 * allocators say what they keep and ask how much they may. Knows nothing of what is kept.
 */
#ifndef USHER_WORKER_PARTITION_MEMORY_BUDGET_H
#define USHER_WORKER_PARTITION_MEMORY_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "worker/inventory/inventory.h"

struct memory_budget;
struct metrics_registry;

enum {
    MEMORY_MIN = 64 << 20, /* a worker needs as much to work at all */
    MEMORY_QUEUE_PART = 8, /* this part of the maximum is for records fetched and not yet taken */
    MEMORY_SHOWN_PART = 8, /* and this for updates that wait for the cache, … */
    MEMORY_SHOWN_MAX = 64 << 20, /* … but no more */
};

/*
 * To be called before any thread is started: lets memory that one thread freed be used by others.
 */
void memory_budget_prepare(void);

/*
 * Starts to measure: the process is to use no more than `max` bytes, with partitions below
 * `partition_count`. Borrows `metrics`. Never NULL.
 */
struct memory_budget *memory_budget_open(int64_t max, int32_t partition_count,
                                         struct metrics_registry *metrics);

/* Ends its thread. NULL is legal. */
void memory_budget_close(struct memory_budget *budget);

/* Bytes that may be fetched for each partition before they are taken. */
int64_t memory_budget_queue_bytes(int64_t max, int32_t partition_count);

/* Bytes that may wait to be written to the cache. */
size_t memory_budget_shown_bytes(int64_t max);

/* ---- any thread; never waits ---- */

enum {
    MEMORY_OWNS_NONE = -1 /* a partition is not, or no longer, of this process */
};

/* Notes how many bytes a partition keeps, or MEMORY_OWNS_NONE. */
void memory_budget_note(struct memory_budget *budget, int32_t partition, int64_t kept);

/* Bytes that a partition may keep; INT64_MAX: any number. */
int64_t memory_budget_level(const struct memory_budget *budget);

/* Whether a partition should pause before it takes more. */
bool memory_budget_is_slow(const struct memory_budget *budget);

enum memory_use {
    MEMORY_FOR_BATCH, /* for records about to be decided */
    MEMORY_FOR_CACHE, /* for resources read for the cache */
    MEMORY_USE_COUNT
};

/*
 * Reserves `bytes` if the total stays below the maximum. One partition is always served. Refused
 * partitions are served first, in order, while they keep asking.
 */
bool memory_budget_reserve(struct memory_budget *budget, int32_t partition, enum memory_use use,
                           int64_t bytes);

/* Whether a partition waits for memory that others have taken: these should soon be done. */
bool memory_budget_is_awaited(struct memory_budget *budget);

/*
 * What was reserved has been taken, but for `spare`: what is measured from now on shows it. Until
 * it is given back it still keeps others from taking more than the maximum.
 */
void memory_budget_settle(struct memory_budget *budget, int32_t partition, enum memory_use use,
                          int64_t spare);

/* Gives back what the partition has taken for that, but for `spare`; it keeps its place. */
void memory_budget_return(struct memory_budget *budget, int32_t partition, enum memory_use use,
                          int64_t spare);

/* Gives back all that the partition has taken for that, and its place in that order. */
void memory_budget_release(struct memory_budget *budget, int32_t partition, enum memory_use use);

/* How many records may be added where there is room for so many: see memory_portion. */
uint32_t memory_budget_portion(const struct memory_budget *budget, uint32_t room, uint32_t taken);

/*
 * ==== Shares ====
 *
 * How much of a process's memory each of its partitions may keep, and how many records it may take
 * from the log: both follow from what the process uses.
 *
 * Below four fifths of the maximum nothing is limited. Above, all partitions together may keep what
 * they hold at that moment, and the limit shrinks as usage nears the maximum. Freed memory is used
 * again, so the process need not shrink for them to continue. Those that keep most give way first.
 */

enum {
    MEMORY_PARTS = 1000 /* a whole, in parts */
};

struct memory_share {
    int64_t max;       /* bytes that the process may use */
    int64_t reference; /* bytes kept by all partitions when it became tight; 0: it is not */
    int64_t level;     /* bytes that a partition may keep; INT64_MAX: any number */
    uint32_t portion;  /* of MEMORY_PARTS, for memory_portion */
    bool slow;         /* so little is left that records are to be taken one by one, with pauses */
};

void memory_share_init(struct memory_share *share, int64_t max);

/*
 * Notes the memory in use, the memory that partitions wait for, for which kept rows give way, and
 * the rows kept by each partition; sorts `kept`.
 */
void memory_share_note(struct memory_share *share, int64_t used, int64_t wanted, int64_t *kept,
                       uint32_t count);

/*
 * Returns how many records may be added to `taken` where there is room for so many: all of them,
 * or, with less than a whole portion, quickly fewer, since each may need a resource that is not in
 * memory. One if none are there yet, however tight memory is: everything goes on.
 */
uint32_t memory_portion(uint32_t portion, uint32_t room, uint32_t taken);

/* About how many bytes it takes, as measured: see deploy/README.md. */
int64_t memory_kept_bytes(const struct inventory_size *size);

/*
 * Returns the limits of a partition of that size so that it keeps no more than `level` bytes: less
 * of each kind alike, and never more than `limits`.
 */
struct inventory_limits memory_limits_within(const struct inventory_limits *limits,
                                             const struct inventory_size *size, int64_t level);

#endif
