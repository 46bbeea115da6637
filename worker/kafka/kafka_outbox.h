/*
 * The outbox_port of one partition: publishes answers to the result topic and dead letters to
 * theirs, in bursts, and keeps the position up to which they are known to be published. Knows
 * the rows and the codec, not how rows are decided. For the Kafka adapters only: includes
 * rdkafka.h.
 */
#ifndef USHER_WORKER_KAFKA_KAFKA_OUTBOX_H
#define USHER_WORKER_KAFKA_KAFKA_OUTBOX_H

#include <librdkafka/rdkafka.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "usher/client.h"
#include "usher/memory.h"
#include "usher/status.h"
#include "worker/kafka/kafka_base.h"
#include "worker/kafka/kafka_producer.h"
#include "worker/model/ports.h"
#include "worker/model/rows.h"

struct kafka_outbox;

/* Zero-initialise, then set. */
struct kafka_outbox_settings {
    int32_t partition;
    uint32_t queue_limit;    /* queued answers from which on has_room is false; 0: 20,000 */
    size_t queue_bytes;      /* the same in bytes; 0: 64 MiB */
    int delivery_timeout_ms; /* without a report for this long the producer fails; 0: 30,000 */
};

/*
 * Returns an outbox without a connection (outbox_port.open makes one), owned: kafka_outbox_close.
 * Never waits. Borrows `base`. Aborts where the process has no descriptor left.
 */
struct kafka_outbox *kafka_outbox_new(struct kafka_base *base,
                                      const struct kafka_outbox_settings *settings);

/* The port, valid until the outbox is closed. */
struct outbox_port kafka_outbox_port(struct kafka_outbox *outbox);

/*
 * Frees it; undelivered answers are dropped (the next owner publishes them). Never waits (see
 * kafka_base_close). NULL is legal.
 */
void kafka_outbox_close(struct kafka_outbox *outbox);

/*
 * ==== Published position ====
 *
 * The published position: up to which seq the answers of a partition are known to be in the result
 * log. It advances over contiguous seqs whose offsets rise and whose dead letters are delivered,
 * because that is the position of a consumer that accepts exactly the next seq. PURE: knows neither
 * Kafka nor rows.
 */

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

/*
 * ==== Answers and dead letters as records ====
 *
 * Turns a decision into a record of the result topic, and a dead letter into one of its topic:
 * value, key and headers. Equal rows give equal bytes, whichever worker publishes them.
 */

enum {
    KAFKA_DEAD_LETTER_MAX = 1000000, /* a dead letter's value is truncated to this size */
};

/* Appends the answer. HALT: the row was written by a newer program. */
USHER_MUST_CHECK enum usher_status kafka_answer_value(const struct decision_row *row,
                                                      int32_t partition, struct usher_buffer *out,
                                                      struct usher_error *err);

/*
 * Returns the headers of an answer, always in the same order: traceparent and client if the request
 * had them, those of CloudEvents if it had such. NULL: none. Owned: rd_kafka_headers_destroy, or
 * passed on with a message.
 */
rd_kafka_headers_t *kafka_answer_headers(const struct decision_row *row, int32_t partition,
                                         const struct usher_topic_names *topics);

/* Returns the headers of a dead letter. Never NULL; owned. */
rd_kafka_headers_t *kafka_dead_letter_headers(const struct dead_letter_row *row, int32_t partition,
                                              const struct usher_topic_names *topics);

#endif
