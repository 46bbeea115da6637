/*
 * The outbox of one partition: see kafka_outbox.h. Answers go through a gapless producer; dead
 * letters, which may be refused for their size, through another, so that they cannot block it.
 */
#include "worker/kafka/kafka_outbox.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "producer/base/allocate.h"
#include "producer/base/clock.h"
#include "producer/kafka/kafka_errors.h"
#include "worker/kafka/delivered.h"
#include "worker/kafka/kafka_answer.h"
#include "worker/kafka/kafka_burst.h"
#include "worker/kafka/kafka_producer.h"
#include "worker/kafka/kafka_scan.h"
#include "worker/kafka/kafka_wake.h"

enum {
    QUEUE_LIMIT = 20000,
    QUEUE_BYTES = 64 * 1024 * 1024,
    DELIVERY_TIMEOUT_MS = 30000,
};

struct kafka_outbox {
    struct kafka_base *base;
    struct kafka_outbox_settings settings;
    const struct usher_topic_names *topics;
    struct log_context context;
    int wake;

    struct kafka_producer answers;
    struct kafka_producer letters; /* opened when the first is needed */
    struct usher_buffer value;
    struct kafka_burst burst; /* answers that wait until those in flight are reported */
    uint32_t in_flight;       /* answers that the producer has */
    bool known;               /* to the brokers, the producer: an answer of its is in the log */

    struct consumer_position scanned; /* publishing starts after it */
    struct delivered delivered;
    size_t unreported_bytes;
    /* When each producer last reported, or its queue began to fill: one for each, because a topic
     * that accepts nothing must be noticed while the other one does. */
    int64_t answers_progress_ms, letters_progress_ms;
    struct log_limit letter_rejected;

    enum usher_status failed; /* RETRY: nothing is sent until the outbox is opened again */
    struct usher_error error;
};

static enum usher_status outcome(const struct kafka_outbox *outbox, struct usher_error *err)
{
    if (outbox->failed != USHER_OK)
        usher_error_set(err, outbox->error.exit_code, "%s", outbox->error.text);
    return outbox->failed;
}

static void fail(struct kafka_outbox *outbox, int64_t seq, const char *why)
{
    if (outbox->failed != USHER_OK)
        return;
    outbox->failed = USHER_RETRY;
    usher_error_set(&outbox->error, USHER_EXIT_UNAVAILABLE, "could not publish seq %" PRId64 ": %s",
                    seq, why);
}

static uint32_t unreported(const struct kafka_outbox *outbox)
{
    return outbox->delivered.unreported + outbox->delivered.letters_unreported;
}

static bool outbox_has_room(void *self)
{
    const struct kafka_outbox *outbox = self;
    return unreported(outbox) < outbox->settings.queue_limit &&
           outbox->unreported_bytes < outbox->settings.queue_bytes;
}

/* ---- opening ---- */

/* Drops everything queued: the next open, or the next owner, publishes it again. */
static void close_producers(struct kafka_outbox *outbox)
{
    kafka_producer_close(&outbox->answers, outbox->base);
    kafka_producer_close(&outbox->letters, outbox->base);
    kafka_burst_clear(&outbox->burst);
    outbox->in_flight = 0;
    outbox->known = false;
    delivered_start(&outbox->delivered, outbox->scanned.last_seq, outbox->scanned.last_offset);
    outbox->unreported_bytes = 0;
    outbox->failed = USHER_OK;
}

static enum usher_status outbox_open(void *self, struct usher_error *err)
{
    struct kafka_outbox *outbox = self;
    const struct kafka_producer_plan plan = {
        .purpose = KAFKA_RESULT_PRODUCER,
        .topic = outbox->topics->results,
        .context = &outbox->context,
        .wake = outbox->wake,
    };
    close_producers(outbox);
    return kafka_producer_open(&outbox->answers, outbox->base, &plan, err);
}

static enum usher_status open_letters(struct kafka_outbox *outbox, struct usher_error *err)
{
    const struct kafka_producer_plan plan = {
        .purpose = KAFKA_DEAD_LETTER_PRODUCER,
        .topic = outbox->topics->dead_letters,
        .context = &outbox->context,
        .wake = outbox->wake,
    };
    if (outbox->letters.handle)
        return USHER_OK;
    return kafka_producer_open(&outbox->letters, outbox->base, &plan, err);
}

static enum usher_status outbox_scan(void *self, const struct position *position, int64_t *last_seq,
                                     int64_t *last_offset, int64_t *highest_seq,
                                     struct usher_error *err)
{
    struct kafka_outbox *outbox = self;
    struct consumer_position scanned;
    struct kafka_reader *reader = kafka_base_reader(outbox->base);
    struct kafka_place place = kafka_reader_results(reader, outbox->settings.partition);
    close_producers(outbox); /* what they still have queued would be published twice */
    enum usher_status status = kafka_scan(reader, place, position, &scanned, err);
    if (status != USHER_OK)
        return status;
    outbox->scanned = scanned;
    delivered_start(&outbox->delivered, scanned.last_seq, scanned.last_offset);
    *last_seq = scanned.last_seq;
    *last_offset = scanned.last_offset;
    *highest_seq = scanned.highest_seq;
    return USHER_OK;
}

/* ---- reports ---- */

static void report_answer(struct kafka_outbox *outbox, const rd_kafka_message_t *message)
{
    int64_t seq = kafka_tag(message);
    outbox->in_flight--;
    outbox->known = outbox->known || !message->err;
    if (message->err)
        fail(outbox, seq, rd_kafka_err2str(message->err));
    else if (!delivered_report(&outbox->delivered, seq, message->offset))
        fail(outbox, seq, "it is out of order in the log");
}

/* A dead letter that the broker rejects remains in the database: it must not block the rest. */
static void report_letter(struct kafka_outbox *outbox, const rd_kafka_message_t *message)
{
    int64_t seq = kafka_tag(message);
    if (message->err && kafka_status(message->err, NULL) != USHER_REJECT) {
        fail(outbox, seq, rd_kafka_err2str(message->err));
        return;
    }
    if (message->err)
        log_failure(&outbox->letter_rejected, &outbox->context, LOG_LEVEL_ERROR,
                    "could not dead-letter seq %" PRId64 ", it remains in the database: %s", seq,
                    rd_kafka_err2str(message->err));
    if (!delivered_letter_report(&outbox->delivered, seq))
        fail(outbox, seq, "it is out of order in the log");
}

static void report_deliveries(struct kafka_outbox *outbox, rd_kafka_event_t *event, bool is_answers)
{
    const rd_kafka_message_t *message;
    *(is_answers ? &outbox->answers_progress_ms : &outbox->letters_progress_ms) = clock_ms();
    while (outbox->failed == USHER_OK && (message = rd_kafka_event_message_next(event))) {
        outbox->unreported_bytes -= message->len;
        if (is_answers)
            report_answer(outbox, message);
        else
            report_letter(outbox, message);
    }
}

static void serve_events(struct kafka_outbox *outbox, const struct kafka_producer *producer)
{
    rd_kafka_event_t *event;
    while (outbox->failed == USHER_OK && producer->handle &&
           (event = rd_kafka_queue_poll(producer->reports, 0))) {
        rd_kafka_event_type_t type = rd_kafka_event_type(event);
        if (type == RD_KAFKA_EVENT_DR)
            report_deliveries(outbox, event, producer == &outbox->answers);
        /* librdkafka retries after other errors by itself, and has logged them. */
        if (type == RD_KAFKA_EVENT_ERROR && rd_kafka_event_error_is_fatal(event))
            fail(outbox, outbox->delivered.passed_seq + 1, rd_kafka_event_error_string(event));
        rd_kafka_event_destroy(event);
    }
}

static bool is_late(const struct kafka_outbox *outbox, uint32_t count, int64_t progress_ms)
{
    return count > 0 && clock_ms() - progress_ms > outbox->settings.delivery_timeout_ms;
}

/*
 * The first answer of a producer goes alone: a burst may become several requests, and where the
 * first request is refused librdkafka sends the next all the same. Of a producer that they do not
 * know, brokers would append it.
 */
static enum usher_status send_burst(struct kafka_outbox *outbox)
{
    outbox->answers_progress_ms = clock_ms();
    return kafka_burst_send(&outbox->burst, &outbox->answers, outbox->known ? UINT32_MAX : 1,
                            &outbox->in_flight, &outbox->error);
}

static enum usher_status outbox_poll(void *self, int64_t *published_seq, int64_t *published_offset,
                                     struct usher_error *err)
{
    struct kafka_outbox *outbox = self;
    const struct delivered *delivered = &outbox->delivered;
    serve_events(outbox, &outbox->answers);
    serve_events(outbox, &outbox->letters);
    if (outbox->failed == USHER_OK && outbox->in_flight == 0 && outbox->burst.count > 0)
        outbox->failed = send_burst(outbox);
    if (is_late(outbox, delivered->unreported, outbox->answers_progress_ms))
        fail(outbox, delivered->passed_seq + 1, "Kafka did not acknowledge it in time");
    if (is_late(outbox, delivered->letters_unreported, outbox->letters_progress_ms))
        fail(outbox, delivered->passed_seq + 1,
             "Kafka did not acknowledge its dead letters in time");
    if (published_seq)
        delivered_position(&outbox->delivered, published_seq, published_offset);
    return outcome(outbox, err);
}

/* ---- queueing ---- */

static enum usher_status outbox_publish(void *self, const struct decision_row *row,
                                        struct usher_error *err)
{
    struct kafka_outbox *outbox = self;
    if (outbox->failed != USHER_OK)
        return outcome(outbox, err);
    assert(outbox->answers.handle);
    outbox->value.size = 0;
    int32_t partition = outbox->settings.partition;
    enum usher_status status = kafka_answer_value(row, partition, &outbox->value, err);
    if (status != USHER_OK)
        return status;
    const struct kafka_outgoing out = {
        .partition = partition,
        .key = row->key,
        .key_size = row->key_size < RECORD_KEY_MAX ? row->key_size : RECORD_KEY_MAX,
        .value = outbox->value.at,
        .value_size = outbox->value.size,
        .headers = kafka_answer_headers(row, partition, outbox->topics),
        .tag = row->seq,
    };
    if (outbox->delivered.unreported == 0)
        outbox->answers_progress_ms = clock_ms();
    kafka_burst_add(&outbox->burst, &out);
    outbox->unreported_bytes += out.value_size;
    delivered_sent(&outbox->delivered, row->seq);
    return USHER_OK;
}

static enum usher_status outbox_dead_letter(void *self, const struct dead_letter_row *row,
                                            struct usher_error *err)
{
    struct kafka_outbox *outbox = self;
    enum usher_status status = open_letters(outbox, err);
    if (status != USHER_OK)
        return status;
    if (outbox->failed != USHER_OK)
        return outcome(outbox, err);
    const struct kafka_outgoing out = {
        .partition = RD_KAFKA_PARTITION_UA,
        .key = row->key,
        .key_size = row->key_size < RECORD_KEY_MAX ? row->key_size : RECORD_KEY_MAX,
        .value = row->value,
        .value_size =
            row->value_size < KAFKA_DEAD_LETTER_MAX ? row->value_size : KAFKA_DEAD_LETTER_MAX,
        .headers = kafka_dead_letter_headers(row, outbox->settings.partition, outbox->topics),
        .tag = row->seq,
    };
    outbox->failed = kafka_producer_send(&outbox->letters, &out, &outbox->error);
    if (outbox->failed == USHER_OK) {
        if (outbox->delivered.letters_unreported == 0)
            outbox->letters_progress_ms = clock_ms();
        outbox->unreported_bytes += out.value_size;
        delivered_letter_sent(&outbox->delivered, row->seq);
    }
    return outcome(outbox, err);
}

static int outbox_descriptor(void *self)
{
    return ((struct kafka_outbox *)self)->wake;
}

static uint32_t outbox_pending(void *self)
{
    return unreported(self);
}

/* ---- life ---- */

struct kafka_outbox *kafka_outbox_new(struct kafka_base *base,
                                      const struct kafka_outbox_settings *settings)
{
    struct kafka_outbox *outbox = memory_calloc(1, sizeof *outbox);
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
    outbox->scanned.last_offset = OFFSET_NONE;
    delivered_init(&outbox->delivered);
    return outbox;
}

void kafka_outbox_close(struct kafka_outbox *outbox)
{
    if (!outbox)
        return;
    close_producers(outbox);
    close(outbox->wake);
    usher_buffer_deinit(&outbox->value);
    kafka_burst_deinit(&outbox->burst);
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
