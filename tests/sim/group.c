/*
 * The consumer group: eager rebalances. A member that the coordinator believes to be dead is told
 * so when it polls, and until then it works on, while its partitions are already assigned.
 */
#include <assert.h>
#include <stdlib.h>

#include "kafka.h"
#include "producer/base/allocate.h"

enum {
    SESSION_MS = 10000,
    REBALANCE_MS = 20000, /* who has not joined again by then is out */
    COORDINATOR_MS = 100,
    LATE_POLL_MS = 4000,
};

/* The coordinator's view of a machine; by machine. */
struct member {
    bool is_member;
    bool joined;   /* again, in this generation */
    bool assigned; /* has been told its partitions of this generation */
    bool was_lost; /* and has not been told yet */
    bool owns;     /* its handler was told partitions and not yet that they are revoked */
    int64_t seen_us;
    uint32_t start; /* of the machine */
    struct group_handler handler;
    bool has[KAFKA_PARTITIONS_MAX];
    struct assigned_partition told[KAFKA_PARTITIONS_MAX]; /* what it owns */
    uint32_t told_count;
};

static struct coordinator {
    struct member members[SIM_MACHINES_MAX];
    bool rebalancing;
    int64_t since_us;
} coordinator;

static void revoke(struct member *member, bool lost)
{
    bool owned = member->owns;
    member->owns = false;
    sim_boundary("revoked", lost);
    if (!owned)
        return;
    member->handler.revoked(member->handler.self, lost);
    for (uint32_t i = 0; i < member->told_count; i++)
        kafka_close_source(&member->told[i].log);
}

static void assign(struct member *member)
{
    uint32_t count = 0;
    for (int32_t i = 0; i < kafka.partition_count; i++)
        if (member->has[i])
            member->told[count++] = (struct assigned_partition){
                .partition = i,
                .log = kafka_source(i, member->handler.start_offset(member->handler.self, i)),
            };
    member->owns = true;
    member->told_count = count;
    sim_boundary("assigned", count);
    member->handler.assigned(member->handler.self, member->told, count);
}

static void begin_rebalance(void)
{
    if (!coordinator.rebalancing)
        coordinator.since_us = sim_now_us;
    coordinator.rebalancing = true;
    kafka.rebalances++;
    for (int i = 0; i < SIM_MACHINES_MAX; i++)
        coordinator.members[i].joined = coordinator.members[i].assigned = false;
}

static void expire(struct member *member)
{
    member->is_member = false;
    member->was_lost = true;
    for (int32_t i = 0; i < KAFKA_PARTITIONS_MAX; i++)
        member->has[i] = false;
    begin_rebalance();
}

/* Deals partitions out at random: each to one who joined. */
static void end_rebalance(void)
{
    int joined[SIM_MACHINES_MAX];
    uint32_t count = 0;
    for (int i = 0; i < SIM_MACHINES_MAX; i++) {
        struct member *member = &coordinator.members[i];
        if (member->is_member && !member->joined) {
            member->is_member = false;
            member->was_lost = true;
        }
        for (int32_t j = 0; j < KAFKA_PARTITIONS_MAX; j++)
            member->has[j] = false;
        if (member->is_member)
            joined[count++] = i;
    }
    for (int32_t i = 0; count > 0 && i < kafka.partition_count; i++)
        coordinator.members[joined[sim_below(count)]].has[i] = true;
    coordinator.rebalancing = false;
}

static bool all_joined(void)
{
    bool all = true;
    for (int i = 0; i < SIM_MACHINES_MAX; i++)
        all = all && (!coordinator.members[i].is_member || coordinator.members[i].joined);
    return all;
}

/* Heartbeats come of every machine that runs, whatever its threads do. */
static void look_at_members(void)
{
    for (int i = 1; i < SIM_MACHINES_MAX; i++) {
        struct member *member = &coordinator.members[i];
        const struct sim_machine *machine = &sim_machines[i];
        bool beats = machine->alive && machine->start == member->start &&
                     machine->paused_until_us <= sim_now_us;
        if (beats)
            member->seen_us = sim_now_us;
        if (member->is_member && sim_now_us - member->seen_us > SESSION_MS * SIM_MS)
            expire(member);
    }
}

void *kafka_coordinate(void *argument)
{
    (void)argument;
    coordinator = (struct coordinator){0};
    for (;;) {
        sim_sleep(COORDINATOR_MS * SIM_MS);
        if (kafka_is_away())
            continue;
        look_at_members();
        bool late = sim_now_us - coordinator.since_us > REBALANCE_MS * SIM_MS;
        if (coordinator.rebalancing && (all_joined() || late))
            end_rebalance();
    }
    return NULL;
}

void kafka_rebalance(void)
{
    begin_rebalance();
}

void kafka_expire_member(void)
{
    struct member *member = &coordinator.members[sim_below(SIM_MACHINES_MAX)];
    if (member->is_member)
        expire(member);
}

/* ---- the port ---- */

/* Another one comes to the same place when a machine starts again. */
static struct member *self_of(void *self)
{
    struct member *member = self;
    assert(member->start == sim_machine()->start);
    return member;
}

static void serve(struct member *member)
{
    if (member->was_lost) {
        member->was_lost = false;
        revoke(member, true);
        member->is_member = true;
        member->seen_us = sim_now_us;
        begin_rebalance();
    }
    if (coordinator.rebalancing && !member->joined) {
        revoke(member, false);
        if (!member->was_lost)
            member->joined = true;
    }
    if (!coordinator.rebalancing && member->joined && !member->assigned) {
        member->assigned = true;
        assign(member);
    }
}

static enum usher_status poll_group(void *self, int timeout_ms, struct usher_error *err)
{
    struct member *member = self_of(self);
    sim_sleep(sim_below((uint32_t)timeout_ms) * SIM_MS);
    if (sim_once_in(50))
        sim_sleep(sim_below(LATE_POLL_MS) * SIM_MS);
    if (kafka_is_away()) {
        usher_error_set(err, USHER_EXIT_UNAVAILABLE, "Kafka is away");
        return USHER_RETRY;
    }
    serve(member);
    return USHER_OK;
}

static enum usher_status rejoin(void *self, struct usher_error *err)
{
    (void)self_of(self);
    (void)err;
    begin_rebalance();
    return USHER_OK;
}

static void wake(void *self)
{
    (void)self;
}

static enum usher_status leave(void *self, int timeout_ms, struct usher_error *err)
{
    struct member *member = self_of(self);
    (void)timeout_ms;
    (void)err;
    revoke(member, false);
    member->is_member = false;
    begin_rebalance();
    return USHER_OK;
}

struct group_port kafka_join(const struct group_handler *handler)
{
    struct member *member = &coordinator.members[sim_machine() - sim_machines];
    *member = (struct member){
        .is_member = true,
        .seen_us = sim_now_us,
        .start = sim_machine()->start,
        .handler = *handler,
    };
    begin_rebalance();
    return (struct group_port){
        .self = member, .poll = poll_group, .rejoin = rejoin, .wake = wake, .leave = leave};
}
