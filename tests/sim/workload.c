/* Requests of random_requests.h, sent one after another: some cut off, some again, some to no end.
 */
#include "workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kafka.h"
#include "postgres.h"
#include "producer/base/allocate.h"
#include "random_requests.h"

enum {
    TRANSACTION_MAX = 4, /* records */
    RECENT = 60,         /* records that are sent again */
    LAST_MOMENT_MS = 600,
    SOON_MS = 70000, /* holds end by then */
    HIDDEN_MS = 15000,
    CLOSES = 20, /* a weight */
};

struct workload workload;

static const char *const resources[] = {"r0", "r1", "r2"};

static struct random_world world = {
    .below = sim_below,
    .resources = resources,
    .customers = 4,
    .prefix = "q",
    .size = 1,
    .malformed = 60,
    .ends = true,
    .weights = {[USHER_OP_DEFINE] = 8,
                [USHER_OP_HOLD] = 35,
                [USHER_OP_BOOK] = 12,
                [USHER_OP_CONFIRM] = 16,
                [USHER_OP_RELEASE] = 6,
                [USHER_OP_CANCEL] = 5,
                [USHER_OP_EXTEND] = 4,
                [USHER_OP_EXCHANGE] = 7,
                [USHER_OP_BLOCK] = 7,
                [USHER_OP_TRANSFER] = 10,
                [USHER_OP_CLOSE] = 2},
};

/* ---- records ---- */

/* Another mix in each run: some operations are not in it, others come often. */
static void mix(void)
{
    static const uint32_t times[] = {0, 1, 1, 1, 5};
    for (int op = USHER_OP_DEFINE + 1; op < USHER_OP_COUNT; op++)
        random_weights[op] *= times[sim_below(5)];
    if (workload.closes)
        random_weights[USHER_OP_CLOSE] = CLOSES;
}

struct value {
    const char *at;
    size_t size;
};

static void append(struct value value, const char *key, enum kafka_kind kind, int32_t partition)
{
    (void)kafka_append(&kafka.requests[partition],
                       &(struct kafka_record){.kind = kind,
                                              .key = key,
                                              .key_size = strlen(key),
                                              .value = value.at,
                                              .value_size = value.size});
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

static void deliver(struct value value, const char *key, int32_t partition)
{
    bool pending = transaction || (workload.transactions && sim_once_in(8));
    append(value, key, pending ? KAFKA_PENDING : KAFKA_RECORD, partition);
    if (pending)
        add_to_transaction(partition);
}

/* As a client that heard no answer sends it again; false: there was none. */
static bool repeat_one(void)
{
    int32_t partition = (int32_t)sim_below((uint32_t)kafka.partition_count);
    const struct topic_log *log = &kafka.requests[partition];
    int64_t offset = log->end - 1 - sim_below(RECENT);
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
    const char *request = random_request(kafka_ms()), *key = random_resource;
    struct value value = {request, strlen(request)};
    if (sim_once_in(workload.cuts))
        value.size = sim_below((uint32_t)value.size);
    int32_t partition = usher_partition_of(key, strlen(key), kafka.partition_count);
    if (sim_once_in(60))
        partition = (int32_t)sim_below((uint32_t)kafka.partition_count);
    deliver(value, key, partition);
    workload.sent++;
}

void workload_disturb(int32_t partition)
{
    append((struct value){"?", 1}, "r0", KAFKA_RECORD, partition);
}

void *workload_send(void *argument)
{
    (void)argument;
    world.resource_count = workload.resources;
    random_begin(&world);
    mix();
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
    char text[256];
    const struct booking_row *row = ending_hold(&partition, &resource);
    if (!row)
        return;
    int size =
        snprintf(text, sizeof text,
                 "{\"request_id\":\"l%u\",\"op\":\"confirm\",\"resource\":\"%s\",\"customer\":"
                 "\"%s\",\"booking\":\"%s\"}",
                 workload.late, resource, row->customer, row->request_id);
    int64_t at_ms = row->expires_ms - sim_below(LAST_MOMENT_MS);
    workload.open++;
    workload.late--;
    sim_sleep((at_ms - kafka_ms()) * SIM_MS);
    if (kafka.replicated && sim_once_in(2))
        kafka.held_until_us = sim_now_us + sim_below(HIDDEN_MS) * SIM_MS;
    if (!kafka_is_away())
        deliver((struct value){text, (size_t)size}, resource, partition);
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
