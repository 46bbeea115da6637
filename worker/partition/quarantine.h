/*
 * What to do about a batch that the database refuses: it must neither loop nor stop those behind
 * it. The second refusal at one offset makes batches of one; a record that is refused
 * alone is set aside; if even that is refused, or an expiry alone, a person must look. PURE.
 */
#ifndef USHER_WORKER_PARTITION_QUARANTINE_H
#define USHER_WORKER_PARTITION_QUARANTINE_H

#include <stdbool.h>
#include <stdint.h>

#include "usher/status.h"
#include "worker/model/batch.h"

struct caution {
    int64_t offset;       /* where the last refused batch began */
    uint32_t refusals;    /* in a row at that offset */
    int64_t until_offset; /* batches of one below this; OFFSET_NONE: not cautious */
    int64_t set_aside;    /* the record that is not decided but answered `internal`; OFFSET_NONE */
};

void caution_init(struct caution *caution);

/* Whether batches from `next_offset` on are of one decision each. */
bool caution_applies(const struct caution *caution, int64_t next_offset);

/*
 * A batch was refused; `taken_until` is the offset after the last record that was taken. RETRY:
 * take over anew and feed the records again. HALT: nothing is left to try.
 */
enum usher_status caution_refused(struct caution *caution, const struct batch *batch,
                                  int64_t taken_until);

/* A batch was committed. */
void caution_committed(struct caution *caution);

#endif
