/*
 * Whether the request log is still the one that was read. A topic that is deleted and recreated
 * under its name is still fetched from: librdkafka asks by name, and handles what the broker says
 * in between by itself. So a record that was taken is read again, and must still be there. For
 * kafka_source only: includes rdkafka.h.
 */
#ifndef USHER_WORKER_KAFKA_KAFKA_WITNESS_H
#define USHER_WORKER_KAFKA_KAFKA_WITNESS_H

#include <librdkafka/rdkafka.h>
#include <stdbool.h>
#include <stdint.h>

#include "usher/status.h"
#include "worker/kafka/kafka_reader.h"

/* A record of the log. */
struct kafka_mark {
    int64_t offset; /* OFFSET_NONE: none */
    int64_t fingerprint;
};

struct kafka_witness {
    struct kafka_reader *reader; /* this and the next two are borrowed */
    struct kafka_place place;
    int wake;
    struct kafka_mark seen;  /* the log is the one that has it … */
    int64_t seen_ms;         /* … and had it at this time */
    struct kafka_mark taken; /* before it is read again: looked for the next time */
    struct kafka_mark next;  /* since */

    bool is_reading;
    int64_t asked_ms;
    struct kafka_reading reading;
};

/* Nothing was taken yet. */
void kafka_witness_init(struct kafka_witness *witness, struct kafka_reader *reader,
                        struct kafka_place place, int wake);

/* The log was just found to have this record. */
void kafka_witness_saw(struct kafka_witness *witness, int64_t offset, int64_t fingerprint);

void kafka_witness_took(struct kafka_witness *witness, const rd_kafka_message_t *message);

/*
 * To be called before anything is taken from `queue`, and a few times a second. Once a second where
 * something is in the queue or was taken since, else every ten, a record is read again: in the
 * background, unless the last time is longer ago. OK: take. RETRY: not known yet, take nothing;
 * `wake` is set once it is. HALT: the topic was recreated. The text is empty unless something is
 * wrong. Waits only where the record is gone, for a fraction of a second.
 */
USHER_MUST_CHECK enum usher_status kafka_witness_check(struct kafka_witness *witness,
                                                       rd_kafka_queue_t *queue,
                                                       struct usher_error *err);

/* Stops reading. Legal at any time. */
void kafka_witness_stop(struct kafka_witness *witness);

#endif
