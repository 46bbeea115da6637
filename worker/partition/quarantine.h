/*
 * What to do about a batch that the database refuses, or does not answer: it must neither loop nor
 * stop those behind it. The second failure at one offset isolates: batches are of one decision
 * each. A record that is refused alone, after an earlier refusal, becomes a dead letter; if even
 * that is refused, or an expiry alone, a person must look. Where the error need not be of the data
 * (somebody changed the database, and it refuses everything), only a few records of an operation
 * become dead letters in a row, and the next is tried for ever: once one is committed, it was not
 * everything. One that is not answered alone is tried for ever, too: it is small, so that it is the
 * database that is away or too slow, and no record may be set aside for that. PURE.
 */
#ifndef USHER_WORKER_PARTITION_QUARANTINE_H
#define USHER_WORKER_PARTITION_QUARANTINE_H

#include <stdbool.h>
#include <stdint.h>

#include "usher/status.h"
#include "worker/model/batch.h"

struct quarantine {
    int64_t offset;       /* where the last batch began that failed */
    uint32_t failures;    /* in a row at that offset */
    bool record_refused;  /* one of them was a refusal: the next, alone, is no accident */
    bool expiry_refused;  /* the same of batches without a record, since the last commit */
    int64_t until_offset; /* isolating below this; OFFSET_NONE: not */
    int64_t dead_letter;  /* the record that is not decided but answered `internal`; OFFSET_NONE */
    /* Set aside by operation, though the data need not be at fault, since one was committed or for
     * ten minutes none was set aside. */
    struct {
        uint32_t count;
        int64_t last_ms; /* `now` of the batch */
    } doubtful[USHER_OP_COUNT];
};

void quarantine_init(struct quarantine *quarantine);

/* Whether batches from `next_offset` on are of one decision each. */
bool quarantine_isolates(const struct quarantine *quarantine, int64_t next_offset);

/*
 * Notes that a batch was refused; `taken_until` is the offset after the last record that was taken.
 * `by_data`: by its kind the error is one of the data. RETRY: take over and feed the records again.
 * HALT: nothing is left to try.
 */
enum usher_status quarantine_refused(struct quarantine *quarantine, const struct batch *batch,
                                     int64_t taken_until, bool by_data);

/*
 * Notes that nobody knows whether a batch was committed: there was no answer in time, or the
 * connection is lost.
 */
void quarantine_unanswered(struct quarantine *quarantine, const struct batch *batch,
                           int64_t taken_until);

/* Notes that a batch was committed. */
void quarantine_committed(struct quarantine *quarantine, const struct batch *batch);

#endif
