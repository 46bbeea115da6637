/*
 * The published position: up to which seq the answers of a partition are known to be in the result
 * log. It advances over contiguous seqs whose offsets rise and whose dead letters are delivered,
 * because that is the position of a consumer that accepts exactly the next seq. PURE: knows neither
 * Kafka nor rows.
 */
#ifndef USHER_WORKER_KAFKA_DELIVERED_H
#define USHER_WORKER_KAFKA_DELIVERED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "usher/status.h"

/* Fields are the module's own. */
struct delivered {
    int64_t *offsets; /* ring of answers by seq: offset, or a marker */
    uint32_t capacity;
    int64_t passed_seq;  /* all up to this one are delivered in order … */
    int64_t next_seq;    /* … and this one is queued next */
    int64_t last_offset; /* highest offset up to passed_seq */
    uint32_t unreported; /* answers queued and not reported */

    int64_t *letters; /* ring of the seqs of queued dead letters, in order; negative: delivered */
    uint32_t letter_capacity;
    uint64_t letter_first, letter_next; /* running numbers */
    uint32_t letters_unreported;

    int64_t stop_seq, stop_offset; /* the highest seq with a known offset … */
    bool moved;                    /* … and whether it has advanced since delivered_position */
};

/* Call delivered_start before anything else. */
void delivered_init(struct delivered *delivered);
void delivered_deinit(struct delivered *delivered);

/*
 * Drops everything queued and starts over: answers up to `seq` are in the log, that one at `offset`
 * (-1: unknown; the position does not advance to it).
 */
void delivered_start(struct delivered *delivered, int64_t seq, int64_t offset);

/* An answer was queued: `seq` must be the next one. */
void delivered_sent(struct delivered *delivered, int64_t seq);

/* A dead letter was queued; seqs must rise. */
void delivered_letter_sent(struct delivered *delivered, int64_t seq);

/*
 * An answer is delivered, at `offset` (-1: a duplicate for the broker, which does not say where).
 * False: the offsets do not rise with the seqs, so consumers do not accept them: publish them
 * again.
 */
USHER_MUST_CHECK bool delivered_report(struct delivered *delivered, int64_t seq, int64_t offset);

/* A dead letter is delivered. False: see delivered_report. */
USHER_MUST_CHECK bool delivered_letter_report(struct delivered *delivered, int64_t seq);

/* Sets both to the position if it has advanced since the last call; else leaves them unchanged. */
void delivered_position(struct delivered *delivered, int64_t *seq, int64_t *offset);

#endif
