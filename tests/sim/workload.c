/* A request is put together from an operation, a resource, and what chance names in it. */
#include "workload.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kafka.h"
#include "postgres.h"
#include "producer/base/allocate.h"
#include "usher/message.h"

enum {
    VALUE_SIZE = 1024,
    CUSTOMERS = 4,
    TRANSACTION_MAX = 4, /* records */
    KNOWN = 16,          /* bookings that later ones are about */
    RECENT = 30,         /* requests that later ones name or repeat */
    LAST_MOMENT_MS = 600,
    SOON_MS = 70000, /* holds end by then */
    HIDDEN_MS = 15000,
    CLOSES = 20, /* a weight */
};

struct workload workload;

/* ---- fields ---- */

struct text {
    char at[VALUE_SIZE];
    size_t size;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(text->at + text->size, VALUE_SIZE - text->size, format, arguments);
    va_end(arguments);
    text->size += (size_t)size;
    assert(text->size < VALUE_SIZE);
}

static uint32_t recent(void)
{
    uint32_t back = sim_below(RECENT);
    return workload.sent > back ? workload.sent - back : workload.sent;
}

/* Whom and what a request is about: mostly a booking that was requested before, by its customer. */
static struct subject {
    uint32_t resource, customer, booking;
} subject, known[KNOWN]; /* the latest of them, by number */
static uint32_t known_count;

static void know(uint32_t booking)
{
    subject.booking = booking;
    known[known_count++ % KNOWN] = subject;
}

static void choose_subject(void)
{
    subject = (struct subject){sim_below(workload.resources), sim_below(CUSTOMERS), recent()};
    if (known_count > 0 && !sim_once_in(6))
        subject = known[sim_below(known_count < KNOWN ? known_count : KNOWN)];
}

static void add_customer(struct text *text)
{
    add(text, ",\"customer\":\"c%u\"", subject.customer);
}

static void add_items(struct text *text)
{
    static const char *const sections[] = {"stalls", "standing", "stalls", "nowhere"};
    uint32_t kind = sim_below(7), night = 1 + sim_below(5);
    if (kind == 0)
        add(text, ",\"items\":[{\"seats\":[\"A-%u\",\"B-%u\"]}]", 1 + sim_below(5),
            1 + sim_below(5));
    else if (kind == 6)
        add(text,
            ",\"items\":[{\"room\":\"double\",\"from\":\"2026-01-0%u\",\"to\":\"2026-01-0%u\","
            "\"quantity\":1}]",
            night, night + 1 + sim_below(3));
    else if (kind == 1)
        add(text, ",\"items\":[{\"product\":\"mug\",\"quantity\":%u}]", 1 + sim_below(3));
    else
        add(text, ",\"items\":[{\"section\":\"%s\",\"quantity\":%u}]",
            sections[sim_below(sim_once_in(10) ? 4 : 3)], 1 + sim_below(3));
}

static void add_ttl(struct text *text)
{
    if (sim_once_in(2))
        add(text, ",\"ttl_s\":%u", 1 + sim_below(sim_once_in(4) ? 900 : 30));
}

static void add_booking(struct text *text)
{
    add_customer(text);
    add(text, ",\"booking\":\"q%u\"", subject.booking);
}

static void define(struct text *text)
{
    add(text,
        ",\"state\":\"%s\",\"sections\":[{\"section\":\"stalls\",\"price\":%u,\"rows\":[{\"row\":"
        "\"A\",\"seats\":%u},{\"row\":\"B\",\"seats\":5}]},{\"section\":\"standing\",\"capacity\":"
        "%u,\"price\":10}],\"products\":[{\"product\":\"mug\",\"price\":5,\"capacity\":%u}]",
        sim_once_in(8) ? "draft" : "open", 10 + sim_below(3), 5 + sim_below(2), 5 + sim_below(5),
        3 + sim_below(9));
    if (sim_once_in(3))
        add(text,
            ",\"timezone\":\"Europe/London\",\"rooms\":[{\"room\":\"double\",\"from\":"
            "\"2026-01-01\",\"to\":\"2026-01-%02u\",\"capacity\":%u,\"price\":50}]",
            4 + sim_below(5), 2 + sim_below(3));
    if (sim_once_in(4))
        add(text, ",\"ends_at\":\"2025-12-21T00:%02u:%02uZ\"", sim_below(6), sim_below(59));
    if (sim_once_in(3))
        add(text, ",\"limits\":{\"units_per_customer\":%u}", 2 + sim_below(8));
}

static void hold(struct text *text)
{
    add_customer(text);
    add_items(text);
    add_ttl(text);
    if (sim_once_in(4))
        add(text, ",\"cart\":\"k%u\"", sim_below(2));
}

static void wait_for(struct text *text)
{
    add_customer(text);
    add_items(text);
    add(text, ",\"wait_until\":\"2025-12-21T00:%02u:00Z\"", sim_below(59));
}

static void book(struct text *text)
{
    add_customer(text);
    add_items(text);
    if (sim_once_in(8))
        add(text, ",\"from_block\":\"q%u\"", subject.booking);
}

static void settle(struct text *text)
{
    if (!sim_once_in(4)) {
        add_booking(text);
        return;
    }
    add_customer(text);
    add(text, ",\"cart\":\"k%u\"", sim_below(2));
}

/* Up to a minute, or longer than is allowed. */
static void extend(struct text *text)
{
    settle(text);
    add(text, ",\"ttl_s\":%u", sim_once_in(10) ? 100000 : 1 + sim_below(60));
}

static void exchange(struct text *text)
{
    add_booking(text);
    add_items(text);
}

static void transfer(struct text *text)
{
    add_booking(text);
    add(text, ",\"to_customer\":\"c%u\"", sim_below(CUSTOMERS));
}

static void block(struct text *text)
{
    add_items(text);
    if (sim_once_in(2))
        add(text, ",\"return_at\":\"2025-12-20T23:%02u:%02uZ\"", sim_below(59), sim_below(59));
}

static void unblock(struct text *text)
{
    add(text, ",\"booking\":\"q%u\"", subject.booking);
}

static void close_all(struct text *text)
{
    if (sim_once_in(2))
        add(text, ",\"cancel_bookings\":true");
}

static void nothing(struct text *text)
{
    (void)text;
}

static const struct {
    const char *op;
    uint32_t weight;
    void (*fields)(struct text *);
    bool makes; /* a booking */
} operations[] = {
    {"define", 6, define, false},     {"hold", 30, hold, true},
    {"hold", 5, wait_for, true},      {"book", 12, book, true},
    {"confirm", 16, settle, false},   {"release", 6, settle, false},
    {"cancel", 5, settle, false},     {"extend", 4, extend, false},
    {"exchange", 4, exchange, false}, {"transfer", 3, transfer, false},
    {"leave", 2, add_booking, false}, {"block", 3, block, true},
    {"unblock", 2, unblock, false},   {"close", 1, close_all, false},
    {"open", 2, nothing, false},      {"probe", 2, nothing, false},
};

/* ---- records ---- */

/* Another mix in each run: some operations are not in it, others come often. */
static uint32_t weights[sizeof operations / sizeof *operations];

static void mix(void)
{
    static const uint32_t times[] = {0, 1, 1, 1, 5};
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        weights[i] = operations[i].weight * times[sim_below(5)];
    for (size_t i = 0; workload.closes && i < sizeof operations / sizeof *operations; i++)
        if (operations[i].fields == close_all)
            weights[i] = CLOSES;
    weights[0] = operations[0].weight; /* so their sum is not 0 */
}

static size_t choose(void)
{
    size_t chosen = 0;
    uint32_t sum = 0, at;
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        sum += weights[i];
    for (at = sim_below(sum); at >= weights[chosen]; chosen++)
        at -= weights[chosen];
    return chosen;
}

/* Those that make a booking are of anybody, and the others of one that was made. */
static void write_request(struct text *text, uint32_t id)
{
    /* First of all there is something to sell. */
    size_t chosen = id < workload.resources ? 0 : choose();
    choose_subject();
    if (operations[chosen].makes || chosen == 0)
        subject.resource = id < workload.resources ? id : sim_below(workload.resources);
    if (operations[chosen].makes)
        subject.customer = sim_below(CUSTOMERS);
    add(text, "{\"request_id\":\"q%u\",\"op\":\"%s\",\"resource\":\"r%u\"", id,
        operations[chosen].op, subject.resource);
    operations[chosen].fields(text);
    if (id % 3 == 0) /* of some operations it is kept, of others it is answered */
        add(text, ",\"note\":\"why q%u\"", id);
    add(text, "}");
    if (operations[chosen].makes)
        know(id);
}

static void append(const struct text *text, const char *key, enum kafka_kind kind,
                   int32_t partition)
{
    (void)kafka_append(&kafka.requests[partition],
                       &(struct kafka_record){.kind = kind,
                                              .key = key,
                                              .key_size = strlen(key),
                                              .value = text->at,
                                              .value_size = text->size});
    kafka_settle(&kafka.requests[partition]);
    sim_boundary("sent", partition);
}

/* Of a cart, say. What of it is pending becomes part of the logs, or nothing, all at once. */
struct transaction {
    int32_t partitions[TRANSACTION_MAX];
    int64_t offsets[TRANSACTION_MAX];
    uint32_t count;
};

static struct transaction *transaction; /* the one that has yet to be sent; NULL: none has */

static void *end_transaction(void *argument)
{
    struct transaction *ended = argument;
    enum kafka_kind becomes = sim_once_in(3) ? KAFKA_NOTHING : KAFKA_RECORD;
    sim_sleep(sim_below(3 * SIM_S));
    for (uint32_t i = 0; i < ended->count; i++) {
        struct topic_log *log = &kafka.requests[ended->partitions[i]];
        log->records[ended->offsets[i]].kind = becomes;
        (void)kafka_append(log, &(struct kafka_record){.kind = KAFKA_NOTHING});
        kafka_settle(log);
    }
    free(ended);
    workload.open--;
    workload.ended++;
    return NULL;
}

static void send_transaction(void)
{
    (void)sim_spawn(sim_machines, end_transaction, transaction);
    transaction = NULL;
}

static void add_to_transaction(int32_t partition)
{
    if (!transaction) {
        transaction = memory_calloc(1, sizeof *transaction);
        workload.open++;
    }
    transaction->partitions[transaction->count] = partition;
    transaction->offsets[transaction->count++] = kafka.requests[partition].end - 1;
    if (transaction->count == TRANSACTION_MAX || sim_once_in(2))
        send_transaction();
}

static void deliver(const struct text *text, const char *key, int32_t partition)
{
    bool pending = transaction || (workload.transactions && sim_once_in(8));
    append(text, key, pending ? KAFKA_PENDING : KAFKA_RECORD, partition);
    if (pending)
        add_to_transaction(partition);
}

/* As a client that heard no answer sends it again; false: there was none. */
static bool repeat_one(void)
{
    int32_t partition = (int32_t)sim_below((uint32_t)kafka.partition_count);
    const struct topic_log *log = &kafka.requests[partition];
    int64_t offset = log->end - 1 - sim_below(2 * RECENT);
    if (offset < 0 || log->records[offset].kind != KAFKA_RECORD)
        return false;
    const struct kafka_record earlier = log->records[offset]; /* the records may be moved */
    (void)kafka_append(&kafka.requests[partition], &earlier);
    kafka_settle(&kafka.requests[partition]);
    sim_boundary("repeated", partition);
    workload.sent++;
    workload.repeats++;
    return true;
}

static void send_one(void)
{
    char key[32];
    struct text text = {.size = 0};
    uint32_t id = sim_once_in(12) ? recent() : workload.sent;
    write_request(&text, id);
    if (sim_once_in(workload.cuts))
        text.size = sim_below((uint32_t)text.size);
    snprintf(key, sizeof key, "r%u", subject.resource);
    int32_t partition = usher_partition_of(key, strlen(key), kafka.partition_count);
    if (sim_once_in(60))
        partition = (int32_t)sim_below((uint32_t)kafka.partition_count);
    deliver(&text, key, partition);
    workload.sent++;
}

void workload_disturb(int32_t partition)
{
    append(&(struct text){.at = "?", .size = 1}, "r0", KAFKA_RECORD, partition);
}

void *workload_send(void *argument)
{
    (void)argument;
    mix();
    known_count = 0;
    transaction = NULL;
    for (;;) {
        bool rests = workload.sent >= workload.requests;
        if (rests || !sim_once_in(3)) /* else at once behind the one before */
            sim_sleep(1 + sim_below(rests ? SIM_S : (uint32_t)workload.pause_us));
        if (rests && transaction)
            send_transaction();
        if (rests || kafka_is_away())
            continue;
        if (sim_once_in(20)) /* all that was not answered in time, say */
            while (repeat_one() && !sim_once_in(4))
                continue;
        send_one();
    }
    return NULL;
}

/* ---- at the last moment ---- */

/* A hold of some partition that ends soon; NULL: chance found none. */
static const struct booking_row *ending_hold(int32_t *partition, const char **resource)
{
    *partition = (int32_t)sim_below((uint32_t)kafka.partition_count);
    const struct fake_database *tables = &postgres.partitions[*partition].tables;
    for (uint32_t i = 0; i < tables->booking_count; i++) {
        const struct booking_row *row = &tables->bookings[i];
        int64_t left_ms = row->expires_ms - kafka_ms();
        if (row->state != BOOKING_HELD || left_ms < 0 || left_ms > SOON_MS || sim_once_in(2))
            continue;
        *resource = fake_resource(tables, row->resource_no)->row.id;
        return row;
    }
    return NULL;
}

static void confirm_late(void)
{
    int32_t partition;
    const char *resource;
    struct text text = {.size = 0};
    const struct booking_row *row = ending_hold(&partition, &resource);
    if (!row)
        return;
    add(&text,
        "{\"request_id\":\"l%u\",\"op\":\"confirm\",\"resource\":\"%s\",\"customer\":\"%s\","
        "\"booking\":\"%s\"}",
        workload.late, resource, row->customer, row->request_id);
    int64_t at_ms = row->expires_ms - sim_below(LAST_MOMENT_MS);
    workload.open++;
    workload.late--;
    sim_sleep((at_ms - kafka_ms()) * SIM_MS);
    if (kafka.replicated && sim_once_in(2))
        kafka.held_until_us = sim_now_us + sim_below(HIDDEN_MS) * SIM_MS;
    if (!kafka_is_away())
        deliver(&text, resource, partition);
    workload.last_moments += kafka_is_away() ? 0 : 1;
    workload.open--;
}

void *workload_confirm_late(void *argument)
{
    (void)argument;
    while (workload.late > 0) {
        sim_sleep(1 + sim_below(2 * SIM_S));
        confirm_late();
    }
    return NULL;
}
