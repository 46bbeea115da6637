/*
 * The outbox of one partition: see kafka_outbox.h. Answers go through a gapless idempotent producer
 * with one request under way at a time: a broker takes a new producer's first batch at any sequence
 * number, so of several pipelined ones an earlier, retried one could be refused and leave a hole.
 */
#include "kafka_outbox.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "delivered.h"
#include "kafka_answer.h"
#include "kafka_handles.h"
#include "kafka_scan.h"

enum {
    QUEUE_LIMIT = 20000,
    QUEUE_BYTES = 64 * 1024 * 1024,
    DELIVERY_TIMEOUT_MS = 30000,
};

/* A producer and what its reports come by. All NULL: closed. */
struct producer {
    rd_kafka_t *handle;
    rd_kafka_queue_t *reports;
    rd_kafka_topic_t *topic;
    struct kafka_log *log; /* goes with the handle */
};

struct kafka_outbox {
    struct kafka_base *base;
    struct kafka_outbox_settings settings;
    const struct usher_topic_names *topics;
    struct log_context context;
    int wake;

    struct producer answers;
    struct producer letters; /* opened when the first is needed */
    struct usher_buffer value;

    struct kafka_standing standing; /* as scanned: from here on it is published */
    struct delivered delivered;
    size_t unreported_bytes;
    int64_t progress_ms; /* of the last report, or when the queue began to fill */
    struct log_limit letter_refused;

    enum usher_status failed;
    struct usher_error error;
};

/* librdkafka carries a pointer with each message: ours is the seq itself. */
static_assert(sizeof(void *) == sizeof(int64_t), "a seq fits into a pointer");

static void *tag_pointer(int64_t tag)
{
    void *pointer;
    memcpy(&pointer, &tag, sizeof(pointer));
    return pointer;
}

static int64_t pointer_tag(const void *pointer)
{
    int64_t tag;
    memcpy(&tag, &pointer, sizeof(tag));
    return tag;
}

/* The library takes what it copies without const. */
static void *unconst(const void *bytes)
{
    void *pointer;
    memcpy(&pointer, &bytes, sizeof(pointer));
    return pointer;
}

/* ---- producers ---- */

static enum usher_status configure(rd_kafka_conf_t *conf, struct usher_error *err)
{
    /* The outbox has limits of its own; the library's must never be met. */
    static const struct usher_property properties[] = {
        {"queue.buffering.max.messages", "10000000"},
        {"queue.buffering.max.kbytes", "2097151"},
        {"max.in.flight.requests.per.connection", "1"},
    };
    enum usher_status status = USHER_OK;
    for (size_t i = 0; status == USHER_OK && i < sizeof(properties) / sizeof(properties[0]); i++)
        status = kafka_conf_set(conf, properties[i].name, properties[i].value, err);
    rd_kafka_conf_set_events(conf, RD_KAFKA_EVENT_DR | RD_KAFKA_EVENT_ERROR);
    return status;
}

static void producer_close(struct kafka_outbox *outbox, struct producer *producer)
{
    if (producer->handle == NULL)
        return;
    kafka_wake_on(producer->reports, -1);
    rd_kafka_queue_destroy(producer->reports);
    rd_kafka_topic_destroy(producer->topic);
    rd_kafka_purge(producer->handle, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT |
                                         RD_KAFKA_PURGE_F_NON_BLOCKING);
    kafka_base_discard(outbox->base, producer->handle, producer->log);
    *producer = (struct producer){0};
}

static enum usher_status producer_open(struct kafka_outbox *outbox, struct producer *producer,
                                       enum kafka_purpose purpose, const char *topic,
                                       struct usher_error *err)
{
    struct kafka_log *log = calloc(1, sizeof(*log));
    assert(log != NULL);
    log->context = outbox->context;
    rd_kafka_conf_t *conf = kafka_conf_new(kafka_base_settings(outbox->base), purpose, log, err);
    if (conf != NULL && configure(conf, err) != USHER_OK) {
        rd_kafka_conf_destroy(conf);
        conf = NULL;
    }
    rd_kafka_t *handle = conf == NULL ? NULL : kafka_handle_new(RD_KAFKA_PRODUCER, conf, err);
    if (handle == NULL) {
        free(log);
        return USHER_FATAL;
    }
    *producer = (struct producer){
        .handle = handle,
        .reports = rd_kafka_queue_get_main(handle),
        .topic = rd_kafka_topic_new(handle, topic, NULL),
        .log = log,
    };
    assert(producer->topic != NULL);
    kafka_wake_on(producer->reports, outbox->wake);
    return USHER_OK;
}

/* Forgets everything queued: the next owner, or the next open, publishes it again. */
static void close_producers(struct kafka_outbox *outbox)
{
    producer_close(outbox, &outbox->answers);
    producer_close(outbox, &outbox->letters);
    outbox->unreported_bytes = 0;
    outbox->failed = USHER_OK;
}

static enum usher_status outbox_open(void *self, struct usher_error *err)
{
    struct kafka_outbox *outbox = self;
    close_producers(outbox);
    delivered_start(&outbox->delivered, outbox->standing.last_seq, outbox->standing.last_offset);
    return producer_open(outbox, &outbox->answers, KAFKA_RESULT_PRODUCER, outbox->topics->results,
                         err);
}

static enum usher_status outbox_scan(void *self, const struct position *position, int64_t *last_seq,
                                     int64_t *last_offset, int64_t *highest_seq,
                                     struct usher_error *err)
{
    struct kafka_outbox *outbox = self;
    struct kafka_standing standing;
    struct kafka_place place = kafka_base_results(outbox->base, outbox->settings.partition);
    enum usher_status status = kafka_scan(outbox->base, place, position, &standing, err);
    if (status != USHER_OK)
        return status;
    outbox->standing = standing;
    delivered_start(&outbox->delivered, standing.last_seq, standing.last_offset);
    *last_seq = standing.last_seq;
    *last_offset = standing.last_offset;
    *highest_seq = standing.highest_seq;
    return USHER_OK;
}

/* ---- queueing ---- */

/* A message to be queued; `tag` comes back with its report. */
struct outgoing {
    int32_t partition;
    const void *key;
    size_t key_size;
    const void *value;
    size_t value_size;
    rd_kafka_headers_t *headers; /* taken; may be NULL */
    int64_t tag;
};

static enum usher_status fail(struct kafka_outbox *outbox, struct usher_error *err)
{
    if (err != NULL)
        *err = outbox->error;
    return outbox->failed;
}

static uint32_t unreported(const struct kafka_outbox *outbox)
{
    return outbox->delivered.unreported + outbox->delivered.letters_unreported;
}

/* Copies key and value. Whatever is wrong with a producer, a new one and a scan mend it. */
static void produce(struct kafka_outbox *outbox, struct producer *producer,
                    const struct outgoing *out)
{
    size_t key_size = out->key_size < KAFKA_KEY_MAX ? out->key_size : KAFKA_KEY_MAX;
    rd_kafka_vu_t parts[] = {
        {.vtype = RD_KAFKA_VTYPE_RKT, .u.rkt = producer->topic},
        {.vtype = RD_KAFKA_VTYPE_PARTITION, .u.i32 = out->partition},
        {.vtype = RD_KAFKA_VTYPE_MSGFLAGS, .u.i = RD_KAFKA_MSG_F_COPY},
        {.vtype = RD_KAFKA_VTYPE_KEY, .u.mem = {unconst(out->key), key_size}},
        {.vtype = RD_KAFKA_VTYPE_VALUE, .u.mem = {unconst(out->value), out->value_size}},
        {.vtype = RD_KAFKA_VTYPE_OPAQUE, .u.ptr = tag_pointer(out->tag)},
        {.vtype = RD_KAFKA_VTYPE_HEADERS, .u.headers = out->headers},
    };
    if (unreported(outbox) == 0)
        outbox->progress_ms = kafka_now_ms();
    size_t count = sizeof(parts) / sizeof(parts[0]) - (out->headers == NULL);
    rd_kafka_error_t *error = rd_kafka_produceva(producer->handle, parts, count);
    if (error == NULL) {
        outbox->unreported_bytes += out->value_size;
        return;
    }
    if (out->headers != NULL)
        rd_kafka_headers_destroy(out->headers);
    outbox->failed = USHER_RETRY;
    usher_error_set(&outbox->error, USHER_EXIT_UNAVAILABLE, "could not publish seq %" PRId64 ": %s",
                    out->tag, rd_kafka_error_string(error));
    rd_kafka_error_destroy(error);
}

static enum usher_status outbox_publish(void *self, const struct decision_row *row,
                                        struct usher_error *err)
{
    struct kafka_outbox *outbox = self;
    if (outbox->failed != USHER_OK)
        return fail(outbox, err);
    assert(outbox->answers.handle != NULL);
    outbox->value.size = 0;
    int32_t partition = outbox->settings.partition;
    enum usher_status status = kafka_answer_value(row, partition, &outbox->value, err);
    if (status != USHER_OK)
        return status;
    struct outgoing out = {
        .partition = partition,
        .key = row->key,
        .key_size = row->key_size,
        .value = outbox->value.at,
        .value_size = outbox->value.size,
        .headers = kafka_answer_headers(row, partition, outbox->topics),
        .tag = row->seq,
    };
    produce(outbox, &outbox->answers, &out);
    if (outbox->failed != USHER_OK)
        return fail(outbox, err);
    delivered_sent(&outbox->delivered, row->seq);
    return USHER_OK;
}

static enum usher_status outbox_dead_letter(void *self, const struct dead_letter_row *row,
                                            struct usher_error *err)
{
    struct kafka_outbox *outbox = self;
    if (outbox->failed != USHER_OK)
        return fail(outbox, err);
    if (outbox->letters.handle == NULL) {
        enum usher_status status =
            producer_open(outbox, &outbox->letters, KAFKA_DEAD_LETTER_PRODUCER,
                          outbox->topics->dead_letters, err);
        if (status != USHER_OK)
            return status;
    }
    struct outgoing out = {
        .partition = RD_KAFKA_PARTITION_UA,
        .key = row->key,
        .key_size = row->key_size,
        .value = row->value,
        .value_size =
            row->value_size < KAFKA_DEAD_LETTER_MAX ? row->value_size : KAFKA_DEAD_LETTER_MAX,
        .headers = kafka_dead_letter_headers(row, outbox->settings.partition, outbox->topics),
        .tag = row->seq,
    };
    produce(outbox, &outbox->letters, &out);
    if (outbox->failed != USHER_OK)
        return fail(outbox, err);
    delivered_letter_sent(&outbox->delivered, row->seq);
    return USHER_OK;
}

/* ---- reports ---- */

static void give_up(struct kafka_outbox *outbox, const char *why, int64_t seq)
{
    if (outbox->failed != USHER_OK)
        return;
    outbox->failed = USHER_RETRY;
    usher_error_set(&outbox->error, USHER_EXIT_UNAVAILABLE, "could not publish seq %" PRId64 ": %s",
                    seq, why);
}

static void report_answer(struct kafka_outbox *outbox, const rd_kafka_message_t *message)
{
    int64_t seq = pointer_tag(message->_private);
    if (message->err)
        give_up(outbox, rd_kafka_err2str(message->err), seq);
    else if (!delivered_report(&outbox->delivered, seq, message->offset))
        give_up(outbox, "the log does not have it in order", seq);
}

/* What no broker takes is left in the database's table of dead letters: it must not stop the rest.
 */
static void report_letter(struct kafka_outbox *outbox, const rd_kafka_message_t *message)
{
    int64_t seq = pointer_tag(message->_private);
    if (message->err && kafka_status(message->err, NULL) != USHER_REJECT) {
        give_up(outbox, rd_kafka_err2str(message->err), seq);
        return;
    }
    if (message->err)
        log_failure(&outbox->letter_refused, &outbox->context, LOG_LEVEL_ERROR,
                    "could not dead-letter seq %" PRId64 " to \"%s\", it stays in the database: %s",
                    seq, outbox->topics->dead_letters, rd_kafka_err2str(message->err));
    if (!delivered_letter_report(&outbox->delivered, seq))
        give_up(outbox, "the log does not have it in order", seq);
}

/* Errors of the producer as a whole; what librdkafka mends by itself, it has logged. */
static void meet_error(struct kafka_outbox *outbox, rd_kafka_event_t *event)
{
    if (rd_kafka_event_error_is_fatal(event))
        give_up(outbox, rd_kafka_event_error_string(event), outbox->delivered.passed_seq + 1);
}

static void serve_event(struct kafka_outbox *outbox, const struct producer *producer,
                        rd_kafka_event_t *event)
{
    const rd_kafka_message_t *message;
    if (rd_kafka_event_type(event) == RD_KAFKA_EVENT_ERROR)
        meet_error(outbox, event);
    if (rd_kafka_event_type(event) != RD_KAFKA_EVENT_DR)
        return;
    outbox->progress_ms = kafka_now_ms();
    while (outbox->failed == USHER_OK && (message = rd_kafka_event_message_next(event)) != NULL) {
        outbox->unreported_bytes -= message->len;
        if (producer == &outbox->answers)
            report_answer(outbox, message);
        else
            report_letter(outbox, message);
    }
}

static void serve(struct kafka_outbox *outbox, const struct producer *producer)
{
    rd_kafka_event_t *event;
    while (outbox->failed == USHER_OK && producer->handle != NULL &&
           (event = rd_kafka_queue_poll(producer->reports, 0)) != NULL) {
        serve_event(outbox, producer, event);
        rd_kafka_event_destroy(event);
    }
}

static enum usher_status outbox_poll(void *self, int64_t *published_seq, int64_t *published_offset,
                                     struct usher_error *err)
{
    struct kafka_outbox *outbox = self;
    kafka_wake_clear(outbox->wake);
    serve(outbox, &outbox->answers);
    serve(outbox, &outbox->letters);
    delivered_position(&outbox->delivered, published_seq, published_offset);
    if (unreported(outbox) > 0 &&
        kafka_now_ms() - outbox->progress_ms > outbox->settings.delivery_timeout_ms)
        give_up(outbox, "Kafka did not take it in time", outbox->delivered.passed_seq + 1);
    return outbox->failed == USHER_OK ? USHER_OK : fail(outbox, err);
}

static int outbox_descriptor(void *self)
{
    return ((struct kafka_outbox *)self)->wake;
}

static uint32_t outbox_pending(void *self)
{
    return unreported(self);
}

static bool outbox_has_room(void *self)
{
    const struct kafka_outbox *outbox = self;
    return unreported(outbox) < outbox->settings.queue_limit &&
           outbox->unreported_bytes < outbox->settings.queue_bytes;
}

/* ---- life ---- */

struct kafka_outbox *kafka_outbox_new(struct kafka_base *base,
                                      const struct kafka_outbox_settings *settings)
{
    struct kafka_outbox *outbox = calloc(1, sizeof(*outbox));
    assert(outbox != NULL);
    outbox->base = base;
    outbox->settings = *settings;
    if (settings->queue_limit == 0)
        outbox->settings.queue_limit = QUEUE_LIMIT;
    if (settings->queue_bytes == 0)
        outbox->settings.queue_bytes = QUEUE_BYTES;
    if (settings->delivery_timeout_ms == 0)
        outbox->settings.delivery_timeout_ms = DELIVERY_TIMEOUT_MS;
    outbox->topics = kafka_base_topics(base);
    outbox->context = log_context_with(NULL, "partition=%" PRId32, settings->partition);
    outbox->wake = kafka_wake_new();
    outbox->standing.last_offset = OFFSET_NONE;
    delivered_init(&outbox->delivered);
    return outbox;
}

void kafka_outbox_close(struct kafka_outbox *outbox)
{
    if (outbox == NULL)
        return;
    close_producers(outbox);
    close(outbox->wake);
    usher_buffer_deinit(&outbox->value);
    delivered_deinit(&outbox->delivered);
    free(outbox);
}

struct outbox_port kafka_outbox_port(struct kafka_outbox *outbox)
{
    return (struct outbox_port){
        .self = outbox,
        .open = outbox_open,
        .scan = outbox_scan,
        .publish = outbox_publish,
        .dead_letter = outbox_dead_letter,
        .poll = outbox_poll,
        .descriptor = outbox_descriptor,
        .pending = outbox_pending,
        .has_room = outbox_has_room,
    };
}
