/* Answers and dead letters as records: see kafka_answer.h. */
#include "worker/kafka/kafka_answer.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "producer/codec/answer_encode.h"

static void add_header(rd_kafka_headers_t *headers, const char *name, const char *value)
{
    rd_kafka_resp_err_t code = rd_kafka_header_add(headers, name, -1, value, -1);
    assert(code == RD_KAFKA_RESP_ERR_NO_ERROR);
}

static void add_number(rd_kafka_headers_t *headers, const char *name, int64_t number)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, number);
    add_header(headers, name, text);
}

enum usher_status kafka_answer_value(const struct decision_row *row, int32_t partition,
                                     struct usher_buffer *out, struct usher_error *err)
{
    if (row->codec != USHER_CODEC_VERSION) {
        usher_error_set(err, USHER_EXIT_CONFIG,
                        "could not publish seq %" PRId64 ": it was written in version %d, this "
                        "program knows %d: run the newer program",
                        row->seq, (int)row->codec, USHER_CODEC_VERSION);
        return USHER_HALT;
    }
    struct usher_answer answer;
    usher_answer_init(&answer);
    answer.request_id = row->request_id;
    answer.op = row->op;
    answer.resource = row->resource;
    answer.client = row->client;
    answer.replayed = row->replayed;
    answer.seq = row->seq;
    answer.epoch = row->epoch;
    answer.source_partition = partition;
    answer.source_offset = row->source_offset == OFFSET_NONE ? USHER_ABSENT : row->source_offset;
    answer_wrap(&answer, row->body, row->body_size, out);
    return USHER_OK;
}

/* https://github.com/cloudevents/spec, Kafka protocol binding, binary content mode. */
static void add_cloud_events(rd_kafka_headers_t *headers, const struct decision_row *row,
                             int32_t partition, const struct usher_topic_names *topics)
{
    char text[USHER_TOPIC_NAME_SIZE + 32];
    add_header(headers, "ce_specversion", "1.0");
    snprintf(text, sizeof text, "%" PRId32 "-%" PRId64, partition, row->seq);
    add_header(headers, "ce_id", text);
    snprintf(text, sizeof text, "/usher/%s", topics->results);
    add_header(headers, "ce_source", text);
    snprintf(text, sizeof text, "usher.%s", usher_outcome_name(row->outcome));
    add_header(headers, "ce_type", text);
    usher_instant_format(row->decided_ms, text);
    add_header(headers, "ce_time", text);
    add_header(headers, "content-type", "application/json");
}

rd_kafka_headers_t *kafka_answer_headers(const struct decision_row *row, int32_t partition,
                                         const struct usher_topic_names *topics)
{
    if (!row->traceparent && !row->client && !row->cloud_events)
        return NULL;
    rd_kafka_headers_t *headers = rd_kafka_headers_new(8);
    if (row->traceparent)
        add_header(headers, "traceparent", row->traceparent);
    if (row->client)
        add_header(headers, "client", row->client);
    if (row->cloud_events)
        add_cloud_events(headers, row, partition, topics);
    return headers;
}

rd_kafka_headers_t *kafka_dead_letter_headers(const struct dead_letter_row *row, int32_t partition,
                                              const struct usher_topic_names *topics)
{
    char time[USHER_INSTANT_SIZE];
    rd_kafka_headers_t *headers = rd_kafka_headers_new(9);
    add_header(headers, "dlq-reason", usher_reason_name(row->reason));
    if (row->detail)
        add_header(headers, "dlq-detail", row->detail);
    if (row->request_id)
        add_header(headers, "dlq-request-id", row->request_id);
    usher_instant_format(row->decided_ms, time);
    add_header(headers, "dlq-time", time);
    add_header(headers, "dlq-topic", topics->requests);
    add_number(headers, "dlq-partition", partition);
    add_number(headers, "dlq-offset", row->source_offset);
    /* By this name tools for dead letters of Kafka Connect show what was wrong. */
    if (row->detail)
        add_header(headers, "__connect.errors.exception.message", row->detail);
    if (row->truncated || row->value_size > KAFKA_DEAD_LETTER_MAX || row->key_size > RECORD_KEY_MAX)
        add_header(headers, "dlq-truncated", "true");
    return headers;
}
