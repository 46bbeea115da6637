/*
 * A consumer that is a member of no group and is shared by all partitions of a process: reads logs
 * from any offset and asks for their ends. It ignores transactions: records after an open one
 * count, for the log does not end there, and it reads records of aborted ones, too. Requests are
 * taken by kafka_source.h alone. For the Kafka adapters only: includes rdkafka.h.
 */
#include "worker/kafka/kafka_reader.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "producer/base/allocate.h"
#include "producer/base/clock.h"
#include "producer/base/thread.h"
#include "producer/kafka/kafka_errors.h"
#include "producer/kafka/kafka_settings.h"
#include "worker/base/fingerprint.h"

/* ==== Reader ==== */

enum {
    FIRST_TRY_MS = 2000 /* of a request, to the leader that was the last one known */
};

struct kafka_reader {
    struct kafka_log log;
    int timeout_ms;
    rd_kafka_t *handle;
    rd_kafka_topic_t *requests, *results;
};

/* Short waits of fetches: a scan must not wait behind another partition's empty fetch. */
static rd_kafka_conf_t *configure(const struct usher_kafka_settings *settings, bool committed,
                                  struct kafka_log *log, struct usher_error *err)
{
    rd_kafka_conf_t *conf = kafka_conf_new(settings, KAFKA_READER, log, err);
    if (!conf)
        return NULL;
    enum usher_status status = kafka_conf_set(conf, "enable.partition.eof", "true", err);
    if (status == USHER_OK)
        status = kafka_conf_set(conf, "fetch.wait.max.ms", "10", err);
    if (status == USHER_OK) /* the next reading must not wait for an error of the one before */
        status = kafka_conf_set(conf, "fetch.error.backoff.ms", "10", err);
    /* Else the end that Kafka tells is where the first open transaction begins: see kafka_reader.h.
     */
    if (status == USHER_OK)
        status = kafka_conf_set(conf, "isolation.level",
                                committed ? "read_committed" : "read_uncommitted", err);
    if (status == USHER_OK)
        return conf;
    rd_kafka_conf_destroy(conf);
    return NULL;
}

enum usher_status kafka_reader_open(const struct usher_kafka_settings *settings,
                                    const struct usher_topic_names *topics, int timeout_ms,
                                    bool committed, struct kafka_reader **reader,
                                    struct usher_error *err)
{
    struct kafka_reader *opened = memory_calloc(1, sizeof *opened);
    opened->timeout_ms = timeout_ms;
    opened->log.context = log_context_with(NULL, "kafka=reader");
    rd_kafka_conf_t *conf = configure(settings, committed, &opened->log, err);
    opened->handle = conf ? kafka_handle_new(RD_KAFKA_CONSUMER, conf, err) : NULL;
    if (!opened->handle) {
        free(opened);
        *reader = NULL;
        return USHER_FATAL;
    }
    opened->requests = rd_kafka_topic_new(opened->handle, topics->requests, NULL);
    opened->results = rd_kafka_topic_new(opened->handle, topics->results, NULL);
    assert(opened->requests && opened->results);
    *reader = opened;
    return USHER_OK;
}

void kafka_reader_close(struct kafka_reader *reader, struct kafka_disposal *disposal)
{
    rd_kafka_topic_destroy(reader->requests);
    rd_kafka_topic_destroy(reader->results);
    kafka_disposal_add(disposal, reader->handle, reader);
}

int kafka_reader_timeout_ms(const struct kafka_reader *reader)
{
    return reader->timeout_ms;
}

/* ---- requests ---- */

enum usher_status kafka_reader_partitions(struct kafka_reader *reader, const char *topic,
                                          int32_t *count, struct usher_error *err)
{
    return kafka_partition_count(reader->handle, topic, reader->timeout_ms, count, err);
}

rd_kafka_queue_t *kafka_reader_queue(struct kafka_reader *reader)
{
    return rd_kafka_queue_new(reader->handle);
}

void kafka_reader_describe(struct kafka_reader *reader, const char *topic,
                           rd_kafka_queue_t *answers)
{
    char text[128];
    rd_kafka_ConfigResource_t *resource =
        rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, topic);
    rd_kafka_AdminOptions_t *options =
        rd_kafka_AdminOptions_new(reader->handle, RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS);
    rd_kafka_resp_err_t code =
        rd_kafka_AdminOptions_set_request_timeout(options, reader->timeout_ms, text, sizeof text);
    assert(code == RD_KAFKA_RESP_ERR_NO_ERROR);
    rd_kafka_DescribeConfigs(reader->handle, &resource, 1, options, answers);
    rd_kafka_AdminOptions_destroy(options);
    rd_kafka_ConfigResource_destroy(resource);
}

struct kafka_place kafka_reader_requests(const struct kafka_reader *reader, int32_t partition)
{
    return (struct kafka_place){reader->requests, partition};
}

struct kafka_place kafka_reader_results(const struct kafka_reader *reader, int32_t partition)
{
    return (struct kafka_place){reader->results, partition};
}

static int32_t replicas_of(const struct rd_kafka_metadata *metadata, int32_t partition)
{
    const struct rd_kafka_metadata_topic *topic = metadata->topics;
    for (int i = 0; metadata->topic_cnt == 1 && i < topic->partition_cnt; i++)
        if (topic->partitions[i].id == partition)
            return topic->partitions[i].replica_cnt;
    return 0;
}

enum usher_status kafka_reader_replicas(struct kafka_reader *reader, struct kafka_place place,
                                        int timeout_ms, int32_t *replicas, struct usher_error *err)
{
    const struct rd_kafka_metadata *metadata;
    rd_kafka_resp_err_t code =
        rd_kafka_metadata(reader->handle, 0, place.topic, &metadata, timeout_ms);
    *replicas = 0;
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR) {
        *replicas = replicas_of(metadata, place.partition);
        rd_kafka_metadata_destroy(metadata);
    }
    if (*replicas > 0)
        return USHER_OK;
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR)
        code = RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE;
    return kafka_fail(err, code, "could not ask for the replicas of \"%s\" partition %d",
                      rd_kafka_topic_name(place.topic), (int)place.partition);
}

static enum usher_status ask_once(struct kafka_reader *reader, struct kafka_place place,
                                  int timeout_ms, int64_t *offset, struct usher_error *err)
{
    const struct kafka_question question = {
        .kafka = reader->handle,
        .topic = rd_kafka_topic_name(place.topic),
        .partition = place.partition,
        .timeout_ms = timeout_ms,
    };
    rd_kafka_poll(reader->handle, 0); /* nothing else serves the reader's main queue */
    return kafka_ask_offset(&question, offset, err);
}

/*
 * librdkafka asks the leader that it knows, and waits for that even where it is dead and another
 * one leads by now: so the first try gets part of the time, and the second asks a leader that
 * was looked up in between.
 */
static enum usher_status ask_offset(struct kafka_reader *reader, struct kafka_place place,
                                    int timeout_ms, int64_t *offset, struct usher_error *err)
{
    int first_ms = timeout_ms < FIRST_TRY_MS ? timeout_ms : FIRST_TRY_MS;
    int64_t began_ms = clock_ms();
    int64_t answer = *offset;
    int32_t replicas;
    enum usher_status status = ask_once(reader, place, first_ms, &answer, err);
    if (status == USHER_RETRY && first_ms < timeout_ms && clock_ms() - began_ms >= first_ms) {
        answer = *offset;
        status = kafka_reader_replicas(reader, place, timeout_ms - first_ms, &replicas, err);
        if (status == USHER_OK)
            status = ask_once(reader, place, timeout_ms - first_ms, &answer, err);
    }
    *offset = answer;
    return status;
}

enum usher_status kafka_reader_end(struct kafka_reader *reader, struct kafka_place place,
                                   int timeout_ms, int64_t *end, struct usher_error *err)
{
    *end = RD_KAFKA_OFFSET_END;
    return ask_offset(reader, place, timeout_ms, end, err);
}

enum usher_status kafka_reader_bounds(struct kafka_reader *reader, struct kafka_place place,
                                      int timeout_ms, struct kafka_bounds *bounds,
                                      struct usher_error *err)
{
    bounds->start = RD_KAFKA_OFFSET_BEGINNING;
    enum usher_status status = ask_offset(reader, place, timeout_ms, &bounds->start, err);
    if (status == USHER_OK)
        status = kafka_reader_end(reader, place, timeout_ms, &bounds->end, err);
    return status;
}

/* ---- reading ---- */

enum usher_status kafka_reader_start(struct kafka_reader *reader, struct kafka_place place,
                                     int64_t offset, struct kafka_reading *reading,
                                     struct usher_error *err)
{
    *reading = (struct kafka_reading){place, rd_kafka_queue_new(reader->handle)};
    if (rd_kafka_consume_start_queue(place.topic, place.partition, offset, reading->queue) == 0)
        return USHER_OK;
    rd_kafka_queue_destroy(reading->queue);
    return kafka_fail(err, rd_kafka_last_error(), "could not read \"%s\" partition %d",
                      rd_kafka_topic_name(place.topic), (int)place.partition);
}

size_t kafka_reader_next(struct kafka_reading *reading, rd_kafka_message_t **messages, size_t max,
                         int timeout_ms)
{
    /* A batch call with a timeout waits until it is full, so the first message is awaited alone. */
    ssize_t count = rd_kafka_consume_batch_queue(reading->queue, 0, messages, max);
    if (count <= 0)
        count = rd_kafka_consume_batch_queue(reading->queue, timeout_ms, messages, 1);
    return count > 0 ? (size_t)count : 0;
}

void kafka_reader_stop(struct kafka_reading *reading)
{
    rd_kafka_consume_stop(reading->place.topic, reading->place.partition);
    rd_kafka_queue_destroy(reading->queue);
}

/* ---- the record at an offset ---- */

/*
 * The first at `offset` or behind it: a record, an error, or the end. No-op records, of which there
 * may be many, are passed over by the same reading. Owned; NULL: RETRY.
 */
static rd_kafka_message_t *read_first(struct kafka_reader *reader, struct kafka_place place,
                                      int64_t offset, enum usher_status *status,
                                      struct usher_error *err)
{
    struct kafka_reading reading;
    rd_kafka_message_t *message = NULL;
    *status = kafka_reader_start(reader, place, offset, &reading, err);
    if (*status != USHER_OK)
        return NULL;
    while (kafka_reader_next(&reading, &message, 1, reader->timeout_ms) == 1 &&
           kafka_is_noop(message)) {
        rd_kafka_message_destroy(message);
        message = NULL;
    }
    if (!message)
        *status =
            kafka_fail(err, RD_KAFKA_RESP_ERR__TIMED_OUT, "could not read offset %" PRId64, offset);
    kafka_reader_stop(&reading);
    return message;
}

/* Computes the fingerprint of the first message from `offset` on, if that is the record there. */
static enum usher_status fingerprint_of(const rd_kafka_message_t *message, int64_t offset,
                                        int64_t *fingerprint, struct usher_error *err)
{
    if (message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF ||
        (!message->err && message->offset != offset)) {
        usher_error_set(err, USHER_EXIT_BAD_INPUT, "there is no record at offset %" PRId64, offset);
        return USHER_REJECT;
    }
    if (message->err) {
        enum usher_status status =
            kafka_fail(err, message->err, "could not read offset %" PRId64, offset);
        return status == USHER_HALT ? USHER_REJECT : status;
    }
    *fingerprint =
        record_fingerprint(message->key, message->key_len, message->payload, message->len);
    return USHER_OK;
}

enum usher_status kafka_reader_fingerprint(struct kafka_reader *reader, struct kafka_place place,
                                           int64_t offset, int64_t *fingerprint,
                                           struct usher_error *err)
{
    enum usher_status status;
    rd_kafka_message_t *message = read_first(reader, place, offset, &status, err);
    if (!message)
        return status;
    status = fingerprint_of(message, offset, fingerprint, err);
    rd_kafka_message_destroy(message);
    return status;
}

/* A batch that is damaged or cannot be unpacked, and not that Kafka says no. */
static bool is_unreadable(const rd_kafka_message_t *message)
{
    return message->err == RD_KAFKA_RESP_ERR__BAD_COMPRESSION ||
           message->err == RD_KAFKA_RESP_ERR__BAD_MSG;
}

enum usher_status kafka_reader_first(struct kafka_reader *reader, struct kafka_place place,
                                     int64_t offset, int64_t *first, struct usher_error *err)
{
    enum usher_status status;
    rd_kafka_message_t *message = read_first(reader, place, offset, &status, err);
    *first = OFFSET_NONE;
    if (!message)
        return status;
    if (!message->err || is_unreadable(message)) /* the latter's is that of the batch */
        *first = message->offset > offset ? message->offset : offset;
    else if (message->err != RD_KAFKA_RESP_ERR__PARTITION_EOF)
        status = kafka_fail(err, message->err, "could not read offset %" PRId64, message->offset);
    rd_kafka_message_destroy(message);
    return status;
}

/* ==== Records ==== */

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

/* ==== Scan of the result log ==== */

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

/* ==== Seq of an answer ==== */

/* The bytes not read yet: `end` moves towards `start`. */
struct tail {
    const char *start, *end;
};

/* Steps back over `text` if the bytes end with it. */
static bool tail_text(struct tail *tail, const char *text)
{
    size_t size = strlen(text);
    if ((size_t)(tail->end - tail->start) < size || memcmp(tail->end - size, text, size) != 0)
        return false;
    tail->end -= size;
    return true;
}

/* Steps back over a number of 0 or more, as the codec writes it. */
static bool tail_number(struct tail *tail, int64_t *number)
{
    int64_t value = 0, weight = 1;
    int digits = 0;
    while (tail->end > tail->start && tail->end[-1] >= '0' && tail->end[-1] <= '9') {
        int64_t part;
        if (digits == 19 || __builtin_mul_overflow(weight, (int64_t)(tail->end[-1] - '0'), &part) ||
            __builtin_add_overflow(value, part, &value))
            return false;
        weight = ++digits < 19 ? weight * 10 : weight;
        tail->end--;
    }
    *number = value;
    return digits > 0;
}

static bool tail_source(struct tail *tail)
{
    int64_t ignored;
    return tail_text(tail, "}") && tail_number(tail, &ignored) && tail_text(tail, ",\"offset\":") &&
           tail_number(tail, &ignored) && tail_text(tail, ",\"source\":{\"partition\":");
}

bool answer_tail_seq(const void *value, size_t size, int64_t *seq)
{
    if (!value)
        return false;
    struct tail tail = {.start = value, .end = (const char *)value + size};
    int64_t ignored;
    if (!tail_text(&tail, "}"))
        return false;
    if (tail.end > tail.start && tail.end[-1] == '}' && !tail_source(&tail))
        return false;
    return tail_number(&tail, &ignored) && tail_text(&tail, ",\"epoch\":") &&
           tail_number(&tail, seq) && tail_text(&tail, ",\"seq\":");
}

/* ==== Disposal ==== */

struct kafka_disposal {
    pthread_mutex_t lock;
    pthread_cond_t destroyed;
    uint32_t pending; /* handles that are being destroyed */
};

struct job {
    struct kafka_disposal *disposal;
    rd_kafka_t *handle;
    void *owner;
};

struct kafka_disposal *kafka_disposal_new(void)
{
    struct kafka_disposal *disposal = memory_calloc(1, sizeof *disposal);
    pthread_mutex_init(&disposal->lock, NULL);
    thread_condition_init(&disposal->destroyed);
    return disposal;
}

static void *destroy_handle(void *argument)
{
    struct job job = *(struct job *)argument;
    free(argument);
    rd_kafka_destroy(job.handle);
    free(job.owner);
    pthread_mutex_lock(&job.disposal->lock);
    job.disposal->pending--;
    pthread_cond_broadcast(&job.disposal->destroyed);
    pthread_mutex_unlock(&job.disposal->lock);
    return NULL;
}

void kafka_disposal_add(struct kafka_disposal *disposal, rd_kafka_t *handle, void *owner)
{
    if (!handle)
        return;
    struct job *job = memory_alloc(sizeof *job);
    *job = (struct job){disposal, handle, owner};
    pthread_mutex_lock(&disposal->lock);
    disposal->pending++;
    pthread_mutex_unlock(&disposal->lock);
    pthread_t thread;
    int failed = pthread_create(&thread, NULL, destroy_handle, job);
    if (failed)
        destroy_handle(job);
    else
        pthread_detach(thread);
}

bool kafka_disposal_wait(struct kafka_disposal *disposal, int timeout_ms)
{
    int64_t deadline_ms = clock_ms() + timeout_ms;
    pthread_mutex_lock(&disposal->lock);
    bool in_time = true;
    while (disposal->pending > 0 && in_time)
        in_time = thread_wait(&disposal->destroyed, &disposal->lock, deadline_ms);
    bool done = disposal->pending == 0;
    pthread_mutex_unlock(&disposal->lock);
    return done;
}

void kafka_disposal_free(struct kafka_disposal *disposal)
{
    assert(disposal->pending == 0);
    pthread_cond_destroy(&disposal->destroyed);
    pthread_mutex_destroy(&disposal->lock);
    free(disposal);
}
