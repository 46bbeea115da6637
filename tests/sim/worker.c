/* As program/command_run.c connects them. */
#include "worker.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "kafka.h"
#include "postgres.h"
#include "producer/base/allocate.h"
#include "redis.h"
#include "worker/observe/metrics.h"
#include "worker/partition/group.h"
#include "worker/partition/memory_budget.h"

enum {
    STUCK_MS = 60000,
    CLOCK_LATE_MS = 500,
};

struct partition_settings worker_settings;

struct worker {
    struct group *group;
    struct metrics_registry *metrics;
    struct memory_budget *budget;
    struct redis_client *redis;
    _Atomic bool stopping;
    struct partition_ports ports[KAFKA_PARTITIONS_MAX]; /* of those that are open */
};

static struct worker *workers[SIM_MACHINES_MAX]; /* of those that are alive */

static struct worker *worker_of(const struct sim_machine *machine)
{
    return machine->alive ? workers[machine - sim_machines] : NULL;
}

/* ---- hooks of the group ---- */

static enum usher_status read_positions(void *self, struct known_position *known,
                                        struct usher_error *err)
{
    (void)self;
    return postgres_positions(known, err);
}

static void kafka_seen(void *self, bool up)
{
    (void)self;
    (void)up;
}

static void open_partition(void *self, int32_t partition, struct partition_ports *ports)
{
    struct worker *worker = self;
    ports->record = postgres_record(partition);
    ports->outbox = kafka_outbox(partition);
    ports->cache = redis_port(worker->redis);
    ports->metrics = metrics_of(worker->metrics, partition);
    ports->budget = worker->budget;
    worker->ports[partition] = *ports;
}

static void close_partition(void *self, int32_t partition)
{
    struct worker *worker = self;
    metrics_assigned(metrics_of(worker->metrics, partition), false);
    kafka_close_outbox(&worker->ports[partition].outbox);
    postgres_close(&worker->ports[partition].record);
}

static void turned(void *self)
{
    struct worker *worker = self;
    char why[256];
    if (!group_alive(worker->group, why, sizeof why))
        sim_crash(sim_machine()); /* as a service manager does */
}

/* ---- its clock ---- */

extern void __real_partition_read_clock(struct partition *p);
void __wrap_partition_read_clock(struct partition *p);

/* That of PostgreSQL as the worker read it, and never ahead of it: it ends holds. */
void __wrap_partition_read_clock(struct partition *p)
{
    int64_t was_ms;
    __real_partition_read_clock(p);
    if (p->stage < STAGE_RETRYING || p->stage > STAGE_DRAIN) /* it has none yet */
        return;
    bool was_quick = postgres_clock_was(&p->ports.record, &was_ms);
    int64_t ahead_ms = p->clock_offset_ms + sim_machine()->clock_us / 1000 - was_ms;
    if (ahead_ms > 1 || (was_quick && ahead_ms < -CLOCK_LATE_MS)) {
        (void)fprintf(stderr,
                      "the clock of a worker is %" PRId64 " ms ahead of the one it has read\n",
                      ahead_ms);
        abort();
    }
}

/* ---- the process ---- */

static void *run(void *argument)
{
    struct worker *worker = argument;
    struct usher_error err = {0};
    const struct group_hooks hooks = {.self = worker,
                                      .read_positions = read_positions,
                                      .kafka_seen = kafka_seen,
                                      .open = open_partition,
                                      .close = close_partition,
                                      .turned = turned};
    const struct group_settings settings = {.partition_count = kafka.partition_count,
                                            .stuck_ms = STUCK_MS,
                                            .allocator = worker_settings};
    worker->metrics = metrics_open("simulated");
    sim_machine()->hosts_no_threads = true; /* measures memory */
    worker->budget = memory_budget_open(INT64_C(1) << 40, kafka.partition_count, worker->metrics);
    sim_machine()->hosts_no_threads = false;
    worker->redis = redis_open(kafka.partition_count);
    worker->group = group_create(&settings, &hooks);
    enum usher_status status = group_read_positions(worker->group, &err);
    if (status == USHER_OK) {
        const struct group_handler handler = group_handler(worker->group);
        const struct group_port port = kafka_join(&handler);
        status = group_run(worker->group, &port, &worker->stopping, &err);
    }
    redis_close(worker->redis);
    sim_boundary("ends", status);
    sim_crash(sim_machine());
    return NULL;
}

void worker_start(struct sim_machine *machine)
{
    assert(!machine->alive);
    *machine = (struct sim_machine){.alive = true,
                                    .start = machine->start + 1,
                                    .clock_us = (int64_t)(sim_random() % (1000 * SIM_S))};
    struct sim_machine *mine = sim_enter(machine);
    struct worker *worker = memory_calloc(1, sizeof *worker);
    workers[machine - sim_machines] = worker;
    (void)sim_spawn(machine, run, worker);
    (void)sim_enter(mine);
}

void worker_stop(const struct sim_machine *machine)
{
    struct worker *worker = worker_of(machine);
    if (worker)
        worker->stopping = true;
}

/* False: the worker has no such partition. */
static bool look_at(const struct sim_machine *machine, int32_t partition,
                    struct partition_view *view)
{
    const struct worker *worker = worker_of(machine);
    return worker && worker->group && group_snapshot(worker->group, partition, view);
}

void worker_count_states(const struct sim_machine *machine)
{
    struct partition_view view;
    for (int32_t i = 0; i < kafka.partition_count; i++)
        if (look_at(machine, i, &view) && view.state)
            sim_tally(sim_counts.states, view.state);
}

int worker_count(const struct sim_machine *machine, enum partition_stage stage)
{
    int count = 0;
    struct partition_view view;
    for (int32_t i = 0; i < kafka.partition_count; i++)
        count += look_at(machine, i, &view) && view.stage == stage;
    return count;
}
