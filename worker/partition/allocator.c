/*
 * The life of an allocator: a thread that takes its partition from stage to stage, as the table
 * below has it, until it ends. takeover.c and loop.c have the work of each stage.
 */
#include "worker/partition/allocator.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "producer/base/allocate.h"
#include "producer/base/clock.h"
#include "producer/base/thread.h"
#include "worker/observe/metrics.h"
#include "worker/partition/loop.h"
#include "worker/partition/takeover.h"

enum {
    BACKOFF_MIN_MS = 50, /* between two tries to take over, doubled up to the maximum */
    BACKOFF_MAX_MS = 2000,
    LAST_ANSWERS_MS = 10000, /* for the answers in flight when a partition is halted */
    JOIN_GRACE_MS = 3000,    /* a call into a port may be under way when the drain's time is up */
    JOIN_AGAIN_MS = 1000,    /* then, for callers in a loop */
};

struct allocator {
    struct partition partition;
    pthread_t thread;
    _Atomic bool has_left; /* its thread has nothing to do any more but to free memory */
    struct log_limit failure_log, refusal_log;
    int64_t recovery_began_ms; /* 0: the partition is active */
    int64_t backoff_ms;
};

/* ---- the stages ---- */

/*
 * RETRY always leads back to ACQUIRE: nothing is repaired in place. So does REJECT of a commit, if
 * that cannot be rewound. FENCED ends it, except in stages that decide requests: the guard may also
 * refuse us for a commit that got lost, and acquire tells which it is. HALT and FATAL end it in any
 * stage.
 */
struct stage {
    const char *name;
    enum usher_status (*run)(struct partition *, struct usher_error *); /* NULL: the end */
    enum partition_stage next;                                          /* after OK */
    enum partition_stage again; /* after OK, if something failed and nothing succeeded since */
    enum partition_stage retry;
    enum partition_stage fenced;
    bool finishes; /* asked to stop, it ends its own work by itself */
};

static const struct stage stages[STAGE_COUNT] = {
    [STAGE_ACQUIRE] = {"acquire", takeover_acquire, STAGE_VERIFY, STAGE_VERIFY, STAGE_ACQUIRE,
                       STAGE_FENCED, false},
    [STAGE_VERIFY] = {"verify", takeover_verify, STAGE_CATCH_UP, STAGE_CATCH_UP, STAGE_ACQUIRE,
                      STAGE_FENCED, false},
    [STAGE_CATCH_UP] = {"catch-up", takeover_catch_up, STAGE_ACTIVE, STAGE_RETRYING, STAGE_ACQUIRE,
                        STAGE_FENCED, false},
    [STAGE_RETRYING] = {"retrying", loop_retry, STAGE_ACTIVE, STAGE_DRAIN, STAGE_ACQUIRE,
                        STAGE_ACQUIRE, true},
    [STAGE_ACTIVE] = {"active", loop_run, STAGE_DRAIN, STAGE_DRAIN, STAGE_ACQUIRE, STAGE_ACQUIRE,
                      true},
    [STAGE_DRAIN] = {"drain", loop_drain, STAGE_UNASSIGNED, STAGE_UNASSIGNED, STAGE_UNASSIGNED,
                     STAGE_FENCED, true},
    [STAGE_FENCED] = {.name = "fenced"},
    [STAGE_HALTED] = {.name = "halted"},
    [STAGE_FAILED] = {.name = "failed"},
    [STAGE_UNASSIGNED] = {.name = "unassigned"},
};

const char *allocator_state_name(const struct partition_view *view)
{
    assert(view->stage < STAGE_COUNT);
    bool again = view->retries > 0 && view->stage < STAGE_ACTIVE;
    return stages[again ? STAGE_RETRYING : view->stage].name;
}

/* Whether requests are decided in it. */
static bool decides(const struct stage *stage)
{
    return stage == &stages[STAGE_ACTIVE] || stage == &stages[STAGE_RETRYING];
}

static enum partition_stage stage_after(const struct partition *p, const struct stage *stage,
                                        enum usher_status status)
{
    assert(stage->run);
    switch (status) {
    case USHER_OK:
        if (decides(stage) && !p->stopping && (stage == &stages[STAGE_ACTIVE] || p->retries > 0))
            return STAGE_ACQUIRE; /* it lives elsewhere */
        return p->retries > 0 ? stage->again : stage->next;
    case USHER_RETRY:
    case USHER_REJECT:
        return stage->retry;
    case USHER_FENCED:
        return stage->fenced;
    case USHER_HALT:
        return STAGE_HALTED;
    case USHER_FATAL:
        break;
    }
    return STAGE_FAILED;
}

/* ---- the outbox while no loop serves it ---- */

/*
 * The answers to committed requests go out all the same. A producer that fails meanwhile is
 * replaced when the partition is taken over.
 */
static void poll_outbox_while_failing(struct partition *p)
{
    if (p->outbox_open)
        p->outbox_open = partition_serve_outbox(p, NULL) == USHER_OK;
}

/* Once halted, there is no successor to publish them until a person has looked. */
static void flush_outbox_while_halted(struct partition *p)
{
    assert(p->stage == STAGE_HALTED);
    int64_t until_ms = p->turn.ms + LAST_ANSWERS_MS;
    poll_outbox_while_failing(p);
    while (p->outbox_open && !p->stopping && p->turn.ms < until_ms &&
           p->ports.outbox.pending(p->ports.outbox.self) > 0) {
        partition_sleep(p, OUTBOX_WAIT_MS);
        poll_outbox_while_failing(p);
    }
}

/* ---- from stage to stage ---- */

/* A batch that PostgreSQL refused is tried again more carefully. HALT: nothing is left to try. */
static enum usher_status refused(struct partition *p, const struct usher_error *err)
{
    struct batch_times *times;
    const struct batch *oldest = pipeline_oldest(&p->pipeline, &times);
    if (!oldest)
        return USHER_RETRY;
    return quarantine_refused(&p->quarantine, oldest, err->exit_code == USHER_EXIT_BAD_INPUT);
}

/*
 * Decides a refused batch again, in smaller ones: at once, and in the same epoch. False: the
 * partition is taken over.
 */
static bool rewind(struct allocator *a, const struct usher_error *why)
{
    struct usher_error err = {0};
    struct partition *p = &a->partition;
    if (takeover_rewind(p, &err) != USHER_OK)
        return false;
    log_failure(&a->refusal_log, &p->log, LOG_LEVEL_WARNING,
                "PostgreSQL refused a batch at offset %" PRId64 ", its requests are decided again "
                "in smaller ones: %s",
                p->committed.next_offset, why->text);
    return true;
}

/*
 * A successor's rows must not look like damage: HALT only while the partition is ours. One
 * statement looks at the epoch and records the halt. An operator who begins the next epoch ends the
 * halt of this one. A worker that halted after that would wait for a person for ever.
 */
static enum usher_status confirm_halt(struct partition *p, const struct usher_error *why)
{
    const struct record_port *record = &p->ports.record;
    struct usher_error err = {0};
    enum usher_status status = record->note_halt(record->self, p->position.epoch,
                                                 p->committed.next_offset, why->text, &err);
    if (status == USHER_FENCED || status == USHER_RETRY)
        return status;
    if (status != USHER_OK) /* it is halted all the same */
        log_warning(&p->log, "could not record that the partition is halted: %s", err.text);
    return USHER_HALT;
}

/* An error that ends it is always said: no later line would count it as suppressed. */
static void report(struct allocator *a, const struct stage *stage, enum usher_status status,
                   const struct usher_error *err)
{
    struct partition *p = &a->partition;
    bool ends = status == USHER_HALT || status == USHER_FATAL;
    enum partition_stage after = stage_after(p, stage, status);
    partition_publish_error(p, err);
    if (status == USHER_FENCED && decides(stage)) /* by order, or acquire says by whom */
        log_info(&p->log, "acquiring the partition again at offset %" PRId64 ": %s",
                 p->committed.next_offset, err->text);
    else if (after == STAGE_ACQUIRE)
        log_failure(&a->failure_log, &p->log, LOG_LEVEL_WARNING,
                    "state %s failed at offset %" PRId64 ", failure %" PRIu32
                    " in a row, will retry: %s",
                    stage->name, p->committed.next_offset, p->retries, err->text);
    else
        log_message(&p->log, ends ? LOG_LEVEL_ERROR : LOG_LEVEL_WARNING,
                    "state %s failed, now %s: %s", stage->name, stages[after].name, err->text);
}

/* Pauses, then returns the status that the failure amounts to. */
static enum usher_status fail(struct allocator *a, const struct stage *stage,
                              enum usher_status status, const struct usher_error *err)
{
    struct partition *p = &a->partition;
    assert(status != USHER_OK);
    if (a->recovery_began_ms == 0)
        a->recovery_began_ms = p->turn.ms;
    if (status == USHER_HALT)
        status = confirm_halt(p, err);
    p->retries++;
    report(a, stage, status, err);
    if (status != USHER_FENCED) /* then a successor publishes them */
        poll_outbox_while_failing(p);
    partition_sleep(p, a->backoff_ms);
    assert(a->backoff_ms >= BACKOFF_MIN_MS && a->backoff_ms <= BACKOFF_MAX_MS);
    a->backoff_ms = a->backoff_ms * 2 < BACKOFF_MAX_MS ? a->backoff_ms * 2 : BACKOFF_MAX_MS;
    return status;
}

static void become_active(struct allocator *a)
{
    struct partition *p = &a->partition;
    assert(a->recovery_began_ms != 0 && p->retries == 0);
    int64_t took_ms = p->turn.ms - a->recovery_began_ms;
    a->recovery_began_ms = 0;
    a->backoff_ms = BACKOFF_MIN_MS;
    partition_publish_error(p, &(struct usher_error){0});
    log_recovery(&a->failure_log, &p->log, "the partition is active again");
    log_info(&p->log, "active after %lld ms", (long long)took_ms);
    metrics_observe(&p->ports.metrics->usher_recovery_seconds, took_ms * 1000);
}

static void step(struct allocator *a)
{
    struct usher_error err = {0};
    struct partition *p = &a->partition;
    const struct stage *stage = &stages[p->stage];
    partition_publish_view(p);
    if (p->stopping && !stage->finishes) {
        p->stage = STAGE_UNASSIGNED;
        return;
    }
    enum usher_status status = stage->run(p, &err);
    partition_read_clock(p); /* a stage waits for servers */
    if (status == USHER_REJECT)
        status = refused(p, &err);
    if (status == USHER_REJECT && decides(stage) && rewind(a, &err))
        return;
    if (status != USHER_OK)
        status = fail(a, stage, status, &err);
    p->stage = stage_after(p, stage, status);
    if (p->stage == STAGE_ACQUIRE && a->recovery_began_ms == 0)
        a->recovery_began_ms = p->turn.ms;
    if (p->stage == STAGE_ACTIVE)
        become_active(a);
}

static void *run(void *argument)
{
    struct allocator *a = argument;
    struct partition *p = &a->partition;
    p->thread = pthread_self();
    a->backoff_ms = BACKOFF_MIN_MS;
    a->recovery_began_ms = p->turn.ms;
    while (stages[p->stage].run)
        step(a);
    partition_publish_view(p);
    if (p->stage == STAGE_HALTED)
        flush_outbox_while_halted(p);
    if (p->stage == STAGE_FENCED)
        metrics_add(&p->ports.metrics->usher_fenced_total, 1);
    log_info(&p->log, "left the partition: %s", stages[p->stage].name);
    a->has_left = true;
    partition_forget(p);
    return NULL;
}

/* ---- start and stop ---- */

struct allocator *allocator_start(const struct partition_settings *settings,
                                  const struct partition_ports *ports)
{
    struct allocator *a = memory_calloc(1, sizeof *a);
    partition_init(&a->partition, settings, ports);
    int failed = pthread_create(&a->thread, NULL, run, a);
    assert(!failed);
    return a;
}

void allocator_stop(struct allocator *a, int64_t drain_ms)
{
    partition_stop(&a->partition, drain_ms);
}

void allocator_snapshot(struct allocator *a, struct partition_view *view)
{
    partition_snapshot(&a->partition, view);
    view->state = allocator_state_name(view);
}

bool allocator_join(struct allocator *a)
{
    assert(a->partition.stopping);
    int64_t left_ms = a->partition.stop_ms - clock_ms() + JOIN_GRACE_MS;
    bool ended = thread_join(a->thread, left_ms > JOIN_AGAIN_MS ? left_ms : JOIN_AGAIN_MS);
    while (!ended && a->has_left) /* gigabytes take their time, but are not stuck */
        ended = thread_join(a->thread, JOIN_GRACE_MS);
    if (!ended)
        return false;
    partition_deinit(&a->partition);
    free(a);
    return true;
}
