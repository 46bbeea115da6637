/* See kafka_producer.h: producers of answers and of no-op records. */
#include "worker/kafka/kafka_producer.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "producer/base/allocate.h"
#include "producer/base/clock.h"
#include "producer/kafka/kafka_errors.h"
#include "worker/kafka/kafka_disposal.h"
#include "worker/kafka/kafka_reader.h"
#include "worker/kafka/kafka_record.h"

/* ==== Producers ==== */

/* librdkafka carries an opaque pointer per message: here it is the tag itself. */
static_assert(sizeof(void *) == sizeof(int64_t), "a tag fits into a pointer");

static void *tag_pointer(int64_t tag)
{
    void *pointer;
    memcpy(&pointer, &tag, sizeof pointer);
    return pointer;
}

int64_t kafka_tag(const rd_kafka_message_t *message)
{
    int64_t tag;
    memcpy(&tag, &message->_private, sizeof tag);
    return tag;
}

/* librdkafka lacks const on arguments that it only copies. */
static void *unconst(const void *bytes)
{
    void *pointer;
    memcpy(&pointer, &bytes, sizeof pointer);
    return pointer;
}

/*
 * The outbox has its own limits, so the library's must never be reached. One request in flight at a
 * time: a broker accepts the first batch of a producer at any sequence number, also after it forgot
 * the producer, so an earlier one of several pipelined batches could be rejected for good when it
 * is retried, and leave a gap. Under load the next batch grows meanwhile.
 */
static const struct usher_property properties[] = {
    {"queue.buffering.max.messages", "10000000"},
    {"queue.buffering.max.kbytes", "2097151"},
    {"max.in.flight.requests.per.connection", "1"},
};

static rd_kafka_conf_t *configure(const struct kafka_base *base, enum kafka_purpose purpose,
                                  struct kafka_log *log, struct usher_error *err)
{
    rd_kafka_conf_t *conf = kafka_conf_new(kafka_base_settings(base), purpose, log, err);
    enum usher_status status = conf ? USHER_OK : USHER_FATAL;
    for (size_t i = 0; status == USHER_OK && i < sizeof properties / sizeof *properties; i++)
        status = kafka_conf_set(conf, properties[i].name, properties[i].value, err);
    if (status == USHER_OK) {
        rd_kafka_conf_set_events(conf, RD_KAFKA_EVENT_DR | RD_KAFKA_EVENT_ERROR);
        return conf;
    }
    if (conf)
        rd_kafka_conf_destroy(conf);
    return NULL;
}

enum usher_status kafka_producer_open(struct kafka_producer *producer, struct kafka_base *base,
                                      const struct kafka_producer_plan *plan,
                                      struct usher_error *err)
{
    struct kafka_log *log = memory_calloc(1, sizeof *log);
    log->context = *plan->context;
    rd_kafka_conf_t *conf = configure(base, plan->purpose, log, err);
    rd_kafka_t *handle = conf ? kafka_handle_new(RD_KAFKA_PRODUCER, conf, err) : NULL;
    if (!handle) {
        free(log);
        return USHER_FATAL;
    }
    *producer = (struct kafka_producer){
        .handle = handle,
        .reports = rd_kafka_queue_get_main(handle),
        .topic = rd_kafka_topic_new(handle, plan->topic, NULL),
        .log = log,
    };
    assert(producer->topic);
    kafka_wake_on(producer->reports, plan->wake);
    return USHER_OK;
}

void kafka_producer_close(struct kafka_producer *producer, struct kafka_base *base)
{
    if (!producer->handle)
        return;
    kafka_wake_on(producer->reports, -1);
    rd_kafka_queue_destroy(producer->reports);
    rd_kafka_topic_destroy(producer->topic);
    rd_kafka_purge(producer->handle, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_NON_BLOCKING);
    kafka_disposal_add(kafka_base_disposal(base), producer->handle, producer->log);
    *producer = (struct kafka_producer){0};
}

enum usher_status kafka_producer_send(struct kafka_producer *producer,
                                      const struct kafka_outgoing *out, struct usher_error *err)
{
    rd_kafka_vu_t parts[] = {
        {.vtype = RD_KAFKA_VTYPE_RKT, .u.rkt = producer->topic},
        {.vtype = RD_KAFKA_VTYPE_PARTITION, .u.i32 = out->partition},
        {.vtype = RD_KAFKA_VTYPE_MSGFLAGS, .u.i = RD_KAFKA_MSG_F_COPY},
        {.vtype = RD_KAFKA_VTYPE_KEY, .u.mem = {unconst(out->key), out->key_size}},
        {.vtype = RD_KAFKA_VTYPE_VALUE, .u.mem = {unconst(out->value), out->value_size}},
        {.vtype = RD_KAFKA_VTYPE_OPAQUE, .u.ptr = tag_pointer(out->tag)},
        {.vtype = RD_KAFKA_VTYPE_HEADERS, .u.headers = out->headers},
    };
    size_t count = sizeof parts / sizeof *parts - !out->headers;
    rd_kafka_error_t *error = rd_kafka_produceva(producer->handle, parts, count);
    if (!error)
        return USHER_OK;
    if (out->headers)
        rd_kafka_headers_destroy(out->headers);
    usher_error_set(err, USHER_EXIT_UNAVAILABLE, "could not publish seq %" PRId64 ": %s", out->tag,
                    rd_kafka_error_string(error));
    rd_kafka_error_destroy(error);
    return USHER_RETRY;
}

/* ==== No-op records ==== */

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
    log_failure(&noop->failure_log, &noop->context, LOG_LEVEL_WARNING,
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
    log_recovery(&noop->failure_log, &noop->context, "no-op records are appended again");
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
