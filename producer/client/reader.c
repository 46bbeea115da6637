/*
 * Reads partitions of the result topic from chosen offsets, without a consumer group. Used by the
 * client, the watch and the load generator. Does not know what a record says.
 */
#include "producer/client/reader.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "producer/base/allocate.h"
#include "producer/base/clock.h"
#include "producer/kafka/kafka_errors.h"
#include "producer/kafka/kafka_settings.h"

/* ==== Reader ==== */

enum {
    OPEN_TIMEOUT_MS = 5000,
    RETRY_NS = 50000000,
    BATCH_RECORDS = 512
};

struct reader {
    struct kafka_log log; /* first: the handle's opaque */
    rd_kafka_t *kafka;
    rd_kafka_topic_t *topic;
    rd_kafka_queue_t *queue;
    char topic_name[USHER_TOPIC_NAME_SIZE];
    int32_t partition_count;
    bool *started; /* by partition */
    rd_kafka_message_t *batch[BATCH_RECORDS];
    size_t batch_size, batch_next;
};

/* ---- opening ---- */

static enum usher_status make_handle(struct reader *reader,
                                     const struct usher_kafka_settings *settings,
                                     const char *client_id, struct usher_error *err)
{
    rd_kafka_conf_t *conf = kafka_conf_new(settings, KAFKA_READER, &reader->log, err);
    if (!conf)
        return USHER_FATAL;
    if (client_id && kafka_conf_set(conf, "client.id", client_id, err) != USHER_OK) {
        rd_kafka_conf_destroy(conf);
        return USHER_FATAL;
    }
    reader->kafka = kafka_handle_new(RD_KAFKA_CONSUMER, conf, err);
    if (!reader->kafka)
        return USHER_FATAL;
    reader->queue = rd_kafka_queue_new(reader->kafka);
    reader->topic = rd_kafka_topic_new(reader->kafka, reader->topic_name, NULL);
    return USHER_OK;
}

enum usher_status reader_open(const struct usher_kafka_settings *settings, const char *client_id,
                              struct reader **reader, struct usher_error *err)
{
    struct usher_topic_names names;
    enum usher_status status = usher_topic_names(settings->topic_prefix, &names, err);
    *reader = NULL;
    if (status != USHER_OK)
        return status;
    struct reader *opened = memory_calloc(1, sizeof *opened);
    memcpy(opened->topic_name, names.results, sizeof opened->topic_name);
    status = make_handle(opened, settings, client_id, err);
    if (status == USHER_OK)
        status = kafka_partition_count(opened->kafka, opened->topic_name, OPEN_TIMEOUT_MS,
                                       &opened->partition_count, err);
    if (status == USHER_OK) {
        opened->started = memory_calloc((size_t)opened->partition_count, sizeof *opened->started);
        *reader = opened;
    } else {
        reader_close(opened);
    }
    return status;
}

int32_t reader_partition_count(const struct reader *reader)
{
    return reader->partition_count;
}

/* Waits for a leader that is being elected, as after a topic was created. */
static enum usher_status ask_offset(const struct kafka_question *question, int64_t *offset,
                                    struct usher_error *err)
{
    const struct timespec pause = {.tv_nsec = RETRY_NS};
    const int64_t deadline_ms = clock_ms() + question->timeout_ms, asked = *offset;
    enum usher_status status = kafka_ask_offset(question, offset, err);
    while (status == USHER_RETRY && clock_ms() < deadline_ms) {
        nanosleep(&pause, NULL);
        *offset = asked;
        status = kafka_ask_offset(question, offset, err);
    }
    return status;
}

static struct kafka_question question_of(const struct reader *reader, int32_t partition)
{
    return (struct kafka_question){
        .kafka = reader->kafka,
        .topic = reader->topic_name,
        .partition = partition,
        .timeout_ms = OPEN_TIMEOUT_MS,
    };
}

enum usher_status reader_offset_at(struct reader *reader, int32_t partition, int64_t ms,
                                   int64_t *offset, struct usher_error *err)
{
    const struct kafka_question question = question_of(reader, partition);
    *offset = ms;
    return ask_offset(&question, offset, err) == USHER_OK ? USHER_OK : USHER_FATAL;
}

enum usher_status reader_range(struct reader *reader, int32_t partition, int64_t *first,
                               int64_t *end, struct usher_error *err)
{
    const struct kafka_question question = question_of(reader, partition);
    *first = RD_KAFKA_OFFSET_BEGINNING;
    *end = RD_KAFKA_OFFSET_END;
    return ask_offset(&question, first, err) == USHER_OK &&
                   ask_offset(&question, end, err) == USHER_OK
               ? USHER_OK
               : USHER_FATAL;
}

enum usher_status reader_start(struct reader *reader, int32_t partition, int64_t offset,
                               struct usher_error *err)
{
    if (rd_kafka_consume_start_queue(reader->topic, partition, offset, reader->queue) != 0) {
        (void)kafka_fail(err, rd_kafka_last_error(), "could not read \"%s\" partition %d",
                         reader->topic_name, partition);
        return USHER_FATAL;
    }
    reader->started[partition] = true;
    return USHER_OK;
}

/* Of what was fetched; the record that was returned last stays. */
static void drop_partition(struct reader *reader, int32_t partition)
{
    size_t kept = reader->batch_next;
    for (size_t i = reader->batch_next; i < reader->batch_size; i++)
        if (reader->batch[i]->partition == partition)
            rd_kafka_message_destroy(reader->batch[i]);
        else
            reader->batch[kept++] = reader->batch[i];
    reader->batch_size = kept;
}

enum usher_status reader_restart(struct reader *reader, int32_t partition, int64_t offset,
                                 struct usher_error *err)
{
    rd_kafka_consume_stop(reader->topic, partition);
    reader->started[partition] = false;
    drop_partition(reader, partition);
    return reader_start(reader, partition, offset, err);
}

void reader_descriptor(struct reader *reader, int descriptor)
{
    descriptor_on(reader->queue, descriptor);
}

/* ---- reading ---- */

static void drop_batch(struct reader *reader)
{
    for (size_t i = 0; i < reader->batch_size; i++)
        rd_kafka_message_destroy(reader->batch[i]);
    reader->batch_size = 0;
    reader->batch_next = 0;
}

/* Waits for one record and takes what else is there: the batch call would wait until it is full. */
static void fill_batch(struct reader *reader, int timeout_ms)
{
    drop_batch(reader);
    rd_kafka_message_t *first = rd_kafka_consume_queue(reader->queue, timeout_ms);
    if (!first)
        return;
    reader->batch[0] = first;
    ssize_t more =
        rd_kafka_consume_batch_queue(reader->queue, 0, reader->batch + 1, BATCH_RECORDS - 1);
    reader->batch_size = 1 + (more > 0 ? (size_t)more : 0);
}

static enum usher_status check_handle(struct reader *reader, struct usher_error *err)
{
    rd_kafka_poll(reader->kafka, 0);
    int refusal = atomic_load(&reader->log.refusal);
    if (refusal == 0)
        return USHER_OK;
    return kafka_fail(err, (rd_kafka_resp_err_t)refusal, "could not log in to Kafka");
}

/* 0: the time is that of a client. */
static int64_t append_time(const rd_kafka_message_t *message)
{
    rd_kafka_timestamp_type_t type;
    int64_t ms = rd_kafka_message_timestamp(message, &type);
    return type == RD_KAFKA_TIMESTAMP_LOG_APPEND_TIME ? ms : 0;
}

enum usher_status reader_next(struct reader *reader, int timeout_ms, struct usher_reply *record,
                              struct usher_error *err)
{
    if (reader->batch_next == reader->batch_size) {
        fill_batch(reader, timeout_ms);
        enum usher_status status = check_handle(reader, err);
        if (status != USHER_OK)
            return status;
    }
    while (reader->batch_next < reader->batch_size) {
        const rd_kafka_message_t *message = reader->batch[reader->batch_next++];
        if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
            *record = (struct usher_reply){
                .status = USHER_OK,
                .data = message->payload,
                .size = message->len,
                .key = message->key,
                .key_size = message->key_len,
                .partition = message->partition,
                .offset = message->offset,
                .appended_ms = append_time(message),
            };
            return USHER_OK;
        }
        /* librdkafka retries by itself where that can help. */
        enum usher_status status = kafka_status(message->err, NULL);
        if (status == USHER_RETRY)
            continue;
        (void)kafka_fail(err, message->err, "could not read \"%s\" partition %d",
                         reader->topic_name, message->partition);
        *record = (struct usher_reply){.status = status, .partition = message->partition};
        return status == USHER_HALT ? status : USHER_FATAL;
    }
    usher_error_set(err, USHER_EXIT_NO_ANSWER, "nothing to read within %d ms", timeout_ms);
    return USHER_RETRY;
}

void reader_close(struct reader *reader)
{
    if (!reader)
        return;
    drop_batch(reader);
    for (int32_t p = 0; reader->started && p < reader->partition_count; p++)
        if (reader->started[p])
            rd_kafka_consume_stop(reader->topic, p);
    if (reader->queue)
        rd_kafka_queue_destroy(reader->queue);
    if (reader->topic)
        rd_kafka_topic_destroy(reader->topic);
    if (reader->kafka)
        rd_kafka_destroy(reader->kafka);
    free(reader->started);
    free(reader);
}

/* ==== Descriptor ==== */

/* What is written each time; the sum does not matter. */
static const uint64_t one = 1;

int descriptor_new(void)
{
    int descriptor = eventfd(1, EFD_NONBLOCK | EFD_CLOEXEC);
    assert(descriptor >= 0);
    return descriptor;
}

void descriptor_on(rd_kafka_queue_t *queue, int descriptor)
{
    rd_kafka_queue_io_event_enable(queue, descriptor, &one, sizeof one);
}

void descriptor_set(int descriptor)
{
    if (descriptor >= 0 && write(descriptor, &one, sizeof one) < 0)
        return; /* it is readable to the brim */
}

void descriptor_clear(int descriptor)
{
    uint64_t sum;
    if (descriptor >= 0 && read(descriptor, &sum, sizeof sum) < 0)
        return; /* it was clear */
}
