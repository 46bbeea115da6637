/*
 * How far the answers of a partition are known to be in the result log: the published position. It
 * moves over contiguous seqs whose offsets rise and whose dead letters are delivered, because that
 * is where a consumer that accepts exactly the next seq stands. PURE: knows neither Kafka nor rows.
 */
#ifndef USHER_WORKER_KAFKA_DELIVERED_H
#define USHER_WORKER_KAFKA_DELIVERED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "usher/status.h"

/* Fields are the module's own. */
struct delivered {
    int64_t *offsets; /* ring of answers, by seq: offset, or a mark */
    uint32_t capacity;
    int64_t passed_seq;  /* all up to here are delivered in order … */
    int64_t next_seq;    /* … and this one is to be queued next */
    int64_t last_offset; /* highest offset among those passed */
    uint32_t unreported; /* answers queued and not reported */

    int64_t *letters; /* ring of the seqs of dead letters queued, in order; negative: delivered */
    uint32_t letter_capacity;
    uint64_t letter_first, letter_next; /* running numbers */
    uint32_t letters_unreported;

    int64_t stop_seq, stop_offset; /* the highest position with a known offset, where it is … */
    bool moved;                    /* … and whether that was not asked for yet */
};

/* Position unknown: call delivered_start before anything else. */
void delivered_init(struct delivered *delivered);
void delivered_deinit(struct delivered *delivered);

/*
 * Forgets all that was queued and starts anew: answers up to `seq` are in the log, that one at
 * `offset` (-1: not known; then the position does not move to it).
 */
void delivered_start(struct delivered *delivered, int64_t seq, int64_t offset);

/* An answer was queued: `seq` must be the next one. */
void delivered_sent(struct delivered *delivered, int64_t seq);

/* A dead letter was queued; seqs must rise. */
void delivered_letter_sent(struct delivered *delivered, int64_t seq);

/*
 * An answer is delivered, at `offset` (-1: the broker had it already and did not say where). False:
 * the offsets do not rise with the seqs, so a consumer stands before them: publish them again.
 */
USHER_MUST_CHECK bool delivered_report(struct delivered *delivered, int64_t seq, int64_t offset);

/* A dead letter is delivered. False as delivered_report. */
USHER_MUST_CHECK bool delivered_letter_report(struct delivered *delivered, int64_t seq);

/* The position, if it moved since it was asked for; else both are left as they are. */
void delivered_position(struct delivered *delivered, int64_t *seq, int64_t *offset);

#endif
