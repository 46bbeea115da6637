/*
 * The outbox_port of one partition: publishes answers to the result topic and dead letters to
 * theirs, and scans the result log. Knows the rows and the codec, not how rows are decided.
 */
#include "worker/kafka/kafka_outbox.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "producer/base/allocate.h"
#include "producer/base/clock.h"
#include "producer/codec/answer_fields.h"
#include "producer/kafka/kafka_errors.h"
#include "worker/kafka/kafka_reader.h"
#include "worker/kafka/kafka_scan.h"

/*
 * ==== Bursts ====
 *
 * Answers that wait until the produce request before them is acknowledged, to be sent as one
 * batch. librdkafka would queue them as well, but up to version 2.0.2 (and with one request in
 * flight) its broker thread spins while further batches are ready: a third of a core at 10,000
 * answers per second. Where that is fixed, this section can go.
 */

/* Zero-initialised: empty. Memory is reused. */
struct kafka_burst {
    struct usher_arena memory; /* keys and values */
    struct kafka_outgoing *messages;
    uint32_t first; /* that was not passed on yet, … */
    uint32_t count; /* … of so many; 0: none wait */
    uint32_t capacity;
};

/* Adds a message: key and value are copied, headers are taken. */
static void kafka_burst_add(struct kafka_burst *burst, const struct kafka_outgoing *out)
{
    if (burst->count == burst->capacity) {
        burst->capacity = burst->capacity == 0 ? 64 : 2 * burst->capacity;
        burst->messages = memory_realloc(burst->messages, burst->capacity, sizeof *burst->messages);
    }
    struct kafka_outgoing *message = &burst->messages[burst->count++];
    *message = *out;
    if (out->key)
        message->key = usher_arena_text(&burst->memory, out->key, out->key_size);
    message->value = usher_arena_text(&burst->memory, out->value, out->value_size);
}

/* Drops all messages. */
static void kafka_burst_clear(struct kafka_burst *burst)
{
    for (uint32_t i = 0; i < burst->count; i++)
        if (burst->messages[i].headers)
            rd_kafka_headers_destroy(burst->messages[i].headers);
    burst->first = burst->count = 0;
    usher_arena_reset(&burst->memory);
}

/*
 * Passes the first messages, at most `most`, to the producer, in order: `*sent`. Empties the burst
 * on failure. RETRY: see kafka_producer_send.
 */
static enum usher_status kafka_burst_send(struct kafka_burst *burst,
                                          struct kafka_producer *producer, uint32_t most,
                                          uint32_t *sent, struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    for (*sent = 0; *sent < most && burst->first < burst->count && status == USHER_OK; ++*sent) {
        struct kafka_outgoing *message = &burst->messages[burst->first++];
        status = kafka_producer_send(producer, message, err);
        message->headers = NULL; /* taken, also on failure */
    }
    if (status != USHER_OK || burst->first == burst->count)
        kafka_burst_clear(burst);
    return status;
}

/* Drops all messages and frees the memory. */
static void kafka_burst_deinit(struct kafka_burst *burst)
{
    kafka_burst_clear(burst);
    usher_arena_deinit(&burst->memory);
    free(burst->messages);
    *burst = (struct kafka_burst){0};
}

/* ==== The outbox port ==== */

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

/* ==== Published position ==== */

#define UNREPORTED INT64_C(-2)

#define UNKNOWN INT64_C(-1)

enum {
    RING_START = 1024, /* powers of two */
    LETTERS_START = 16,
};

void delivered_init(struct delivered *delivered)
{
    *delivered = (struct delivered){.last_offset = UNKNOWN, .stop_offset = UNKNOWN};
}

void delivered_deinit(struct delivered *delivered)
{
    free(delivered->offsets);
    free(delivered->letters);
    delivered_init(delivered);
}

static int64_t *answer_at(struct delivered *delivered, int64_t seq)
{
    return &delivered->offsets[(uint64_t)seq & (delivered->capacity - 1)];
}

static int64_t *letter_at(struct delivered *delivered, uint64_t number)
{
    return &delivered->letters[number & (delivered->letter_capacity - 1)];
}

/* Returns a ring of twice the size; the caller copies the content. */
static int64_t *ring_new(uint32_t *capacity, uint32_t start)
{
    *capacity = *capacity > 0 ? *capacity * 2 : start;
    assert(*capacity > 0);
    int64_t *ring = memory_calloc(*capacity, sizeof *ring);
    return ring;
}

static void answers_grow(struct delivered *delivered)
{
    struct delivered old = *delivered;
    delivered->offsets = ring_new(&delivered->capacity, RING_START);
    for (int64_t seq = old.passed_seq + 1; seq < old.next_seq; seq++)
        *answer_at(delivered, seq) = *answer_at(&old, seq);
    free(old.offsets);
}

static void letters_grow(struct delivered *delivered)
{
    struct delivered old = *delivered;
    delivered->letters = ring_new(&delivered->letter_capacity, LETTERS_START);
    for (uint64_t n = old.letter_first; n < old.letter_next; n++)
        *letter_at(delivered, n) = *letter_at(&old, n);
    free(old.letters);
}

/* Returns the seq of the first undelivered dead letter: the position must stay below it. */
static int64_t letter_barrier(struct delivered *delivered)
{
    while (delivered->letter_first < delivered->letter_next &&
           *letter_at(delivered, delivered->letter_first) < 0)
        delivered->letter_first++;
    if (delivered->letter_first == delivered->letter_next)
        return INT64_MAX;
    return *letter_at(delivered, delivered->letter_first);
}

/* Advances over what is delivered. False: an offset does not rise. */
static bool advance(struct delivered *delivered)
{
    int64_t barrier = letter_barrier(delivered);
    while (delivered->passed_seq + 1 < delivered->next_seq && delivered->passed_seq + 1 < barrier) {
        int64_t offset = *answer_at(delivered, delivered->passed_seq + 1);
        if (offset == UNREPORTED)
            break;
        if (offset != UNKNOWN && offset <= delivered->last_offset)
            return false;
        delivered->passed_seq++;
        if (offset == UNKNOWN)
            continue;
        delivered->last_offset = offset;
        delivered->stop_seq = delivered->passed_seq;
        delivered->stop_offset = offset;
        delivered->moved = true;
    }
    return true;
}

void delivered_start(struct delivered *delivered, int64_t seq, int64_t offset)
{
    assert(seq >= 0 && offset >= UNKNOWN);
    delivered->passed_seq = seq;
    delivered->next_seq = seq + 1;
    delivered->last_offset = offset;
    delivered->unreported = 0;
    delivered->letter_first = delivered->letter_next = 0;
    delivered->letters_unreported = 0;
    delivered->stop_seq = seq;
    delivered->stop_offset = offset;
    delivered->moved = offset != UNKNOWN;
}

void delivered_sent(struct delivered *delivered, int64_t seq)
{
    assert(seq == delivered->next_seq);
    if (seq - delivered->passed_seq > (int64_t)delivered->capacity)
        answers_grow(delivered);
    *answer_at(delivered, seq) = UNREPORTED;
    delivered->next_seq++;
    delivered->unreported++;
}

void delivered_letter_sent(struct delivered *delivered, int64_t seq)
{
    assert(seq > 0);
    if (delivered->letter_next - delivered->letter_first == delivered->letter_capacity)
        letters_grow(delivered);
    *letter_at(delivered, delivered->letter_next++) = seq;
    delivered->letters_unreported++;
}

bool delivered_report(struct delivered *delivered, int64_t seq, int64_t offset)
{
    assert(seq > delivered->passed_seq && seq < delivered->next_seq);
    assert(*answer_at(delivered, seq) == UNREPORTED);
    *answer_at(delivered, seq) = offset >= 0 ? offset : UNKNOWN;
    delivered->unreported--;
    return advance(delivered);
}

bool delivered_letter_report(struct delivered *delivered, int64_t seq)
{
    uint64_t n = delivered->letter_first;
    while (n < delivered->letter_next && *letter_at(delivered, n) != seq)
        n++;
    assert(n < delivered->letter_next);
    *letter_at(delivered, n) = -seq;
    delivered->letters_unreported--;
    return advance(delivered);
}

void delivered_position(struct delivered *delivered, int64_t *seq, int64_t *offset)
{
    /* The position of the start counts only once the dead letters up to it are delivered. */
    if (!delivered->moved || delivered->stop_seq >= letter_barrier(delivered))
        return;
    *seq = delivered->stop_seq;
    *offset = delivered->stop_offset;
    delivered->moved = false;
}

/* ==== Answers and dead letters as records ==== */

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
