/* Reads the result log from the published position to its end, and follows the seqs. */
#include "worker/kafka/kafka_scan.h"

#include <inttypes.h>

#include "producer/kafka/kafka_errors.h"
#include "worker/kafka/answer_tail.h"

enum {
    SCAN_BATCH = 1000
};

struct scan {
    const struct position *position;
    struct consumer_position consumer;
    int64_t next_offset; /* to be read next */
    struct usher_error *err;
};

/* HALT: only usher writes to this log, so an operator must look before anything is appended. */
static enum usher_status other_log(const struct scan *scan, const char *instead)
{
    usher_error_set(scan->err, USHER_EXIT_CONFIG,
                    "the result log is not the one that was published to: seq %" PRId64
                    " should be at offset %" PRId64
                    ", %s: was the topic deleted and recreated, or is USHER_TOPIC_PREFIX or "
                    "USHER_KAFKA_BROKERS that of another installation?",
                    scan->position->published_seq, scan->position->published_offset, instead);
    return USHER_HALT;
}

/* Skips records that are not answers, as a consumer does. */
static enum usher_status read_record(struct scan *scan, const rd_kafka_message_t *message)
{
    int64_t seq = 0;
    bool is_answer = answer_tail_seq(message->payload, message->len, &seq);
    if (message->offset == scan->position->published_offset &&
        (!is_answer || seq != scan->position->published_seq))
        return other_log(scan, "where something else is");
    scan->next_offset = message->offset + 1;
    if (!is_answer)
        return USHER_OK;
    if (seq > scan->consumer.highest_seq)
        scan->consumer.highest_seq = seq;
    if (seq == scan->consumer.last_seq + 1) {
        scan->consumer.last_seq = seq;
        scan->consumer.last_offset = message->offset;
    }
    return USHER_OK;
}

static enum usher_status read_message(struct scan *scan, const rd_kafka_message_t *message)
{
    if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR)
        return read_record(scan, message);
    if (message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
        scan->next_offset = message->offset;
        return USHER_OK;
    }
    enum usher_status status =
        kafka_fail(scan->err, message->err, "could not read the result log at offset %" PRId64,
                   scan->next_offset);
    /* Retention may delete what is being read: the next scan begins at the new start of the log. */
    return status == USHER_HALT ? USHER_RETRY : status;
}

static enum usher_status read_batch(struct scan *scan, struct kafka_reading *reading,
                                    int timeout_ms)
{
    rd_kafka_message_t *messages[SCAN_BATCH];
    enum usher_status status = USHER_OK;
    size_t count = kafka_reader_next(reading, messages, SCAN_BATCH, timeout_ms);
    for (size_t i = 0; i < count; i++) {
        if (status == USHER_OK)
            status = read_message(scan, messages[i]);
        rd_kafka_message_destroy(messages[i]);
    }
    if (count > 0)
        return status;
    return kafka_fail(scan->err, RD_KAFKA_RESP_ERR__TIMED_OUT,
                      "could not read the result log at offset %" PRId64, scan->next_offset);
}

static enum usher_status read_to(struct scan *scan, struct kafka_reader *reader,
                                 struct kafka_place place, int64_t end)
{
    struct kafka_reading reading;
    if (scan->next_offset >= end)
        return USHER_OK;
    enum usher_status status =
        kafka_reader_start(reader, place, scan->next_offset, &reading, scan->err);
    if (status != USHER_OK)
        return status;
    while (status == USHER_OK && scan->next_offset < end)
        status = read_batch(scan, &reading, kafka_reader_timeout_ms(reader));
    kafka_reader_stop(&reading);
    return status;
}

enum usher_status kafka_scan(struct kafka_reader *reader, struct kafka_place place,
                             const struct position *position, struct consumer_position *found,
                             struct usher_error *err)
{
    struct scan scan = {
        .position = position,
        .consumer = {position->published_seq, position->published_offset, position->published_seq},
        .err = err,
    };
    struct kafka_bounds bounds;
    enum usher_status status =
        kafka_reader_bounds(reader, place, kafka_reader_timeout_ms(reader), &bounds, err);
    if (status != USHER_OK)
        return status;
    if (position->published_offset != OFFSET_NONE && bounds.end <= position->published_offset)
        return other_log(&scan, "but the log ends before that");
    scan.next_offset =
        position->published_offset > bounds.start ? position->published_offset : bounds.start;
    status = read_to(&scan, reader, place, bounds.end);
    if (status == USHER_OK)
        *found = scan.consumer;
    return status;
}
