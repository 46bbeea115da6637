/*
 * How much of a process's memory each of its partitions may keep, and how many records it may take
 * from the log: both follow from what the process uses. PURE.
 *
 * Below four fifths of the maximum nothing is limited. Where it is passed, the partitions together
 * may keep what they have then, and less the nearer it comes to the maximum: what is freed is used
 * again, so that memory need not shrink for them to go on. Those that keep most give way first.
 */
#ifndef USHER_WORKER_PARTITION_MEMORY_SHARE_H
#define USHER_WORKER_PARTITION_MEMORY_SHARE_H

#include <stdbool.h>
#include <stdint.h>

#include "worker/inventory/inventory.h"

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
 * Notes what the process uses, what somebody waits for, for which what is kept gives way, and what
 * each of its partitions keeps; sorts `kept`.
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
