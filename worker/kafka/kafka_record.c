/* The key, value and headers of a message. */
#include "worker/kafka/kafka_record.h"

#include <ctype.h>
#include <string.h>

enum {
    /* A traceparent has 55 characters in version 00; later ones may be longer. */
    TRACEPARENT_MIN = 55,
    TRACEPARENT_MAX = 128,
    /* About what librdkafka takes for a header beside its name and value. */
    HEADER_SIZE = 100,
};

/* The value is stored as text and echoed, while a header may contain any bytes. */
static bool is_traceparent(const char *text, size_t size)
{
    if (size < TRACEPARENT_MIN || size > TRACEPARENT_MAX)
        return false;
    for (size_t i = 0; i < size; i++)
        if (text[i] != '-' && !isxdigit((unsigned char)text[i]))
            return false;
    return true;
}

static void read_headers(struct log_record *record, rd_kafka_message_t *message)
{
    rd_kafka_headers_t *headers;
    if (rd_kafka_message_headers(message, &headers) != RD_KAFKA_RESP_ERR_NO_ERROR)
        return;
    const char *name;
    const void *value;
    size_t size;
    for (size_t i = 0;
         rd_kafka_header_get_all(headers, i, &name, &value, &size) == RD_KAFKA_RESP_ERR_NO_ERROR;
         i++) {
        record->headers_size += HEADER_SIZE + strlen(name) + size;
        if (strncmp(name, "ce_", 3) == 0)
            record->cloud_events = true;
        if (strcmp(name, "traceparent") == 0 && value && is_traceparent(value, size)) {
            record->traceparent = value;
            record->traceparent_size = size;
        }
    }
}

bool kafka_is_noop(const rd_kafka_message_t *message)
{
    rd_kafka_headers_t *headers;
    const void *value;
    size_t size;
    return !message->err && !message->key && !message->payload &&
           rd_kafka_message_headers(message, &headers) == RD_KAFKA_RESP_ERR_NO_ERROR &&
           rd_kafka_header_get_last(headers, KAFKA_NOOP_HEADER, &value, &size) ==
               RD_KAFKA_RESP_ERR_NO_ERROR;
}

struct log_record kafka_record(rd_kafka_message_t *message)
{
    struct log_record record = {
        .offset = message->offset,
        .key = message->key,
        .key_size = message->key_len,
        .value = message->payload,
        .value_size = message->len,
        .handle = message,
    };
    read_headers(&record, message);
    return record;
}
