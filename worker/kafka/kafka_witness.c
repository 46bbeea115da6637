/*
 * Whether the request log is still the one that was read: reads a record that was taken again, in
 * the background. Knows nothing of the port. For the Kafka adapters only: includes rdkafka.h.
 */
#include "worker/kafka/kafka_witness.h"

#include <inttypes.h>

#include "producer/base/clock.h"
#include "producer/kafka/kafka_errors.h"
#include "worker/base/fingerprint.h"
#include "worker/kafka/kafka_base.h"
#include "worker/model/rows.h"

enum {
    SEEN_MS = 1000,   /* how old it is when the record is read again … */
    QUIET_MS = 10000, /* … and where nothing comes: a new log may be as long as the old one was */
    TRUST_MS = 2000,  /* … and when nothing more is taken before that has succeeded */
    AGAIN_MS = 100,   /* between two tries */
    BOUNDS_MS = 250,  /* for each bound of the log */
};

void kafka_witness_init(struct kafka_witness *witness, struct kafka_reader *reader,
                        struct kafka_place place, int wake)
{
    *witness = (struct kafka_witness){
        .reader = reader,
        .place = place,
        .wake = wake,
        .seen = {.offset = OFFSET_NONE},
        .taken = {.offset = OFFSET_NONE},
        .next = {.offset = OFFSET_NONE},
        .seen_ms = clock_ms(),
    };
}

void kafka_witness_saw(struct kafka_witness *witness, int64_t offset, int64_t fingerprint)
{
    witness->seen = (struct kafka_mark){offset, fingerprint};
    witness->seen_ms = clock_ms();
}

static bool is_set(const struct kafka_mark *mark)
{
    return mark->offset != OFFSET_NONE;
}

static int64_t fingerprint_of(const rd_kafka_message_t *message)
{
    return record_fingerprint(message->key, message->key_len, message->payload, message->len);
}

/* The first since the last reading began: any will do. */
void kafka_witness_took(struct kafka_witness *witness, const rd_kafka_message_t *message)
{
    if (!is_set(&witness->next))
        witness->next = (struct kafka_mark){message->offset, fingerprint_of(message)};
}

/* The record to be read; where none was ever read again, the first that was taken. */
static const struct kafka_mark *mark_of(const struct kafka_witness *witness)
{
    return is_set(&witness->seen) ? &witness->seen : &witness->taken;
}

/* What is in the queue may have been fetched before or after a topic was recreated. */
static bool is_due(const struct kafka_witness *witness, rd_kafka_queue_t *queue)
{
    int64_t age_ms = clock_ms() - witness->seen_ms;
    if (is_set(&witness->taken) || is_set(&witness->next))
        return age_ms >= SEEN_MS;
    return is_set(&witness->seen) && age_ms >= SEEN_MS &&
           (age_ms >= QUIET_MS || rd_kafka_queue_length(queue) > 0);
}

/* ---- reading ---- */

static enum usher_status begin_reading(struct kafka_witness *witness, struct usher_error *err)
{
    int64_t now_ms = clock_ms();
    if (now_ms - witness->asked_ms < AGAIN_MS)
        return USHER_RETRY;
    witness->asked_ms = now_ms;
    if (!is_set(&witness->taken)) {
        witness->taken = witness->next;
        witness->next.offset = OFFSET_NONE;
    }
    witness->is_reading =
        kafka_reader_start(witness->reader, witness->place, mark_of(witness)->offset,
                           &witness->reading, err) == USHER_OK;
    if (witness->is_reading)
        kafka_wake_on(witness->reading.queue, witness->wake);
    /* Earlier records did not set the eventfd. */
    if (witness->is_reading && rd_kafka_queue_length(witness->reading.queue) > 0)
        kafka_wake_set(witness->wake);
    return USHER_RETRY;
}

void kafka_witness_stop(struct kafka_witness *witness)
{
    if (witness->is_reading)
        kafka_reader_stop(&witness->reading);
    witness->is_reading = false;
}

/* ---- what it says ---- */

static enum usher_status recreated(const struct kafka_witness *witness, struct usher_error *err)
{
    usher_error_set(err, USHER_EXIT_CONFIG,
                    "the request at offset %" PRId64
                    " is not the one that was consumed: the topic was recreated",
                    mark_of(witness)->offset);
    return USHER_HALT;
}

/*
 * The record is not there. Retention may have deleted it; and a new leader shows it only when the
 * other replicas have heard of it, which its end takes into account, unlike what is read.
 */
static enum usher_status judge_absence(struct kafka_witness *witness, bool other_is_there,
                                       struct usher_error *err)
{
    struct kafka_bounds bounds;
    int64_t offset = mark_of(witness)->offset;
    if (kafka_reader_bounds(witness->reader, witness->place, BOUNDS_MS, &bounds, err) != USHER_OK)
        return USHER_RETRY;
    if (offset < bounds.start)
        return USHER_OK;
    return other_is_there || offset >= bounds.end ? recreated(witness, err) : USHER_RETRY;
}

static enum usher_status judge(struct kafka_witness *witness, const rd_kafka_message_t *message,
                               struct usher_error *err)
{
    const struct kafka_mark *mark = mark_of(witness);
    if (!message->err && message->offset == mark->offset)
        return fingerprint_of(message) == mark->fingerprint ? USHER_OK : recreated(witness, err);
    if (!message->err || message->err == RD_KAFKA_RESP_ERR__BAD_COMPRESSION) /* it could be read */
        return judge_absence(witness, true, err);
    if (message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF ||
        message->err == RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET)
        return judge_absence(witness, false, err);
    /* Says nothing about the record; and what is to end the worker, the group is told, too. */
    (void)kafka_fail(err, message->err, "could not read offset %" PRId64 " again", mark->offset);
    return USHER_RETRY;
}

static enum usher_status continue_reading(struct kafka_witness *witness, struct usher_error *err)
{
    rd_kafka_message_t *message;
    if (kafka_reader_next(&witness->reading, &message, 1, 0) == 1) {
        kafka_witness_stop(witness);
        enum usher_status status = judge(witness, message, err);
        rd_kafka_message_destroy(message);
        return status;
    }
    if (clock_ms() - witness->asked_ms > kafka_reader_timeout_ms(witness->reader)) {
        kafka_witness_stop(witness);
        (void)kafka_fail(err, RD_KAFKA_RESP_ERR__TIMED_OUT,
                         "could not read offset %" PRId64 " again", mark_of(witness)->offset);
    }
    return USHER_RETRY;
}

/* What was taken before the reading began is of this log, too. */
static enum usher_status read_again(struct kafka_witness *witness, struct usher_error *err)
{
    enum usher_status status =
        witness->is_reading ? continue_reading(witness, err) : begin_reading(witness, err);
    if (status != USHER_OK)
        return status;
    witness->seen_ms = witness->asked_ms;
    if (is_set(&witness->taken))
        witness->seen = witness->taken;
    witness->taken.offset = OFFSET_NONE;
    return USHER_OK;
}

enum usher_status kafka_witness_check(struct kafka_witness *witness, rd_kafka_queue_t *queue,
                                      struct usher_error *err)
{
    if (!witness->is_reading && !is_due(witness, queue))
        return USHER_OK;
    bool in_background = witness->asked_ms - witness->seen_ms < TRUST_MS;
    enum usher_status status = read_again(witness, err);
    /* One that began in the background tells too little where the process did not run since. */
    if (status == USHER_HALT || (status == USHER_OK && !in_background))
        return status;
    return clock_ms() - witness->seen_ms < TRUST_MS ? USHER_OK : USHER_RETRY;
}
