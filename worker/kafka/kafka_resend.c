/* A producer of requests, for as long as it takes: see kafka_resend.h. */
#include "worker/kafka/kafka_resend.h"

#include "producer/base/clock.h"
#include "producer/kafka/kafka_errors.h"
#include "worker/kafka/kafka_producer.h"

enum {
    POLL_MS = 100
};

/* Counts what Kafka has; a message that it refused ends it. */
static enum usher_status count_reports(rd_kafka_event_t *event, uint32_t *delivered,
                                       struct usher_error *err)
{
    const rd_kafka_message_t *message;
    while ((message = rd_kafka_event_message_next(event))) {
        if (message->err)
            return kafka_fail(err, message->err, "could not send record %lld",
                              (long long)kafka_tag(message));
        ++*delivered;
    }
    return USHER_OK;
}

static enum usher_status await(const struct kafka_producer *producer, uint32_t count,
                               int timeout_ms, struct usher_error *err)
{
    uint32_t delivered = 0;
    enum usher_status status = USHER_OK;
    int64_t deadline_ms = clock_ms() + timeout_ms;
    while (status == USHER_OK && delivered < count && clock_ms() < deadline_ms) {
        rd_kafka_event_t *event = rd_kafka_queue_poll(producer->reports, POLL_MS);
        if (event && rd_kafka_event_type(event) == RD_KAFKA_EVENT_DR)
            status = count_reports(event, &delivered, err);
        rd_kafka_event_destroy(event);
    }
    if (status == USHER_OK && delivered < count) {
        usher_error_set(err, USHER_EXIT_UNAVAILABLE,
                        "could not send all records: Kafka took %u of %u within %d ms", delivered,
                        count, timeout_ms);
        status = USHER_RETRY;
    }
    return status;
}

enum usher_status kafka_resend(struct kafka_base *base, const struct kafka_resent *records,
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
    for (uint32_t i = 0; status == USHER_OK && i < count; i++) {
        const struct kafka_outgoing out = {
            .partition = RD_KAFKA_PARTITION_UA,
            .key = records[i].key,
            .key_size = records[i].key_size,
            .value = records[i].value,
            .value_size = records[i].value_size,
            .tag = i + 1,
        };
        status = kafka_producer_send(&producer, &out, err);
    }
    if (status == USHER_OK)
        status = await(&producer, count, timeout_ms, err);
    kafka_producer_close(&producer, base);
    return status;
}
