/*
 * Producers and brokers below the product's own outbox (worker/kafka/kafka_outbox.c): the linker
 * puts these functions in the place of librdkafka's, and of those that open a producer and read a
 * log. Requests arrive late, even after their producer died, or never; a report may be an error,
 * without an offset, or lost for ever.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kafka.h"
#include "postgres.h"
#include "producer/base/allocate.h"
#include "worker/kafka/kafka_outbox.h"
#include "worker/kafka/kafka_reader.h"
#include "worker/kafka/kafka_scan.h"

enum {
    QUEUE_MAX = 64,
    REQUEST_MAX = 16, /* records of one request */
    REQUEST_US = 20000,
    LATE_MS = 10000,
    SCAN_MS = 50,
    SILENT_S = 60, /* nobody waits for so long for a producer that reports nothing */
};

/* The functions that take the place of others are called by the product alone. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

/* ---- a producer: in the world's memory, what it has sent goes on without its process ---- */

struct producer {
    struct topic_log *log;
    bool has_answers; /* not dead letters */
    int wake;
    const struct sim_machine *machine;
    uint32_t machine_start;
    bool left;                    /* by its process */
    bool known;                   /* to the brokers: something of it is in the log */
    bool refused;                 /* they have missed a request, and append nothing behind it */
    bool fatal;                   /* it can do nothing more, and says so */
    rd_kafka_message_t *messages; /* queued since it was opened */
    uint32_t count, limit;
    uint32_t sent, reported, read; /* of those: in a request; with a report, that was read */
};

static bool has_left(const void *self)
{
    const struct producer *producer = self;
    return producer->left || !producer->machine->alive ||
           producer->machine->start != producer->machine_start;
}

static bool has_work(const void *self)
{
    const struct producer *producer = self;
    return producer->sent < producer->count || has_left(self);
}

/* Answers may be in the log twice, but none of them before its predecessor. */
static void check_order(const struct producer *producer, int64_t seq)
{
    int64_t highest_seq = producer->log->highest_seq;
    if (!producer->has_answers || seq <= highest_seq + 1)
        return;
    (void)fprintf(stderr, "seq %" PRId64 " is published behind seq %" PRId64 ": a gap\n", seq,
                  highest_seq);
    abort();
}

static void append(struct producer *producer, uint32_t from)
{
    for (uint32_t i = from; i < producer->sent; i++) {
        int64_t seq = kafka_tag(&producer->messages[i]);
        const struct kafka_record record = {.seq = seq,
                                            .value = producer->messages[i].payload,
                                            .value_size = producer->messages[i].len};
        if (sim_once_in(20)) /* the end of a transaction of somebody else */
            (void)kafka_append(producer->log, &(struct kafka_record){.kind = KAFKA_NOTHING});
        check_order(producer, seq);
        int64_t offset = kafka_append(producer->log, &record);
        /* Of one that was repeated by itself a broker does not say where it is. */
        bool repeated = kafka.loses > 0 && sim_once_in(50);
        producer->messages[i].offset = repeated ? -1 : offset;
        sim_boundary("appended", seq);
    }
}

static void report(struct producer *producer, uint32_t from, rd_kafka_resp_err_t error)
{
    for (uint32_t i = from; i < producer->sent; i++)
        producer->messages[i].err = error;
    producer->reported = producer->sent;
    if (!has_left(producer))
        kafka_wake_set(producer->wake);
}

/* The brokers' side of one request. False: nothing more is ever heard of the producer. */
static bool deliver(struct producer *producer, uint32_t from)
{
    sim_sleep(sim_below(REQUEST_US));
    if (sim_once_in(kafka.loses))
        sim_sleep(sim_below(LATE_MS) * SIM_MS);
    while (kafka_is_away())
        sim_sleep(100 * SIM_MS);
    bool arrives = !producer->refused && !sim_once_in(kafka.loses);
    if (arrives)
        append(producer, from);
    producer->known |= arrives;
    producer->refused |= producer->known && !arrives;
    sim_sleep(sim_below(REQUEST_US));
    bool lost = !arrives || sim_once_in(kafka.loses);
    kafka.lost_requests += lost;
    if (lost && sim_once_in(2))
        return false;
    producer->fatal = lost && sim_once_in(4);
    if (producer->fatal && !has_left(producer))
        kafka_wake_set(producer->wake);
    else
        report(producer, from,
               lost ? RD_KAFKA_RESP_ERR__MSG_TIMED_OUT : RD_KAFKA_RESP_ERR_NO_ERROR);
    return !producer->fatal;
}

/*
 * Whether its worker gives it up in time, whatever else it is busy with. Pauses do not count, nor
 * while PostgreSQL is away: a new one is opened by the takeover.
 */
static bool is_given_up(const struct producer *producer)
{
    int awake_s = 0;
    while (awake_s < SILENT_S && !sim_await(has_left, producer, sim_now_us + SIM_S))
        awake_s += producer->machine->paused_until_us <= sim_now_us &&
                   postgres.away_until_us <= sim_now_us;
    return awake_s < SILENT_S;
}

static void *serve(void *argument)
{
    struct producer *producer = argument;
    bool heard_of = true;
    while (heard_of && sim_await(has_work, producer, SIM_NEVER) && !has_left(producer)) {
        uint32_t from = producer->sent, count = producer->count - from;
        uint32_t most = 1 + sim_below(REQUEST_MAX);
        producer->sent += count < most ? count : most;
        sim_boundary("sent", kafka_tag(&producer->messages[from]));
        heard_of = deliver(producer, from);
    }
    if (!is_given_up(producer)) {
        (void)fprintf(stderr, "a producer that reports nothing is kept\n");
        abort();
    }
    return NULL; /* its records stay: they are in the log */
}

/* ---- in the place of the product's own, and of librdkafka's ---- */

static int32_t partition_of(const struct kafka_base *base)
{
    return *(const int32_t *)(const void *)base;
}

enum usher_status __wrap_kafka_producer_open(struct kafka_producer *to, struct kafka_base *base,
                                             const struct kafka_producer_plan *plan,
                                             struct usher_error *err)
{
    (void)err;
    int32_t partition = partition_of(base);
    sim_boundary("open", plan->purpose);
    struct sim_machine *mine = sim_enter(sim_machines);
    struct producer *producer = memory_calloc(1, sizeof *producer);
    bool has_answers = plan->purpose == KAFKA_RESULT_PRODUCER;
    *producer = (struct producer){.log = has_answers ? &kafka.results[partition]
                                                     : &kafka.letters[partition],
                                  .has_answers = has_answers,
                                  .wake = plan->wake,
                                  .machine = mine,
                                  .machine_start = mine->start};
    (void)sim_spawn(sim_machines, serve, producer);
    (void)sim_enter(mine);
    *to = (struct kafka_producer){.handle = (void *)producer, .reports = (void *)producer};
    return USHER_OK;
}

void __wrap_kafka_producer_close(struct kafka_producer *closed, struct kafka_base *base)
{
    (void)base;
    if (closed->handle)
        ((struct producer *)(void *)closed->handle)->left = true;
    *closed = (struct kafka_producer){0};
}

enum usher_status __wrap_kafka_producer_send(struct kafka_producer *to,
                                             const struct kafka_outgoing *out,
                                             struct usher_error *err)
{
    struct producer *producer = (void *)to->handle;
    free(out->headers);
    if (producer->fatal) {
        if (err)
            usher_error_set(err, USHER_EXIT_UNAVAILABLE, "the producer failed");
        return USHER_RETRY;
    }
    struct sim_machine *mine = sim_enter(sim_machines);
    if (producer->count == producer->limit) {
        producer->limit = 2 * producer->limit + 16;
        producer->messages =
            memory_realloc(producer->messages, producer->limit, sizeof *producer->messages);
    }
    void *payload = memory_alloc(out->value_size + 1);
    if (out->value_size > 0)
        memcpy(payload, out->value, out->value_size);
    producer->messages[producer->count++] = (rd_kafka_message_t){
        .payload = payload,
        .len = out->value_size,
        ._private = (void *)(intptr_t)out->tag,
    };
    (void)sim_enter(mine);
    return USHER_OK;
}

rd_kafka_event_t *__wrap_rd_kafka_queue_poll(rd_kafka_queue_t *queue, int timeout_ms)
{
    const struct producer *producer = (const void *)queue;
    assert(timeout_ms == 0);
    return producer->read < producer->reported || producer->fatal ? (void *)queue : NULL;
}

rd_kafka_event_type_t __wrap_rd_kafka_event_type(const rd_kafka_event_t *event)
{
    const struct producer *producer = (const void *)event;
    return producer->read < producer->reported ? RD_KAFKA_EVENT_DR : RD_KAFKA_EVENT_ERROR;
}

const rd_kafka_message_t *__wrap_rd_kafka_event_message_next(rd_kafka_event_t *event)
{
    struct producer *producer = (void *)event;
    return producer->read < producer->reported ? &producer->messages[producer->read++] : NULL;
}

int __wrap_rd_kafka_event_error_is_fatal(rd_kafka_event_t *event)
{
    return ((const struct producer *)(const void *)event)->fatal;
}

const char *__wrap_rd_kafka_event_error_string(rd_kafka_event_t *event)
{
    (void)event;
    return "fatal";
}

void __wrap_rd_kafka_event_destroy(rd_kafka_event_t *event)
{
    (void)event;
}

/* Headers belong to the heap of a worker, and are told nobody. */
rd_kafka_headers_t *__wrap_rd_kafka_headers_new(size_t count)
{
    return memory_calloc(1, count);
}

rd_kafka_resp_err_t __wrap_rd_kafka_header_add(rd_kafka_headers_t *headers, const char *name,
                                               ssize_t name_size, const void *value, ssize_t size)
{
    (void)headers;
    (void)name;
    (void)name_size;
    (void)value;
    (void)size;
    return RD_KAFKA_RESP_ERR_NO_ERROR;
}

void __wrap_rd_kafka_headers_destroy(rd_kafka_headers_t *headers)
{
    free(headers);
}

const struct usher_topic_names *__wrap_kafka_base_topics(const struct kafka_base *base)
{
    static const struct usher_topic_names topics = {"requests", "results", "letters"};
    (void)base;
    return &topics;
}

struct kafka_reader *__wrap_kafka_base_reader(const struct kafka_base *base)
{
    (void)base;
    return NULL;
}

struct kafka_place __wrap_kafka_reader_results(const struct kafka_reader *reader, int32_t partition)
{
    (void)reader;
    return (struct kafka_place){.partition = partition};
}

enum usher_status __wrap_kafka_scan(struct kafka_reader *reader, struct kafka_place place,
                                    const struct position *position,
                                    struct consumer_position *found, struct usher_error *err)
{
    const struct topic_log *log = &kafka.results[place.partition];
    (void)reader;
    sim_boundary("scan", position->published_seq);
    sim_sleep(sim_below(SCAN_MS) * SIM_MS);
    if (kafka_is_away() || sim_once_in(kafka.loses)) {
        if (err)
            usher_error_set(err, USHER_EXIT_UNAVAILABLE, "Kafka is away");
        return USHER_RETRY;
    }
    int64_t end = log->end;
    int64_t at = position->published_offset < log->start ? log->start : position->published_offset;
    if (position->published_offset >= log->start)
        assert(at < end && log->records[at].seq == position->published_seq);
    *found = (struct consumer_position){.last_seq = position->published_seq,
                                        .last_offset = position->published_offset};
    for (; at < end; at++) {
        const struct kafka_record *record = &log->records[at];
        if (record->kind != KAFKA_RECORD)
            continue;
        found->highest_seq = record->seq > found->highest_seq ? record->seq : found->highest_seq;
        if (record->seq == found->last_seq + 1) {
            found->last_seq = record->seq;
            found->last_offset = at;
        }
    }
    sim_boundary("scanned", found->last_seq);
    return USHER_OK;
}

/* ---- the ports ---- */

struct outbox_port kafka_outbox(int32_t partition)
{
    static int32_t partitions[KAFKA_PARTITIONS_MAX];
    const struct kafka_outbox_settings settings = {
        .partition = partition, .queue_limit = sim_once_in(2) ? QUEUE_MAX : 1 + sim_below(8)};
    partitions[partition] = partition;
    return kafka_outbox_port(
        kafka_outbox_new((struct kafka_base *)(void *)&partitions[partition], &settings));
}

void kafka_close_outbox(const struct outbox_port *port)
{
    kafka_outbox_close(port->self);
}
