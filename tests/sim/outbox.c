/*
 * The outbox: answers go to the broker in requests, one under way at a time, which arrive late,
 * even after their producer died, or never; a report may be lost. The position is the product's.
 */
#include <assert.h>
#include <stdlib.h>
#include <unistd.h>

#include "fake_database.h"
#include "kafka.h"
#include "producer/base/allocate.h"
#include "seams.h"
#include "worker/kafka/kafka_outbox.h"

enum {
    QUEUE_MAX = 64,
    REQUEST_MAX = 16,
    REQUEST_US = 20000,
    LATE_MS = 10000,
    DELIVERY_TIMEOUT_MS = 30000,
    SCAN_MS = 50,
};

/* A record on its way to the broker. */
struct item {
    bool is_letter;
    int64_t seq;
    int64_t offset; /* once appended */
    struct decision_row row;
};

/* A request, in the world's memory: it goes on without its producer. */
struct request {
    int32_t partition;
    struct item items[REQUEST_MAX];
    uint32_t count;
    struct usher_arena arena;
    int64_t sent_us;
    bool done, lost; /* reported, or never */
    bool left;       /* by its producer */
    const struct sim_machine *machine;
    uint32_t machine_start;
};

struct outbox {
    int32_t partition;
    struct delivered delivered;
    struct item queue[4096];
    uint32_t count;
    struct usher_arena arena; /* of the rows queued */
    struct request *under_way;
    bool open, failed, first; /* `first`: its first answer is sent alone */
    int64_t scanned_seq, scanned_offset;
    int descriptor;
};

static bool is_orphan(const struct request *request)
{
    return request->left || !request->machine->alive ||
           request->machine->start != request->machine_start;
}

static bool is_orphaned(const void *self)
{
    return is_orphan(self);
}

/* Dead letters go to another broker, which may lose them alone. */
static void append(struct request *request, bool letters)
{
    for (uint32_t i = 0; i < request->count; i++) {
        struct item *item = &request->items[i];
        if (item->is_letter && !letters)
            continue;
        struct topic_log *log = item->is_letter ? &kafka.letters[request->partition]
                                                : &kafka.results[request->partition];
        struct kafka_record record = {.seq = item->seq};
        if (!item->is_letter) {
            struct decision_row *row = memory_alloc(sizeof *row);
            *row = fake_copy_decision(&request->arena, &item->row);
            record.row = row;
        }
        if (sim_once_in(20)) /* the end of a transaction of somebody else */
            (void)kafka_append(log, &(struct kafka_record){.kind = KAFKA_NOTHING});
        item->offset = kafka_append(log, &record);
        sim_boundary("appended", item->seq);
    }
}

/* The broker's side of one request. */
static void *deliver(void *argument)
{
    struct request *request = argument;
    sim_sleep(sim_below(REQUEST_US));
    if (sim_once_in(kafka.loses))
        sim_sleep(sim_below(LATE_MS) * SIM_MS);
    while (kafka_is_away())
        sim_sleep(100 * SIM_MS);
    bool arrives = !sim_once_in(kafka.loses), letters = !sim_once_in(kafka.loses);
    if (arrives)
        append(request, letters);
    sim_sleep(sim_below(REQUEST_US));
    request->lost = !arrives || !letters || sim_once_in(kafka.loses);
    kafka.lost_requests += request->lost ? 1 : 0;
    request->done = true;
    (void)sim_await(is_orphaned, request, SIM_NEVER);
    /* Its rows stay: they are in the log. */
    return NULL;
}

static enum usher_status failed(struct usher_error *err)
{
    if (err)
        usher_error_set(err, USHER_EXIT_UNAVAILABLE, "the producer failed");
    return USHER_RETRY;
}

static void drop(struct outbox *outbox)
{
    if (outbox->under_way)
        outbox->under_way->left = true;
    outbox->under_way = NULL;
    outbox->count = 0;
    outbox->open = false;
    usher_arena_reset(&outbox->arena);
}

static enum usher_status open_outbox(void *self, struct usher_error *err)
{
    struct outbox *outbox = self;
    sim_boundary("open", 0);
    drop(outbox);
    sim_sleep(sim_below(20) * SIM_MS);
    if (kafka_is_away() || sim_once_in(kafka.loses))
        return failed(err);
    outbox->open = true;
    outbox->failed = false;
    outbox->first = true;
    delivered_start(&outbox->delivered, outbox->scanned_seq, outbox->scanned_offset);
    return USHER_OK;
}

/* NOLINTNEXTLINE(readability-function-size): the port's signature */
static enum usher_status scan(void *self, const struct position *position, int64_t *last_seq,
                              int64_t *last_offset, int64_t *highest_seq, struct usher_error *err)
{
    struct outbox *outbox = self;
    const struct topic_log *log = &kafka.results[outbox->partition];
    sim_boundary("scan", position->published_seq);
    drop(outbox);
    sim_sleep(sim_below(SCAN_MS) * SIM_MS);
    if (kafka_is_away() || sim_once_in(kafka.loses))
        return failed(err);
    int64_t end = log->end;
    int64_t at = position->published_offset < log->start ? log->start : position->published_offset;
    if (position->published_offset >= log->start)
        assert(at < end && log->records[at].seq == position->published_seq);
    *last_seq = position->published_seq;
    *last_offset = position->published_offset;
    *highest_seq = 0;
    for (; at < end; at++) {
        const struct kafka_record *record = &log->records[at];
        if (record->kind != KAFKA_RECORD)
            continue;
        *highest_seq = record->seq > *highest_seq ? record->seq : *highest_seq;
        if (record->seq == *last_seq + 1) {
            *last_seq = record->seq;
            *last_offset = at;
        }
    }
    outbox->scanned_seq = *last_seq;
    outbox->scanned_offset = *last_offset;
    sim_boundary("scanned", *last_seq);
    return USHER_OK;
}

static enum usher_status publish(void *self, const struct decision_row *row,
                                 struct usher_error *err)
{
    struct outbox *outbox = self;
    if (!outbox->open || outbox->failed)
        return failed(err);
    assert(outbox->count < sizeof outbox->queue / sizeof *outbox->queue);
    delivered_sent(&outbox->delivered, row->seq);
    outbox->queue[outbox->count++] =
        (struct item){.seq = row->seq, .row = fake_copy_decision(&outbox->arena, row)};
    return USHER_OK;
}

static enum usher_status dead_letter(void *self, const struct dead_letter_row *row,
                                     struct usher_error *err)
{
    struct outbox *outbox = self;
    if (!outbox->open || outbox->failed)
        return failed(err);
    assert(outbox->count < sizeof outbox->queue / sizeof *outbox->queue);
    delivered_letter_sent(&outbox->delivered, row->seq);
    outbox->queue[outbox->count++] = (struct item){.is_letter = true, .seq = row->seq};
    return USHER_OK;
}

/* Takes up what is queued, dead letters before the answers behind them. */
static void send_some(struct outbox *outbox)
{
    if (outbox->under_way || outbox->count == 0)
        return;
    uint32_t most = outbox->first ? 1 : 1 + sim_below(REQUEST_MAX);
    uint32_t count = outbox->count < most ? outbox->count : most;
    struct sim_machine *mine = sim_enter(sim_machines);
    struct request *request = memory_calloc(1, sizeof *request);
    request->partition = outbox->partition;
    request->count = count;
    request->sent_us = sim_now_us;
    request->machine = mine;
    request->machine_start = mine->start;
    for (uint32_t i = 0; i < count; i++) {
        request->items[i] = outbox->queue[i];
        if (!request->items[i].is_letter)
            request->items[i].row = fake_copy_decision(&request->arena, &outbox->queue[i].row);
    }
    (void)sim_spawn(sim_machines, deliver, request);
    (void)sim_enter(mine);
    for (uint32_t i = count; i < outbox->count; i++)
        outbox->queue[i - count] = outbox->queue[i];
    outbox->count -= count;
    if (outbox->count == 0)
        usher_arena_reset(&outbox->arena);
    outbox->under_way = request;
    sim_boundary("sent", request->items[0].seq);
}

static bool take_reports(struct outbox *outbox)
{
    struct request *request = outbox->under_way;
    bool rises = true;
    for (uint32_t i = 0; rises && i < request->count; i++) {
        const struct item *item = &request->items[i];
        rises = item->is_letter
                    ? delivered_letter_report(&outbox->delivered, item->seq)
                    : delivered_report(&outbox->delivered, item->seq,
                                       kafka.loses > 0 && sim_once_in(50) ? -1 : item->offset);
    }
    request->left = true;
    outbox->under_way = NULL;
    outbox->first = false;
    return rises;
}

static enum usher_status poll_outbox(void *self, int64_t *published_seq, int64_t *published_offset,
                                     struct usher_error *err)
{
    struct outbox *outbox = self;
    const struct request *request = outbox->under_way;
    if (!outbox->open)
        return USHER_OK;
    if (request && request->done && !request->lost)
        outbox->failed |= !take_reports(outbox);
    else if (request)
        outbox->failed |= sim_now_us - request->sent_us > DELIVERY_TIMEOUT_MS * SIM_MS ||
                          (request->lost && sim_once_in(4));
    if (outbox->failed)
        return failed(err);
    send_some(outbox);
    if (published_seq)
        delivered_position(&outbox->delivered, published_seq, published_offset);
    return USHER_OK;
}

static bool has_report(const void *self)
{
    const struct outbox *outbox = self;
    return outbox->open && outbox->under_way && outbox->under_way->done;
}

static int descriptor(void *self)
{
    return ((const struct outbox *)self)->descriptor;
}

static uint32_t pending(void *self)
{
    const struct outbox *outbox = self;
    return outbox->count + (outbox->under_way ? outbox->under_way->count : 0);
}

static bool has_room(void *self)
{
    return pending(self) < QUEUE_MAX;
}

struct outbox_port kafka_outbox(int32_t partition)
{
    struct outbox *outbox = memory_calloc(1, sizeof *outbox);
    outbox->partition = partition;
    outbox->scanned_offset = OFFSET_NONE;
    delivered_init(&outbox->delivered);
    outbox->descriptor = seams_descriptor(has_report, outbox);
    return (struct outbox_port){
        .self = outbox,
        .open = open_outbox,
        .scan = scan,
        .publish = publish,
        .dead_letter = dead_letter,
        .poll = poll_outbox,
        .descriptor = descriptor,
        .pending = pending,
        .has_room = has_room,
    };
}

void kafka_close_outbox(const struct outbox_port *port)
{
    struct outbox *outbox = port->self;
    drop(outbox);
    delivered_deinit(&outbox->delivered);
    usher_arena_deinit(&outbox->arena);
    close(outbox->descriptor);
    free(outbox);
}
