/*
 * One partition of the request topic as the log_port of its allocator: reads the partition's own
 * queue of the group's consumer. Opened by kafka_group; knows nothing of groups and assignments.
 * For the Kafka adapters only: includes rdkafka.h.
 */
#include "worker/kafka/kafka_source.h"

#include <assert.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "producer/base/allocate.h"
#include "producer/base/clock.h"
#include "producer/kafka/kafka_errors.h"
#include "producer/kafka/kafka_settings.h"
#include "worker/base/fingerprint.h"
#include "worker/kafka/kafka_policy.h"
#include "worker/kafka/kafka_producer.h"
#include "worker/model/rows.h"

/*
 * ==== Unreadable batches ====
 *
 * A batch of the request log that librdkafka cannot unpack, though its checksum is good: whoever
 * compressed it did it wrongly, or into more than can be unpacked, so its records are bad input.
 * librdkafka reports the batch's first offset only, again and again; this finds its last one,
 * and makes records of which nothing is known but the offset.
 */

enum kafka_unreadable_state {
    KAFKA_UNREADABLE_NONE, /* no batch, or it is over: read on at `next` */
    KAFKA_UNREADABLE_OPEN, /* its end is being looked for */
    KAFKA_UNREADABLE_ENDS, /* at `inside` */
};

/* Zeroed, but for the first three, which are borrowed: there is none. */
struct kafka_unreadable {
    struct kafka_reader *reader;
    struct kafka_place place;
    int wake;
    enum kafka_unreadable_state state;
    int64_t base;    /* the batch's first offset, as librdkafka reported it */
    int64_t next;    /* the offset to be consumed next */
    int64_t inside;  /* an offset of the batch */
    int64_t outside; /* an offset behind the batch */

    int64_t step;   /* how far behind `inside` is looked next, at most */
    bool confirmed; /* it could not be unpacked a second time, either */
    bool is_reading;
    int64_t asked; /* the offset that is read */
    int64_t asked_ms;
    struct kafka_reading reading;
};

/*
 * Begins with a batch reported at `base`; what precedes `next` was consumed, the log ends at `end`.
 */
static void kafka_unreadable_begin(struct kafka_unreadable *batch, int64_t base, int64_t next,
                                   int64_t end)
{
    *batch = (struct kafka_unreadable){
        .reader = batch->reader,
        .place = batch->place,
        .wake = batch->wake,
        .state = KAFKA_UNREADABLE_OPEN,
        .base = base,
        .next = next,
        .inside = base > next ? base : next,
        .outside = end,
        .step = 1,
    };
}

/* ---- reading ---- */

/* The first is reported to be inside; that is tried once more before anything is made of it. */
static int64_t offset_to_ask(const struct kafka_unreadable *batch)
{
    int64_t half = (batch->outside - batch->inside) / 2;
    if (!batch->confirmed)
        return batch->inside;
    return batch->inside + (batch->step < half ? batch->step : half);
}

static void start(struct kafka_unreadable *batch)
{
    batch->asked = offset_to_ask(batch);
    batch->asked_ms = clock_ms();
    batch->is_reading = kafka_reader_start(batch->reader, batch->place, batch->asked,
                                           &batch->reading, NULL) == USHER_OK;
    if (batch->is_reading)
        kafka_wake_on(batch->reading.queue, batch->wake);
    /* Earlier records did not set the eventfd. */
    if (batch->is_reading && rd_kafka_queue_length(batch->reading.queue) > 0)
        kafka_wake_set(batch->wake);
}

/* Stops reading. Legal at any time. */
static void kafka_unreadable_stop(struct kafka_unreadable *batch)
{
    if (batch->is_reading)
        kafka_reader_stop(&batch->reading);
    batch->is_reading = false;
}

/* Any other error says nothing about the offset: Kafka may just be away. */
static bool is_conclusive(const rd_kafka_message_t *message)
{
    static const rd_kafka_resp_err_t conclusive[] = {
        RD_KAFKA_RESP_ERR_NO_ERROR, RD_KAFKA_RESP_ERR__PARTITION_EOF,
        RD_KAFKA_RESP_ERR__BAD_COMPRESSION, RD_KAFKA_RESP_ERR__BAD_MSG,
        RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET};
    for (size_t i = 0; i < sizeof conclusive / sizeof *conclusive; i++)
        if (message->err == conclusive[i])
            return true;
    return false;
}

static void learn(struct kafka_unreadable *batch, const rd_kafka_message_t *message)
{
    bool fails =
        message->err == RD_KAFKA_RESP_ERR__BAD_COMPRESSION && message->offset == batch->base;
    if (!is_conclusive(message))
        return;
    if (!batch->confirmed && !fails) {
        batch->state = KAFKA_UNREADABLE_NONE;
        return;
    }
    *(fails ? &batch->inside : &batch->outside) = batch->asked;
    if (batch->confirmed)
        batch->step *= 2;
    batch->confirmed = true;
    if (batch->outside - batch->inside <= 1)
        batch->state = KAFKA_UNREADABLE_ENDS;
}

static void poll_reading(struct kafka_unreadable *batch)
{
    rd_kafka_message_t *message;
    if (batch->is_reading && kafka_reader_next(&batch->reading, &message, 1, 0) == 1) {
        learn(batch, message);
        rd_kafka_message_destroy(message);
        kafka_unreadable_stop(batch);
    } else if (clock_ms() - batch->asked_ms > kafka_reader_timeout_ms(batch->reader)) {
        kafka_unreadable_stop(batch);
    }
    if (batch->state == KAFKA_UNREADABLE_OPEN && !batch->is_reading)
        start(batch);
}

/* ---- taking ---- */

/*
 * Fills at most `max` of the batch's records, all zero but their offsets, and returns how many.
 * Never waits: the first come once the end is found; `wake` is set meanwhile. None come where the
 * batch can be unpacked after all.
 */
static uint32_t kafka_unreadable_take(struct kafka_unreadable *batch, struct log_record *records,
                                      uint32_t max)
{
    uint32_t taken = 0;
    if (batch->state == KAFKA_UNREADABLE_OPEN)
        poll_reading(batch);
    if (batch->state == KAFKA_UNREADABLE_ENDS && batch->next < batch->base)
        batch->next = batch->base;
    while (batch->state == KAFKA_UNREADABLE_ENDS && taken < max) {
        records[taken++] = (struct log_record){.offset = batch->next++, .unreadable = true};
        if (batch->next > batch->inside)
            batch->state = KAFKA_UNREADABLE_NONE;
    }
    return taken;
}

/* ==== The log port ==== */

enum {
    /* How long Kafka counts as reachable after it answered; how long to wait for a new answer. */
    CONTACT_MS = 500,
    END_TIMEOUT_MS = 250,
    /* Offsets are committed to Kafka at most this often: they serve dashboards only. */
    COMMIT_INTERVAL_MS = 500,
    SEEK_TIMEOUT_MS = 1000, /* no broker is asked */
    POLICY_TIMEOUT_MS = 500,
};

struct kafka_source {
    struct kafka_base *base;
    struct kafka_gaps *gaps;
    struct kafka_reader *reader;
    struct kafka_place place; /* the partition, for the reader */
    rd_kafka_t *consumer;
    const char *topic;
    int32_t partition;
    rd_kafka_queue_t *queue;
    int wake;
    struct log_context context;

    rd_kafka_message_t **messages; /* scratch of source_take */
    uint32_t message_limit;
    uint32_t borrowed;   /* records taken and not released */
    int64_t next_offset; /* after the last record taken */
    int64_t seen_until;  /* everything before it was taken, or is no record that can be read */
    _Atomic bool lost;   /* only an assignment starts it again */
    int64_t appended_ms; /* of the last record that could be read */
    struct log_limit failure_log;
    bool timestamp_reported;

    struct kafka_unreadable unreadable;
    struct log_limit unreadable_limit;
    struct kafka_witness witness;
    struct kafka_policy policy;

    enum usher_status health; /* once not OK, no record follows: one may be missing */
    struct usher_error error;

    int64_t eof_offset;      /* of the last end-of-partition event; -1: none */
    int64_t stable_offset;   /* the last stable offset as last seen behind the high watermark … */
    int64_t stable_since_ms; /* … since then */
    int64_t last_contact_ms; /* when Kafka last answered */
    int64_t requested_ms;    /* when the end of the log was last requested */
    int32_t replicas;        /* of the log; 0: not known yet */
    struct kafka_noop noop;

    int64_t acknowledged, committed; /* offsets; -1: none */
    int64_t committed_ms;
};

struct kafka_source *kafka_source_open(struct kafka_base *base, struct kafka_gaps *gaps,
                                       rd_kafka_t *consumer, int32_t partition, int64_t start)
{
    struct kafka_source *source = memory_calloc(1, sizeof *source);
    source->base = base;
    source->gaps = gaps;
    source->reader = kafka_base_reader(base);
    source->place = kafka_reader_requests(source->reader, partition);
    source->consumer = consumer;
    source->topic = kafka_base_topics(base)->requests;
    source->partition = partition;
    source->next_offset = source->seen_until = start;
    source->context = log_context_with(NULL, "partition=%" PRId32, partition);
    source->eof_offset = source->stable_offset = -1;
    source->acknowledged = source->committed = -1;
    source->wake = kafka_wake_new();
    source->queue = rd_kafka_queue_get_partition(consumer, source->topic, partition);
    assert(source->queue);
    rd_kafka_queue_forward(source->queue, NULL);
    kafka_wake_on(source->queue, source->wake);
    source->unreadable.reader = source->reader;
    source->unreadable.place = source->place;
    source->unreadable.wake = source->wake;
    source->noop.base = base;
    source->noop.context = source->context;
    source->noop.partition = partition;
    source->noop.wake = source->wake;
    kafka_witness_init(&source->witness, source->reader, source->place, source->wake);
    kafka_policy_open(&source->policy, base, &source->context);
    return source;
}

void kafka_source_close(struct kafka_source *source)
{
    if (!source)
        return;
    assert(source->borrowed == 0);
    kafka_unreadable_stop(&source->unreadable);
    kafka_noop_close(&source->noop);
    kafka_witness_stop(&source->witness);
    kafka_policy_close(&source->policy);
    kafka_wake_on(source->queue, -1);
    rd_kafka_queue_destroy(source->queue);
    close(source->wake);
    free(source->messages);
    free(source);
}

bool kafka_source_is_lost(const struct kafka_source *source)
{
    return source->lost;
}

/* ---- time ---- */

/* Returns 0, which advances no clock, for a time set by a client: it could expire holds. */
static int64_t append_time(struct kafka_source *source, const rd_kafka_message_t *message)
{
    rd_kafka_timestamp_type_t type;
    int64_t ms = rd_kafka_message_timestamp(message, &type);
    if (type == RD_KAFKA_TIMESTAMP_LOG_APPEND_TIME)
        return ms;
    if (!source->timestamp_reported) {
        log_error(&source->context,
                  "topic \"%s\" does not record append times: set message.timestamp.type to "
                  "LogAppendTime; until then holds expire late",
                  source->topic);
        source->timestamp_reported = true;
    }
    return 0;
}

/* ---- the position ---- */

/*
 * From the moment of the call on librdkafka discards what was fetched and reported for the position
 * before (but for errors like that of is_stale_error). A partition that it does not read at all, as
 * after an offset that is not there, it refuses to move.
 */
static enum usher_status seek(struct kafka_source *source, int64_t offset, struct usher_error *err)
{
    rd_kafka_topic_t *topic = rd_kafka_topic_new(source->consumer, source->topic, NULL);
    assert(topic);
    rd_kafka_resp_err_t code =
        rd_kafka_seek(topic, source->partition,
                      offset == OFFSET_NONE ? RD_KAFKA_OFFSET_BEGINNING : offset, SEEK_TIMEOUT_MS);
    rd_kafka_topic_destroy(topic);
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR) {
        source->next_offset = source->seen_until = offset;
        source->eof_offset = -1; /* there may be records before it now */
        return USHER_OK;
    }
    source->lost = true;
    usher_error_set(err, USHER_EXIT_UNAVAILABLE, "could not read on at offset %" PRId64 ": %s",
                    offset, rd_kafka_err2str(code));
    return USHER_RETRY;
}

/* Reads on where it is: no record comes until it is assigned again if that fails. */
static void seek_next(struct kafka_source *source)
{
    struct usher_error err;
    if (seek(source, source->next_offset, &err) != USHER_OK)
        log_warning(&source->context, "%s", err.text);
}

static int64_t source_position(void *self)
{
    return ((const struct kafka_source *)self)->next_offset;
}

static enum usher_status source_seek(void *self, int64_t offset, struct usher_error *err)
{
    struct kafka_source *source = self;
    kafka_unreadable_stop(&source->unreadable);
    source->unreadable.state = KAFKA_UNREADABLE_NONE;
    return seek(source, offset, err);
}

/* ---- offsets without a record ---- */

/* There is none between what was seen and `offset`: see kafka_gaps.h. */
static void see(struct kafka_source *source, int64_t offset, int64_t next_offset)
{
    const struct kafka_gap gap = {source->seen_until, offset};
    if (offset > 0 && offset > source->seen_until)
        kafka_gaps_add(source->gaps, source->partition, &gap);
    if (next_offset > source->seen_until)
        source->seen_until = next_offset;
}

static struct log_gaps source_gaps(void *self)
{
    const struct kafka_source *source = self;
    return kafka_gaps_take(source->gaps, source->partition);
}

/* ---- a batch that cannot be unpacked ---- */

static void handle_unreadable(struct kafka_source *source, int64_t base)
{
    int64_t low, end;
    /* The batch was fetched, so the end is known. */
    rd_kafka_resp_err_t code = rd_kafka_get_watermark_offsets(source->consumer, source->topic,
                                                              source->partition, &low, &end);
    assert(code == RD_KAFKA_RESP_ERR_NO_ERROR);
    log_failure(&source->unreadable_limit, &source->context, LOG_LEVEL_WARNING,
                "the batch of requests at offset %" PRId64 " cannot be unpacked: they are invalid",
                base);
    kafka_witness_stop(&source->witness); /* one reading at a time */
    kafka_unreadable_begin(&source->unreadable, base, source->next_offset, end);
}

/* Their time is not known: the log's time is not before that of the record before them. */
static uint32_t take_unreadable(struct kafka_source *source, struct log_record *records,
                                uint32_t max)
{
    uint32_t taken = kafka_unreadable_take(&source->unreadable, records, max);
    for (uint32_t i = 0; i < taken; i++)
        records[i].appended_ms = source->appended_ms;
    source->next_offset = source->unreadable.next;
    if (taken > 0)
        see(source, records[0].offset, source->next_offset);
    if (source->unreadable.state == KAFKA_UNREADABLE_NONE)
        seek_next(source); /* after the batch */
    source->borrowed += taken;
    if (taken > 0)
        kafka_wake_set(source->wake);
    return taken;
}

/* ---- what Kafka is told ---- */

static void commit_offset(struct kafka_source *source)
{
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(list, source->topic, source->partition)->offset =
        source->acknowledged;
    rd_kafka_commit(source->consumer, list, 1);
    rd_kafka_topic_partition_list_destroy(list);
    source->committed = source->acknowledged;
    source->committed_ms = clock_ms();
}

static void commit_if_due(struct kafka_source *source)
{
    if (source->acknowledged > source->committed &&
        clock_ms() - source->committed_ms >= COMMIT_INTERVAL_MS)
        commit_offset(source);
}

/* ---- taking ---- */

/*
 * Whether the offset that was not there is another than the next one: that of an earlier assignment
 * to this process, or from before a seek, whose error is still in the queue. What is next is sought
 * then, and if it is not there either, that is reported.
 */
static bool is_stale_error(struct kafka_source *source, const rd_kafka_message_t *message)
{
    if (message->offset == source->next_offset)
        return false;
    seek_next(source);
    return true;
}

/* Handles an event instead of a record: the end of the partition, or an error. */
static void handle_error(struct kafka_source *source, const rd_kafka_message_t *message)
{
    if (message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
        source->eof_offset = message->offset;
        see(source, message->offset, message->offset);
        return;
    }
    /* The checksum was good, or it would be _BAD_MSG. */
    if (message->err == RD_KAFKA_RESP_ERR__BAD_COMPRESSION) {
        handle_unreadable(source, message->offset);
        return;
    }
    if (message->err == RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET && is_stale_error(source, message))
        return;
    struct usher_error error;
    enum usher_status status =
        kafka_fail(&error, message->err, "could not read offset %" PRId64, message->offset);
    if (message->err == RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET)
        usher_error_set(&error, USHER_EXIT_CONFIG,
                        "offset %" PRId64 " is not in the request log: it was deleted before it "
                        "was decided, or the topic was recreated",
                        message->offset);
    if (status == USHER_RETRY) {
        log_failure(&source->failure_log, &source->context, LOG_LEVEL_WARNING, "%s", error.text);
        return;
    }
    /* librdkafka skips records that it cannot read (bad checksum): none after them may be decided.
     */
    source->health =
        status == USHER_FATAL && error.exit_code != USHER_EXIT_BUG ? USHER_FATAL : USHER_HALT;
    source->error = error;
}

static void grow_messages(struct kafka_source *source, uint32_t max)
{
    if (max <= source->message_limit)
        return;
    free(source->messages);
    source->messages = memory_calloc(max, sizeof(rd_kafka_message_t *));
    source->message_limit = max;
}

/*
 * Takes over the message: it is what `record` borrows, or it is destroyed, as one that was fetched
 * with it before a seek in their midst.
 */
static bool take_message(struct kafka_source *source, rd_kafka_message_t *message,
                         struct log_record *record)
{
    bool readable = source->health == USHER_OK && source->unreadable.state == KAFKA_UNREADABLE_NONE;
    if (message->err && readable)
        handle_error(source, message);
    bool is_next = readable && message->offset >= source->next_offset;
    bool is_noop = is_next && kafka_is_noop(message);
    if (is_next && !message->err)
        see(source, message->offset, message->offset + 1);
    if (is_noop) /* what is before it was taken, as at an end of the partition */
        source->next_offset = source->eof_offset = message->offset + 1;
    if (message->err || !is_next || is_noop) {
        rd_kafka_message_destroy(message);
        return false;
    }
    *record = kafka_record(message);
    record->appended_ms = source->appended_ms = append_time(source, message);
    source->next_offset = message->offset + 1;
    kafka_witness_took(&source->witness, message);
    return true;
}

/* Whether what is fetched is known to be of the log that was read so far. */
static bool is_same_log(struct kafka_source *source)
{
    struct usher_error error = {0};
    enum usher_status status = kafka_witness_check(&source->witness, source->queue, &error);
    if (status == USHER_HALT) {
        source->health = status;
        source->error = error;
    } else if (error.text[0] != '\0' && rd_kafka_queue_length(source->queue) > 0) {
        log_failure(&source->failure_log, &source->context, LOG_LEVEL_WARNING, "%s", error.text);
    }
    return status == USHER_OK;
}

/* Whether the topic is still set to keep the requests. */
static bool is_kept(struct kafka_source *source)
{
    enum usher_status status = kafka_policy_check(&source->policy, 0, &source->error);
    if (status != USHER_OK)
        source->health = status;
    return status == USHER_OK;
}

static uint32_t source_take(void *self, struct log_record *records, uint32_t max)
{
    struct kafka_source *source = self;
    commit_if_due(source);
    if (source->health != USHER_OK || max == 0)
        return 0;
    if (source->unreadable.state != KAFKA_UNREADABLE_NONE)
        return take_unreadable(source, records, max);
    if (!is_kept(source) || !is_same_log(source))
        return 0;
    grow_messages(source, max);
    ssize_t count = rd_kafka_consume_batch_queue(source->queue, 0, source->messages, max);
    uint32_t taken = 0;
    for (ssize_t i = 0; i < count; i++)
        taken += take_message(source, source->messages[i], &records[taken]) ? 1 : 0;
    if (count == (ssize_t)max || source->unreadable.state != KAFKA_UNREADABLE_NONE)
        kafka_wake_set(source->wake);
    if (taken > 0) {
        source->last_contact_ms = clock_ms();
        log_recovery(&source->failure_log, &source->context, "reading again");
    }
    source->borrowed += taken;
    return taken;
}

static void source_release(void *self, struct log_record *records, uint32_t count)
{
    struct kafka_source *source = self;
    assert(count <= source->borrowed);
    for (uint32_t i = 0; i < count; i++) {
        if (records[i].handle)
            rd_kafka_message_destroy(records[i].handle);
        records[i].handle = NULL;
    }
    source->borrowed -= count;
}

static int source_descriptor(void *self)
{
    return ((struct kafka_source *)self)->wake;
}

static enum usher_status source_health(void *self, struct usher_error *err)
{
    const struct kafka_source *source = self;
    if (source->health != USHER_OK)
        usher_error_set(err, source->error.exit_code, "%s", source->error.text);
    return source->health;
}

/* ---- progress ---- */

/* Control records of transactions occupy offsets, too: only the end of the partition shows them. */
static int64_t read_up_to(const struct kafka_source *source, int64_t next_offset)
{
    return next_offset > source->eof_offset ? next_offset : source->eof_offset;
}

static int64_t source_read_up_to(void *self, int64_t next_offset)
{
    return read_up_to(self, next_offset);
}

/* Returns the high watermark of the last fetch, which may have been empty; -1: none yet. */
static int64_t fetched_end(const struct kafka_source *source)
{
    int64_t low, high;
    rd_kafka_resp_err_t code = rd_kafka_get_watermark_offsets(source->consumer, source->topic,
                                                              source->partition, &low, &high);
    return code == RD_KAFKA_RESP_ERR_NO_ERROR && high >= 0 ? high : -1;
}

/*
 * Up to the last stable offset, where the end of the partition is reported, everything was taken,
 * while the high watermark is further on.
 */
static bool has_open_transaction(const struct kafka_source *source, int64_t end)
{
    return source->health == USHER_OK && source->eof_offset >= source->next_offset &&
           end > source->eof_offset && rd_kafka_queue_length(source->queue) == 0;
}

static int64_t open_transaction_ms(struct kafka_source *source, int64_t end)
{
    if (!has_open_transaction(source, end))
        source->stable_offset = -1;
    else if (source->stable_offset != source->eof_offset) {
        source->stable_offset = source->eof_offset;
        source->stable_since_ms = clock_ms();
    }
    return source->stable_offset >= 0 ? clock_ms() - source->stable_since_ms : 0;
}

static int64_t source_lag(void *self, int64_t next_offset, int64_t *open_ms)
{
    struct kafka_source *source = self;
    int64_t end = fetched_end(source);
    int64_t lag = end - read_up_to(source, next_offset);
    *open_ms = open_transaction_ms(source, end);
    return lag > 0 ? lag : 0;
}

/* Whether the number of replicas is known; asks for it, not too often. */
static bool knows_replicas(struct kafka_source *source)
{
    if (source->replicas > 0)
        return true;
    if (clock_ms() - source->requested_ms < CONTACT_MS)
        return false;
    if (kafka_reader_replicas(source->reader, source->place, END_TIMEOUT_MS, &source->replicas,
                              NULL) == USHER_OK)
        return true;
    source->requested_ms = clock_ms();
    return false;
}

/* Of a single replica all that is appended can be read. */
static int64_t source_hidden_ms(void *self, int64_t enough_ms)
{
    struct kafka_source *source = self;
    struct kafka_noop *noop = &source->noop;
    if (source->replicas == 1)
        return 0;
    kafka_noop_serve(noop);
    int64_t ago_ms = clock_ms() - noop->appended_ms;
    if (noop->end > 0 && source->eof_offset >= noop->end && ago_ms <= enough_ms)
        return ago_ms;
    kafka_noop_send(noop);
    return -1;
}

/*
 * Whether the log ends where it was taken up to. One that ends before that is another log, which
 * has the name since (see "Recreated topics"): of what may come in it nothing is known.
 */
static bool is_taken_up_to(const struct kafka_source *source, int64_t next_offset, int64_t end)
{
    return end >= 0 && read_up_to(source, next_offset) == end;
}

static bool source_drained(void *self, int64_t next_offset)
{
    struct kafka_source *source = self;
    int64_t end = fetched_end(source);
    if (source->health != USHER_OK || !is_taken_up_to(source, next_offset, end) ||
        !knows_replicas(source))
        return false;
    int64_t now_ms = clock_ms();
    if (now_ms - source->last_contact_ms < CONTACT_MS)
        return true;
    /* Without contact the fetched end may be outdated: the current one is requested. */
    if (now_ms - source->requested_ms < CONTACT_MS)
        return false;
    enum usher_status status =
        kafka_reader_end(source->reader, source->place, END_TIMEOUT_MS, &end, NULL);
    source->requested_ms = status == USHER_OK ? now_ms : clock_ms();
    if (status != USHER_OK) /* asked for again, which makes a new leader known, too */
        source->replicas = 0;
    if (status != USHER_OK || !is_taken_up_to(source, next_offset, end))
        return false;
    source->last_contact_ms = now_ms;
    return true;
}

static void source_acknowledge(void *self, int64_t next_offset)
{
    struct kafka_source *source = self;
    source->acknowledged = next_offset;
    commit_if_due(source);
}

void kafka_source_flush(struct kafka_source *source)
{
    if (source->acknowledged > source->committed)
        commit_offset(source);
}

static enum usher_status source_check_policy(void *self, struct usher_error *err)
{
    struct kafka_source *source = self;
    return kafka_policy_check(&source->policy, POLICY_TIMEOUT_MS, err);
}

static enum usher_status source_bounds(void *self, int64_t *start, int64_t *end,
                                       struct usher_error *err)
{
    const struct kafka_source *source = self;
    struct kafka_bounds bounds;
    enum usher_status status = kafka_reader_bounds(
        source->reader, source->place, kafka_reader_timeout_ms(source->reader), &bounds, err);
    if (status == USHER_OK) {
        *start = bounds.start;
        *end = bounds.end;
    }
    return status;
}

static enum usher_status source_read_fingerprint(void *self, int64_t offset, int64_t *fingerprint,
                                                 struct usher_error *err)
{
    struct kafka_source *source = self;
    kafka_witness_stop(&source->witness);
    enum usher_status status =
        kafka_reader_fingerprint(source->reader, source->place, offset, fingerprint, err);
    if (status == USHER_OK)
        kafka_witness_saw(&source->witness, offset, *fingerprint);
    return status;
}

/* The first record from `from` on that the reader sees; `until`: none before that. */
static enum usher_status find_first(const struct kafka_source *source, struct kafka_reader *reader,
                                    int64_t from, int64_t until, int64_t *first,
                                    struct usher_error *err)
{
    enum usher_status status =
        kafka_reader_first(reader, kafka_reader_requests(reader, source->partition),
                           from == OFFSET_NONE ? RD_KAFKA_OFFSET_BEGINNING : from, first, err);
    if (*first == OFFSET_NONE || *first > until)
        *first = until;
    return status;
}

/*
 * The shared reader sees records of aborted transactions, too. Only if it sees a record, a
 * read-committed reader is opened.
 */
static enum usher_status source_first_record(void *self, int64_t from, int64_t until,
                                             int64_t *first, struct usher_error *err)
{
    struct kafka_source *source = self;
    struct kafka_base *base = source->base;
    struct kafka_reader *committed;
    kafka_unreadable_stop(&source->unreadable); /* one reading at a time; it begins again */
    kafka_witness_stop(&source->witness);
    enum usher_status status = find_first(source, source->reader, from, until, first, err);
    if (status != USHER_OK || *first == until)
        return status;
    status = kafka_reader_open(kafka_base_settings(base), kafka_base_topics(base),
                               kafka_reader_timeout_ms(source->reader), true, &committed, err);
    if (status != USHER_OK)
        return status;
    status = find_first(source, committed, from, until, first, err);
    kafka_reader_close(committed, kafka_base_disposal(base));
    return status;
}

struct log_port kafka_source_port(struct kafka_source *source)
{
    return (struct log_port){
        .self = source,
        .take = source_take,
        .release = source_release,
        .position = source_position,
        .seek = source_seek,
        .descriptor = source_descriptor,
        .check_policy = source_check_policy,
        .bounds = source_bounds,
        .drained = source_drained,
        .hidden_ms = source_hidden_ms,
        .health = source_health,
        .read_fingerprint = source_read_fingerprint,
        .first_record = source_first_record,
        .read_up_to = source_read_up_to,
        .lag = source_lag,
        .gaps = source_gaps,
        .acknowledge = source_acknowledge,
    };
}

/* ==== Recreated topics ==== */

enum {
    SEEN_MS = 1000,   /* how old it is when the record is read again … */
    QUIET_MS = 10000, /* … and where nothing comes: a new log may be as long as the old one was */
    TRUST_MS = 2000,  /* … and when nothing more is taken before that has succeeded */
    AGAIN_MS = 100,   /* between two tries */
    BOUNDS_MS = 250,  /* for each bound of the log */
};

void kafka_witness_init(struct kafka_witness *witness, struct kafka_reader *reader,
                        struct kafka_place place, int wake)
{
    *witness = (struct kafka_witness){
        .reader = reader,
        .place = place,
        .wake = wake,
        .seen = {.offset = OFFSET_NONE},
        .taken = {.offset = OFFSET_NONE},
        .next = {.offset = OFFSET_NONE},
        .seen_ms = clock_ms(),
    };
}

void kafka_witness_saw(struct kafka_witness *witness, int64_t offset, int64_t fingerprint)
{
    witness->seen = (struct kafka_mark){offset, fingerprint};
    witness->seen_ms = clock_ms();
}

static bool is_set(const struct kafka_mark *mark)
{
    return mark->offset != OFFSET_NONE;
}

static int64_t fingerprint_of(const rd_kafka_message_t *message)
{
    return record_fingerprint(message->key, message->key_len, message->payload, message->len);
}

/* The first since the last reading began: any will do. */
void kafka_witness_took(struct kafka_witness *witness, const rd_kafka_message_t *message)
{
    if (!is_set(&witness->next))
        witness->next = (struct kafka_mark){message->offset, fingerprint_of(message)};
}

/* The record to be read; where none was ever read again, the first that was taken. */
static const struct kafka_mark *mark_of(const struct kafka_witness *witness)
{
    return is_set(&witness->seen) ? &witness->seen : &witness->taken;
}

/* What is in the queue may have been fetched before or after a topic was recreated. */
static bool is_due(const struct kafka_witness *witness, rd_kafka_queue_t *queue)
{
    int64_t age_ms = clock_ms() - witness->seen_ms;
    if (is_set(&witness->taken) || is_set(&witness->next))
        return age_ms >= SEEN_MS;
    return is_set(&witness->seen) && age_ms >= SEEN_MS &&
           (age_ms >= QUIET_MS || rd_kafka_queue_length(queue) > 0);
}

/* ---- reading ---- */

static enum usher_status begin_reading(struct kafka_witness *witness, struct usher_error *err)
{
    int64_t now_ms = clock_ms();
    if (now_ms - witness->asked_ms < AGAIN_MS)
        return USHER_RETRY;
    witness->asked_ms = now_ms;
    if (!is_set(&witness->taken)) {
        witness->taken = witness->next;
        witness->next.offset = OFFSET_NONE;
    }
    witness->is_reading =
        kafka_reader_start(witness->reader, witness->place, mark_of(witness)->offset,
                           &witness->reading, err) == USHER_OK;
    if (witness->is_reading)
        kafka_wake_on(witness->reading.queue, witness->wake);
    /* Earlier records did not set the eventfd. */
    if (witness->is_reading && rd_kafka_queue_length(witness->reading.queue) > 0)
        kafka_wake_set(witness->wake);
    return USHER_RETRY;
}

void kafka_witness_stop(struct kafka_witness *witness)
{
    if (witness->is_reading)
        kafka_reader_stop(&witness->reading);
    witness->is_reading = false;
}

/* ---- what it says ---- */

static enum usher_status recreated(const struct kafka_witness *witness, struct usher_error *err)
{
    usher_error_set(err, USHER_EXIT_CONFIG,
                    "the request at offset %" PRId64
                    " is not the one that was consumed: the topic was recreated",
                    mark_of(witness)->offset);
    return USHER_HALT;
}

/*
 * The record is not there. Retention may have deleted it; and a new leader shows it only when the
 * other replicas have heard of it, which its end takes into account, unlike what is read.
 */
static enum usher_status judge_absence(struct kafka_witness *witness, bool other_is_there,
                                       struct usher_error *err)
{
    struct kafka_bounds bounds;
    int64_t offset = mark_of(witness)->offset;
    if (kafka_reader_bounds(witness->reader, witness->place, BOUNDS_MS, &bounds, err) != USHER_OK)
        return USHER_RETRY;
    if (offset < bounds.start)
        return USHER_OK;
    return other_is_there || offset >= bounds.end ? recreated(witness, err) : USHER_RETRY;
}

static enum usher_status judge(struct kafka_witness *witness, const rd_kafka_message_t *message,
                               struct usher_error *err)
{
    const struct kafka_mark *mark = mark_of(witness);
    if (!message->err && message->offset == mark->offset)
        return fingerprint_of(message) == mark->fingerprint ? USHER_OK : recreated(witness, err);
    if (!message->err || message->err == RD_KAFKA_RESP_ERR__BAD_COMPRESSION) /* it could be read */
        return judge_absence(witness, true, err);
    if (message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF ||
        message->err == RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET)
        return judge_absence(witness, false, err);
    /* Says nothing about the record; and what is to end the worker, the group is told, too. */
    (void)kafka_fail(err, message->err, "could not read offset %" PRId64 " again", mark->offset);
    return USHER_RETRY;
}

static enum usher_status continue_reading(struct kafka_witness *witness, struct usher_error *err)
{
    rd_kafka_message_t *message;
    if (kafka_reader_next(&witness->reading, &message, 1, 0) == 1) {
        kafka_witness_stop(witness);
        enum usher_status status = judge(witness, message, err);
        rd_kafka_message_destroy(message);
        return status;
    }
    if (clock_ms() - witness->asked_ms > kafka_reader_timeout_ms(witness->reader)) {
        kafka_witness_stop(witness);
        (void)kafka_fail(err, RD_KAFKA_RESP_ERR__TIMED_OUT,
                         "could not read offset %" PRId64 " again", mark_of(witness)->offset);
    }
    return USHER_RETRY;
}

/* What was taken before the reading began is of this log, too. */
static enum usher_status read_again(struct kafka_witness *witness, struct usher_error *err)
{
    enum usher_status status =
        witness->is_reading ? continue_reading(witness, err) : begin_reading(witness, err);
    if (status != USHER_OK)
        return status;
    witness->seen_ms = witness->asked_ms;
    if (is_set(&witness->taken))
        witness->seen = witness->taken;
    witness->taken.offset = OFFSET_NONE;
    return USHER_OK;
}

enum usher_status kafka_witness_check(struct kafka_witness *witness, rd_kafka_queue_t *queue,
                                      struct usher_error *err)
{
    if (!witness->is_reading && !is_due(witness, queue))
        return USHER_OK;
    bool in_background = witness->asked_ms - witness->seen_ms < TRUST_MS;
    enum usher_status status = read_again(witness, err);
    /* One that began in the background tells too little where the process did not run since. */
    if (status == USHER_HALT || (status == USHER_OK && !in_background))
        return status;
    return clock_ms() - witness->seen_ms < TRUST_MS ? USHER_OK : USHER_RETRY;
}
