/*
 * The allocators of a process, by partition. Assignment is eager: all come and go at once.
 */
#include "worker/partition/group.h"

#include <assert.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "producer/base/allocate.h"
#include "producer/base/clock.h"
#include "producer/base/log.h"
#include "producer/base/plural.h"
#include "worker/observe/metrics.h"

enum {
    POLL_MS = 200,
    POSITIONS_INTERVAL_MS = 2000,
    KAFKA_AWAY_MS = 3000, /* while it is away, it is reported more often than this */
    LEAVE_TIMEOUT_MS = 5000,
    FENCED_MS = 20000, /* longer than any session timeout: still assigned here */
};

struct member {
    struct allocator *allocator; /* NULL: not assigned */
    int64_t fenced_since_ms;
};

struct group {
    struct group_settings settings;
    struct group_hooks hooks;
    struct known_position *known;
    bool positions_known;
    _Atomic bool postgres_up;      /* the last attempt to read the positions succeeded */
    _Atomic bool joined;           /* partitions were assigned once, be it none */
    _Atomic int64_t kafka_away_ms; /* CLOCK_MONOTONIC when Kafka was last said to be away */
    int64_t positions_at_ms;
    const _Atomic bool *stopping; /* while it runs */
    pthread_mutex_t lock;         /* for the members: allocators come and go on one thread only */
    struct member *members;
    struct log_limit failure_log;
};

struct group *group_create(const struct group_settings *settings, const struct group_hooks *hooks)
{
    assert(settings->partition_count > 0 && hooks->read_positions && hooks->open && hooks->close);
    struct group *group = memory_calloc(1, sizeof *group);
    size_t count = (size_t)settings->partition_count;
    group->settings = *settings;
    group->hooks = *hooks;
    group->known = memory_calloc(count, sizeof *group->known);
    group->members = memory_calloc(count, sizeof *group->members);
    for (size_t i = 0; i < count; i++)
        group->known[i].next_offset = OFFSET_NONE;
    pthread_mutex_init(&group->lock, NULL);
    return group;
}

void group_destroy(struct group *group)
{
    if (!group)
        return;
    for (int32_t i = 0; i < group->settings.partition_count; i++)
        assert(!group->members[i].allocator);
    pthread_mutex_destroy(&group->lock);
    free(group->known);
    free(group->members);
    free(group);
}

static struct member *member_of(struct group *group, int32_t partition)
{
    assert(partition >= 0 && partition < group->settings.partition_count);
    return &group->members[partition];
}

/* ---- positions ---- */

enum usher_status group_read_positions(struct group *group, struct usher_error *err)
{
    enum usher_status status = group->hooks.read_positions(group->hooks.self, group->known, err);
    group->positions_at_ms = clock_ms();
    group->postgres_up = status == USHER_OK;
    if (status == USHER_OK)
        group->positions_known = true;
    return status;
}

/*
 * Outdated ones cost time only: records below next_offset are read and dropped, and from above it,
 * as when the database was restored, the takeover seeks back. True: they were read.
 */
static bool refresh_positions(struct group *group)
{
    struct usher_error err;
    if (clock_ms() - group->positions_at_ms < POSITIONS_INTERVAL_MS)
        return false;
    if (group_read_positions(group, &err) != USHER_OK)
        log_failure(&group->failure_log, NULL, LOG_LEVEL_WARNING, "could not read positions: %s",
                    err.text);
    else
        log_recovery(&group->failure_log, NULL, "positions can be read again");
    return group->postgres_up;
}

/* ---- callbacks of the membership ---- */

static int64_t start_offset(void *self, int32_t partition)
{
    const struct group *group = self;
    assert(group->positions_known && partition < group->settings.partition_count);
    return group->known[partition].next_offset;
}

static void assigned(void *self, const struct assigned_partition *partitions, uint32_t count)
{
    struct group *group = self;
    for (uint32_t i = 0; i < count; i++) {
        int32_t partition = partitions[i].partition;
        struct partition_settings settings = group->settings.allocator;
        struct partition_ports ports = {.log = partitions[i].log};
        settings.partition = partition;
        group->hooks.open(group->hooks.self, partition, &ports);
        metrics_assigned(ports.metrics, true);
        struct allocator *allocator = allocator_start(&settings, &ports);
        pthread_mutex_lock(&group->lock);
        assert(!member_of(group, partition)->allocator);
        *member_of(group, partition) = (struct member){.allocator = allocator};
        pthread_mutex_unlock(&group->lock);
    }
    group->joined = true;
    log_info(NULL, "assigned %" PRIu32 " partitions", count);
}

/* Taken out of sight first, so that no other thread looks at what is being freed. */
static struct allocator *remove_member(struct group *group, int32_t partition)
{
    pthread_mutex_lock(&group->lock);
    struct allocator *allocator = member_of(group, partition)->allocator;
    *member_of(group, partition) = (struct member){0};
    pthread_mutex_unlock(&group->lock);
    return allocator;
}

/*
 * While Kafka is away, a call to it may be under way, which takes its time. After a loss there is
 * nothing to hand over and no other worker waits, so this one can wait, unless it is to end.
 */
static bool await_end(const struct group *group, struct allocator *allocator, bool lost,
                      int64_t until_ms)
{
    bool ended = allocator_join(allocator);
    while (!ended && lost && !*group->stopping && clock_ms() < until_ms)
        ended = allocator_join(allocator);
    return ended;
}

static void revoked(void *self, bool lost)
{
    struct group *group = self;
    int64_t until_ms = clock_ms() + group->settings.stuck_ms;
    int64_t drain_ms = lost ? 0 : group->settings.allocator.drain_timeout_ms;
    for (int32_t i = 0; i < group->settings.partition_count; i++)
        if (group->members[i].allocator)
            allocator_stop(group->members[i].allocator, drain_ms);
    for (int32_t i = 0; i < group->settings.partition_count; i++) {
        struct allocator *allocator = remove_member(group, i);
        if (!allocator)
            continue;
        if (!await_end(group, allocator, lost, until_ms)) {
            log_error(NULL, "partition %" PRId32 " is stuck past its deadline, ending the process",
                      i);
            _exit(USHER_EXIT_BUG);
        }
        group->hooks.close(group->hooks.self, i);
    }
    log_info(NULL, lost ? "lost all partitions" : "released all partitions");
}

struct group_handler group_handler(struct group *group)
{
    return (struct group_handler){
        .self = group, .start_offset = start_offset, .assigned = assigned, .revoked = revoked};
}

/* ---- watching over the allocators ---- */

/*
 * Fenced but still assigned for longer than any session: the worker that fenced this one was itself
 * late. Ending the process gives the partition a new assignment.
 */
static enum usher_status check_fenced(struct member *member, int32_t partition,
                                      struct usher_error *err)
{
    int64_t now = clock_ms();
    if (member->fenced_since_ms == 0)
        member->fenced_since_ms = now;
    if (now - member->fenced_since_ms < FENCED_MS)
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_UNAVAILABLE,
                    "partition %" PRId32 " was fenced but is still assigned to this worker: "
                    "start it again",
                    partition);
    return USHER_FATAL;
}

static enum usher_status check_member(struct member *member, int32_t partition,
                                      struct usher_error *err)
{
    struct partition_view view;
    assert(member->allocator);
    allocator_snapshot(member->allocator, &view);
    assert(view.stage < STAGE_COUNT && view.partition == partition);
    switch (view.stage) {
    case STAGE_FAILED:
        *err = view.error;
        return USHER_FATAL;
    case STAGE_FENCED:
        return check_fenced(member, partition, err);
    case STAGE_ACQUIRE:
    case STAGE_VERIFY:
    case STAGE_CATCH_UP:
    case STAGE_RETRYING:
    case STAGE_ACTIVE:
    case STAGE_DRAIN:
    case STAGE_HALTED:
    case STAGE_UNASSIGNED:
    case STAGE_COUNT:
        break;
    }
    return USHER_OK;
}

static enum usher_status check_members(struct group *group, struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    for (int32_t i = 0; status == USHER_OK && i < group->settings.partition_count; i++)
        if (group->members[i].allocator)
            status = check_member(&group->members[i], i, err);
    return status;
}

/*
 * Whether a person ended the epoch that a partition has here, and nobody took it since: it halted
 * in it, or is at work in a topic that is to be read from its start. What else began an epoch while
 * it was halted, as prune does, took the halt along.
 */
static bool is_ended(const struct group *group, int32_t partition)
{
    struct partition_view view;
    if (!group->members[partition].allocator || group->known[partition].ended == 0)
        return false;
    allocator_snapshot(group->members[partition].allocator, &view);
    return view.epoch > 0 && view.epoch <= group->known[partition].ended;
}

/*
 * Only a new assignment sets the position in the log. A failure is tried again at the next reading
 * of the positions.
 */
static void rejoin_if_ended(struct group *group, const struct group_port *port)
{
    int32_t partition = 0;
    struct usher_error err;
    while (partition < group->settings.partition_count && !is_ended(group, partition))
        partition++;
    if (partition == group->settings.partition_count)
        return;
    log_info(NULL, "partition %" PRId32 " is to try again: joining the group again", partition);
    if (port->rejoin(port->self, &err) != USHER_OK)
        log_warning(NULL, "could not join the group again: %s", err.text);
}

static bool kafka_up(const struct group *group)
{
    return group->kafka_away_ms == 0 || clock_ms() - group->kafka_away_ms > KAFKA_AWAY_MS;
}

enum usher_status group_run(struct group *group, const struct group_port *port,
                            const _Atomic bool *stopping, struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    assert(group->positions_known && !group->stopping);
    group->stopping = stopping;
    while (status != USHER_FATAL && !*stopping) {
        status = port->poll(port->self, POLL_MS, err);
        if (status == USHER_RETRY)
            group->kafka_away_ms = clock_ms();
        group->hooks.kafka_seen(group->hooks.self, kafka_up(group));
        if (status != USHER_FATAL)
            status = check_members(group, err);
        if (refresh_positions(group))
            rejoin_if_ended(group, port);
        group->hooks.turned(group->hooks.self);
    }
    struct usher_error leaving;
    if (port->leave(port->self, LEAVE_TIMEOUT_MS, &leaving) != USHER_OK)
        log_warning(NULL, "could not leave the group properly: %s", leaving.text);
    return status;
}

/* ---- state for people ---- */

bool group_alive(struct group *group, char *why, size_t size)
{
    bool alive = true;
    pthread_mutex_lock(&group->lock);
    for (int32_t i = 0; alive && i < group->settings.partition_count; i++) {
        struct partition_view view;
        if (!group->members[i].allocator)
            continue;
        allocator_snapshot(group->members[i].allocator, &view);
        bool over = view.stage == STAGE_FENCED || view.stage == STAGE_HALTED;
        alive = over || clock_ms() - view.progress_ms < group->settings.stuck_ms;
        if (!alive)
            snprintf(why, size, "partition %" PRId32 " makes no progress, in state %s", i,
                     view.state);
    }
    pthread_mutex_unlock(&group->lock);
    return alive;
}

/* Up to its first assignment a worker takes part in nothing: another must not be stopped for it. */
static bool takes_part(struct group *group, char *why, size_t size)
{
    if (!group->postgres_up)
        snprintf(why, size, "PostgreSQL cannot be read");
    else if (!kafka_up(group))
        snprintf(why, size, "Kafka is away");
    else if (!group->joined)
        snprintf(why, size, "the consumer group has not assigned partitions yet");
    return group->postgres_up && kafka_up(group) && group->joined;
}

/* A halted one waits for a person, not for this worker. */
static bool member_ready(const struct partition_view *view)
{
    return view->stage == STAGE_ACTIVE || view->stage == STAGE_HALTED;
}

static void say_why(const struct partition_view *view, char *why, size_t size)
{
    if (view->retries == 0)
        snprintf(why, size, "partition %" PRId32 " is in state %s", view->partition, view->state);
    else
        snprintf(why, size,
                 "partition %" PRId32 " is in state %s at offset %" PRId64 " after %" PRIu32
                 " failure%s in a row: %s",
                 view->partition, view->state, view->next_offset, view->retries,
                 PLURAL(view->retries), view->error.text);
}

bool group_ready(struct group *group, char *why, size_t size)
{
    bool ready = takes_part(group, why, size);
    pthread_mutex_lock(&group->lock);
    for (int32_t i = 0; ready && i < group->settings.partition_count; i++) {
        struct partition_view view;
        if (!group->members[i].allocator)
            continue;
        allocator_snapshot(group->members[i].allocator, &view);
        ready = member_ready(&view);
        if (!ready)
            say_why(&view, why, size);
    }
    pthread_mutex_unlock(&group->lock);
    return ready;
}

bool group_snapshot(struct group *group, int32_t partition, struct partition_view *view)
{
    pthread_mutex_lock(&group->lock);
    struct allocator *allocator = member_of(group, partition)->allocator;
    if (allocator)
        allocator_snapshot(allocator, view);
    pthread_mutex_unlock(&group->lock);
    return allocator;
}
