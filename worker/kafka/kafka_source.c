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
#include <unistd.h>

#include "producer/base/allocate.h"
#include "producer/base/clock.h"
#include "producer/kafka/kafka_errors.h"
#include "worker/kafka/kafka_policy.h"
#include "worker/kafka/kafka_producer.h"
#include "worker/kafka/kafka_reader.h"
#include "worker/kafka/kafka_record.h"
#include "worker/kafka/kafka_unreadable.h"
#include "worker/kafka/kafka_witness.h"
#include "worker/model/rows.h"

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
 * has the name since (see kafka_witness.h): of what may come in it nothing is known.
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
