/*
 * A batch of the request log that librdkafka cannot unpack, though its checksum is good: whoever
 * compressed it did it wrongly, or into more than can be unpacked, so its records are bad input.
 * librdkafka reports the batch's first offset only, again and again; this finds its last one,
 * and makes records of which nothing is known but the offset. For kafka_source only.
 */
#ifndef USHER_WORKER_KAFKA_KAFKA_UNREADABLE_H
#define USHER_WORKER_KAFKA_KAFKA_UNREADABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "worker/kafka/kafka_reader.h"
#include "worker/model/batch.h"

enum kafka_unreadable_state {
    KAFKA_UNREADABLE_NONE, /* no batch, or it is over: read on at `next` */
    KAFKA_UNREADABLE_OPEN, /* its end is being looked for */
    KAFKA_UNREADABLE_ENDS, /* at `inside` */
};

/* Zeroed, but for the first three, which are borrowed: there is none. */
struct kafka_unreadable {
    struct kafka_reader *reader;
    struct kafka_place place;
    int wake;
    enum kafka_unreadable_state state;
    int64_t base;    /* the batch's first offset, as librdkafka reported it */
    int64_t next;    /* the offset to be consumed next */
    int64_t inside;  /* an offset of the batch */
    int64_t outside; /* an offset behind the batch */

    int64_t step;   /* how far behind `inside` is looked next, at most */
    bool confirmed; /* it could not be unpacked a second time, either */
    bool is_reading;
    int64_t asked; /* the offset that is read */
    int64_t asked_ms;
    struct kafka_reading reading;
};

/*
 * Begins with a batch reported at `base`; what precedes `next` was consumed, the log ends at `end`.
 */
void kafka_unreadable_begin(struct kafka_unreadable *batch, int64_t base, int64_t next,
                            int64_t end);

/*
 * Fills at most `max` of the batch's records, all zero but their offsets, and returns how many.
 * Never waits: the first come once the end is found; `wake` is set meanwhile. None come where the
 * batch can be unpacked after all.
 */
uint32_t kafka_unreadable_take(struct kafka_unreadable *batch, struct log_record *records,
                               uint32_t max);

/* Stops reading. Legal at any time. */
void kafka_unreadable_stop(struct kafka_unreadable *batch);

#endif
