/* No-op records: see kafka_noop.h. */
#include "worker/kafka/kafka_noop.h"

#include <assert.h>

#include "producer/base/clock.h"
#include "producer/kafka/kafka_errors.h"
#include "worker/kafka/kafka_record.h"

enum {
    INTERVAL_MS = 500
};

/* The memory of a producer that failed is of no use: another one is opened for the next. */
void kafka_noop_close(struct kafka_noop *noop)
{
    kafka_producer_close(&noop->producer, noop->base);
    noop->under_way = false;
}

static void fail(struct kafka_noop *noop, const struct usher_error *err)
{
    log_failure(&noop->trouble, &noop->context, LOG_LEVEL_WARNING,
                "%s; until then holds end with the next request only", err->text);
    kafka_noop_close(noop);
}

static enum usher_status open_producer(struct kafka_noop *noop, struct usher_error *err)
{
    const struct kafka_producer_plan plan = {
        .purpose = KAFKA_REQUEST_PRODUCER,
        .topic = kafka_base_topics(noop->base)->requests,
        .context = &noop->context,
        .wake = noop->wake,
    };
    if (noop->producer.handle)
        return USHER_OK;
    return kafka_producer_open(&noop->producer, noop->base, &plan, err);
}

void kafka_noop_send(struct kafka_noop *noop)
{
    struct usher_error err;
    int64_t now_ms = clock_ms();
    if (noop->under_way || now_ms - noop->sent_ms < INTERVAL_MS)
        return;
    noop->sent_ms = now_ms;
    enum usher_status status = open_producer(noop, &err);
    if (status == USHER_OK) {
        struct kafka_outgoing out = {.partition = noop->partition,
                                     .headers = rd_kafka_headers_new(1)};
        rd_kafka_resp_err_t code = rd_kafka_header_add(out.headers, KAFKA_NOOP_HEADER, -1, "", 0);
        assert(code == RD_KAFKA_RESP_ERR_NO_ERROR);
        status = kafka_producer_send(&noop->producer, &out, &err);
    }
    noop->under_way = status == USHER_OK;
    if (status != USHER_OK)
        fail(noop, &err);
}

static enum usher_status take_report(struct kafka_noop *noop, rd_kafka_resp_err_t code,
                                     int64_t offset, struct usher_error *err)
{
    if (code)
        return kafka_fail(err, code, "could not append a no-op record to topic \"%s\"",
                          kafka_base_topics(noop->base)->requests);
    noop->under_way = false;
    noop->appended_ms = noop->sent_ms;
    noop->end = offset + 1;
    log_recovery(&noop->trouble, &noop->context, "no-op records are appended again");
    return USHER_OK;
}

static enum usher_status take_event(struct kafka_noop *noop, rd_kafka_event_t *event,
                                    struct usher_error *err)
{
    if (rd_kafka_event_type(event) == RD_KAFKA_EVENT_DR) {
        const rd_kafka_message_t *message = rd_kafka_event_message_next(event);
        return take_report(noop, message->err, message->offset, err);
    }
    bool is_fatal =
        rd_kafka_event_type(event) == RD_KAFKA_EVENT_ERROR && rd_kafka_event_error_is_fatal(event);
    return is_fatal ? take_report(noop, rd_kafka_event_error(event), -1, err) : USHER_OK;
}

void kafka_noop_serve(struct kafka_noop *noop)
{
    rd_kafka_event_t *event;
    struct usher_error err;
    enum usher_status status = USHER_OK;
    while (status == USHER_OK && noop->producer.handle &&
           (event = rd_kafka_queue_poll(noop->producer.reports, 0))) {
        status = take_event(noop, event, &err);
        rd_kafka_event_destroy(event);
    }
    if (status != USHER_OK)
        fail(noop, &err);
}
