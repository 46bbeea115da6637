/*
 * A consumer that is a member of no group and is shared by all partitions of a process: reads logs
 * from any offset and asks for their ends. It ignores transactions: records after an open one
 * count, for the log does not end there, and it reads records of aborted ones, too. Requests are
 * taken by kafka_source.h alone. For the Kafka adapters only: includes rdkafka.h.
 */
#include "worker/kafka/kafka_reader.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "producer/base/allocate.h"
#include "producer/base/clock.h"
#include "producer/kafka/kafka_errors.h"
#include "producer/kafka/kafka_settings.h"
#include "worker/base/fingerprint.h"
#include "worker/kafka/kafka_disposal.h"
#include "worker/kafka/kafka_record.h"
#include "worker/model/rows.h"

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
