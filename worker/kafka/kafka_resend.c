/* Sends records to the topic of requests again, and waits until each has its result. */
#include "worker/kafka/kafka_resend.h"

#include <librdkafka/rdkafka.h>

#include "producer/base/clock.h"
#include "producer/base/log.h"
#include "worker/kafka/kafka_producer.h"

enum {
    POLL_MS = 100
};

static void send_record(struct kafka_producer *producer, struct kafka_resent *record, int64_t tag)
{
    const struct kafka_outgoing out = {
        .partition = RD_KAFKA_PARTITION_UA,
        .key = record->key,
        .key_size = record->key_size,
        .value = record->value,
        .value_size = record->value_size,
        .tag = tag,
    };
    record->done = kafka_producer_send(producer, &out, &record->error) != USHER_OK;
}

static void take_reports(rd_kafka_event_t *event, struct kafka_resent *records)
{
    const rd_kafka_message_t *message;
    while ((message = rd_kafka_event_message_next(event))) {
        struct kafka_resent *record = &records[kafka_tag(message)];
        record->done = true;
        if (message->err)
            usher_error_set(&record->error, USHER_EXIT_BAD_INPUT, "Kafka refused it: %s",
                            rd_kafka_err2str(message->err));
    }
}

static uint32_t count_open(const struct kafka_resent *records, uint32_t count)
{
    uint32_t open = 0;
    for (uint32_t i = 0; i < count; i++)
        open += !records[i].done;
    return open;
}

static enum usher_status await(const struct kafka_producer *producer, struct kafka_resent *records,
                               uint32_t count, int timeout_ms, struct usher_error *err)
{
    int64_t deadline_ms = clock_ms() + timeout_ms;
    while (count_open(records, count) > 0 && clock_ms() < deadline_ms) {
        rd_kafka_event_t *event = rd_kafka_queue_poll(producer->reports, POLL_MS);
        if (event && rd_kafka_event_type(event) == RD_KAFKA_EVENT_DR)
            take_reports(event, records);
        rd_kafka_event_destroy(event);
    }
    uint32_t open = count_open(records, count);
    if (open == 0)
        return USHER_OK;
    for (uint32_t i = 0; i < count; i++)
        if (!records[i].done)
            usher_error_set(&records[i].error, USHER_EXIT_UNAVAILABLE,
                            "Kafka did not take it within %d ms", timeout_ms);
    usher_error_set(err, USHER_EXIT_UNAVAILABLE,
                    "could not send all records: Kafka did not take %u of %u within %d ms", open,
                    count, timeout_ms);
    return USHER_RETRY;
}

enum usher_status kafka_resend(struct kafka_base *base, struct kafka_resent *records,
                               uint32_t count, int timeout_ms, struct usher_error *err)
{
    struct kafka_producer producer = {0};
    const struct log_context context = {0};
    const struct kafka_producer_plan plan = {
        .purpose = KAFKA_REQUEST_PRODUCER,
        .topic = kafka_base_topics(base)->requests,
        .context = &context,
        .wake = -1,
    };
    enum usher_status status = kafka_producer_open(&producer, base, &plan, err);
    for (uint32_t i = 0; status == USHER_OK && i < count; i++)
        if (!records[i].done)
            send_record(&producer, &records[i], i);
    if (status == USHER_OK)
        status = await(&producer, records, count, timeout_ms, err);
    kafka_producer_close(&producer, base);
    return status;
}
