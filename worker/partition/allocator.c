/*
 * The life of an allocator: a thread that goes through the states of the takeover, as the table
 * below has it, until it ends. What it does in each state is elsewhere.
 */
#include "worker/partition/allocator.h"

#include <assert.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "producer/base/clock.h"
#include "worker/observe/metrics.h"
#include "worker/partition/partition_state.h"

/* ---- the states ---- */

/*
 * RETRY, and REJECT of a commit, always lead back to ACQUIRE: nothing is repaired in place.
 * FENCED, HALT and FATAL end it, whatever the state.
 */
struct stage {
    const char *name;
    enum usher_status (*run)(struct allocator *, struct usher_error *); /* NULL: the end */
    enum allocator_state next;                                          /* after OK */
    enum allocator_state retry;
};

static const struct stage stages[ALLOCATOR_STATE_COUNT] = {
    [ALLOCATOR_ACQUIRE] = {"acquire", takeover_acquire, ALLOCATOR_VERIFY, ALLOCATOR_ACQUIRE},
    [ALLOCATOR_VERIFY] = {"verify", takeover_verify, ALLOCATOR_CATCH_UP, ALLOCATOR_ACQUIRE},
    [ALLOCATOR_CATCH_UP] = {"catch-up", takeover_catch_up, ALLOCATOR_ACTIVE, ALLOCATOR_ACQUIRE},
    [ALLOCATOR_ACTIVE] = {"active", active_run, ALLOCATOR_DRAIN, ALLOCATOR_ACQUIRE},
    [ALLOCATOR_DRAIN] = {"drain", active_drain, ALLOCATOR_UNASSIGNED, ALLOCATOR_UNASSIGNED},
    [ALLOCATOR_FENCED] = {.name = "fenced"},
    [ALLOCATOR_HALTED] = {.name = "halted"},
    [ALLOCATOR_FAILED] = {.name = "failed"},
    [ALLOCATOR_UNASSIGNED] = {.name = "unassigned"},
};

const char *allocator_state_name(enum allocator_state state)
{
    return stages[state].name;
}

static enum allocator_state state_after(const struct stage *stage, enum usher_status status)
{
    switch (status) {
    case USHER_OK:
        return stage->next;
    case USHER_RETRY:
    case USHER_REJECT:
        return stage->retry;
    case USHER_FENCED:
        /* The guard may also refuse us for a commit that got lost: acquire tells which it is. */
        return stage->run == active_run ? ALLOCATOR_ACQUIRE : ALLOCATOR_FENCED;
    case USHER_HALT:
        return ALLOCATOR_HALTED;
    case USHER_FATAL:
        break;
    }
    return ALLOCATOR_FAILED;
}

/* ---- waiting, and the time ---- */

/* Sleeps, but wakes when it is stopped. */
static void sleep_until_stopped(struct allocator *a, int64_t ms)
{
    struct pollfd wake = {.fd = a->wake_descriptor, .events = POLLIN};
    (void)poll(&wake, 1, (int)ms);
}

void allocator_wait(struct allocator *a)
{
    allocator_moved(a);
    sleep_until_stopped(a, 10);
}

int64_t allocator_clock_ms(const struct allocator *a)
{
    return clock_ms() + a->clock_offset_ms;
}

/* Over takeovers, too: the last `now` is stored with each batch. */
int64_t allocator_now_ms(const struct allocator *a)
{
    int64_t now = allocator_clock_ms(a);
    return now > a->position.now_ms ? now : a->position.now_ms;
}

/* ---- the outbox ---- */

enum usher_status allocator_serve_outbox(struct allocator *a, struct usher_error *err)
{
    return a->ports.outbox.poll(a->ports.outbox.self, &a->position.published_seq,
                                &a->position.published_offset, err);
}

enum usher_status allocator_serve_reports(struct allocator *a, struct usher_error *err)
{
    return a->ports.outbox.poll(a->ports.outbox.self, NULL, NULL, err);
}

/*
 * In trouble: the answers to what is committed go out all the same, though nobody turns the loop. A
 * producer that fails meanwhile is made anew.
 */
static void serve_outbox_in_trouble(struct allocator *a)
{
    if (a->outbox_open)
        a->outbox_open = allocator_serve_outbox(a, NULL) == USHER_OK;
}

/* Nobody comes after it who would publish them, until a person has looked. */
static void empty_outbox(struct allocator *a)
{
    int64_t until_ms = clock_ms() + LAST_ANSWERS_MS;
    serve_outbox_in_trouble(a);
    while (a->outbox_open && !a->stopping && clock_ms() < until_ms &&
           a->ports.outbox.pending(a->ports.outbox.self) > 0) {
        allocator_wait(a);
        serve_outbox_in_trouble(a);
    }
}

/* ---- the records kept ---- */

void allocator_release(struct allocator *a, int64_t below_offset)
{
    struct log_record *records;
    uint32_t count = kept_below(&a->kept, below_offset, &records);
    if (count > 0)
        a->ports.log.release(a->ports.log.self, records, count);
    kept_drop(&a->kept, count);
}

/* ---- what others see ---- */

void allocator_moved(struct allocator *a)
{
    atomic_store_explicit(&a->moved_ms, clock_ms(), memory_order_relaxed);
}

static int64_t oldest_pending_ms(const struct allocator *a)
{
    return a->kept.first < a->kept.end ? a->kept.records[a->kept.first].appended_ms : 0;
}

/* Records taken and not known to be committed, and those not yet taken. */
static int64_t lag_of(const struct allocator *a)
{
    uint32_t kept = a->kept.end - a->kept.first;
    int64_t taken_until =
        kept > 0 ? a->kept.records[a->kept.end - 1].offset + 1 : a->committed_offset;
    return kept + a->ports.log.lag(a->ports.log.self, taken_until);
}

void allocator_publish_view(struct allocator *a)
{
    int64_t lag = lag_of(a);
    pthread_mutex_lock(&a->view_lock);
    a->view.state = a->state;
    a->view.epoch = a->position.epoch;
    a->view.next_offset = a->committed_offset;
    a->view.next_seq = a->position.next_seq;
    a->view.published_seq = a->position.published_seq;
    a->view.lag = lag;
    pthread_mutex_unlock(&a->view_lock);
    metrics_halted(a->ports.metrics, a->state == ALLOCATOR_HALTED);
    metrics_position(a->ports.metrics, a->position.epoch, a->committed_offset, lag,
                     oldest_pending_ms(a));
}

static void publish_error(struct allocator *a, const struct usher_error *err)
{
    pthread_mutex_lock(&a->view_lock);
    a->view.error = *err;
    pthread_mutex_unlock(&a->view_lock);
}

void allocator_look(struct allocator *a, struct allocator_view *view)
{
    pthread_mutex_lock(&a->view_lock);
    *view = a->view;
    pthread_mutex_unlock(&a->view_lock);
    view->moved_ms = atomic_load_explicit(&a->moved_ms, memory_order_relaxed);
}

/* ---- going from state to state ---- */

/* Before the partition is acquired again: whether that may help, and how careful to be then. */
static enum usher_status give_up(struct allocator *a, enum usher_status status)
{
    struct flight_times *times;
    const struct batch *oldest = flight_oldest(&a->flight, &times);
    if (status == USHER_REJECT && oldest) {
        struct log_record *at;
        uint32_t undecided = kept_undecided(&a->kept, &at);
        int64_t until = undecided > 0 ? at[undecided - 1].offset + 1 : a->position.next_offset;
        status = caution_refused(&a->caution, oldest, until);
    }
    if (a->recovery_began_ms == 0)
        a->recovery_began_ms = clock_ms();
    return status;
}

/* A successor's rows must not look like damage: HALT only while the partition is ours. */
static enum usher_status confirm_halt(struct allocator *a)
{
    enum usher_status ours =
        a->ports.record.check_epoch(a->ports.record.self, a->position.epoch, NULL);
    return ours == USHER_OK ? USHER_HALT : ours;
}

static void report(struct allocator *a, const struct stage *stage, enum usher_status status,
                   const struct usher_error *err)
{
    enum log_level level = status == USHER_RETRY || status == USHER_REJECT || status == USHER_FENCED
                               ? LOG_LEVEL_WARNING
                               : LOG_LEVEL_ERROR;
    publish_error(a, err);
    log_failure(&a->trouble, &a->log, level, "could not go on in state %s (%s): %s", stage->name,
                usher_status_name(status), err->text);
}

static void arrive(struct allocator *a)
{
    if (a->state != ALLOCATOR_ACTIVE)
        return;
    int64_t took_ms = clock_ms() - a->recovery_began_ms;
    a->recovery_began_ms = 0;
    publish_error(a, &(struct usher_error){0});
    log_recovery(&a->trouble, &a->log, "the partition is active again");
    log_info(&a->log, "active after %lld ms", (long long)took_ms);
    metrics_recovery(a->ports.metrics, took_ms * 1000);
}

static void step(struct allocator *a, int64_t *backoff_ms)
{
    struct usher_error err = {0};
    const struct stage *stage = &stages[a->state];
    allocator_moved(a);
    allocator_publish_view(a);
    if (a->stopping && stage->run != active_run && stage->run != active_drain) {
        a->state = ALLOCATOR_UNASSIGNED;
        return;
    }
    enum usher_status status = stage->run(a, &err);
    if (status != USHER_OK) {
        status = give_up(a, status);
        if (status == USHER_HALT)
            status = confirm_halt(a);
        report(a, stage, status, &err);
        if (status != USHER_FENCED) /* then a successor publishes them */
            serve_outbox_in_trouble(a);
        sleep_until_stopped(a, *backoff_ms);
        *backoff_ms = *backoff_ms * 2 < BACKOFF_MAX_MS ? *backoff_ms * 2 : BACKOFF_MAX_MS;
    } else if (stage->next == ALLOCATOR_ACTIVE) {
        *backoff_ms = BACKOFF_MIN_MS;
    }
    a->state = state_after(stage, status);
    arrive(a);
}

static void *run(void *argument)
{
    struct allocator *a = argument;
    int64_t backoff_ms = BACKOFF_MIN_MS;
    a->recovery_began_ms = clock_ms();
    while (stages[a->state].run)
        step(a, &backoff_ms);
    allocator_publish_view(a);
    if (a->state == ALLOCATOR_HALTED)
        empty_outbox(a);
    if (a->state == ALLOCATOR_FENCED)
        metrics_fenced(a->ports.metrics);
    log_info(&a->log, "left the partition: %s", stages[a->state].name);
    return NULL;
}

/* ---- start and stop ---- */

struct allocator *allocator_start(const struct allocator_settings *settings,
                                  const struct allocator_ports *ports)
{
    struct allocator *a = calloc(1, sizeof *a);
    assert(a);
    a->settings = *settings;
    a->ports = *ports;
    a->log = log_context_with(NULL, "partition=%d", settings->partition);
    a->wake_descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    assert(a->wake_descriptor >= 0);
    pthread_mutex_init(&a->view_lock, NULL);
    caution_init(&a->caution);
    flight_init(&a->flight, settings->batches_in_flight, settings->batch_limit, EXPIRY_LIMIT);
    kept_init(&a->kept, (settings->batches_in_flight + KEPT_BATCHES) * settings->batch_limit);
    a->display = display_open(settings->partition);
    allocator_moved(a);
    int failed = pthread_create(&a->thread, NULL, run, a);
    assert(!failed);
    return a;
}

void allocator_stop(struct allocator *a, int64_t drain_ms)
{
    uint64_t one = 1;
    atomic_store(&a->stop_ms, clock_ms() + drain_ms);
    atomic_store(&a->stopping, true);
    ssize_t written = write(a->wake_descriptor, &one, sizeof one);
    assert(written == sizeof one);
}

static void destroy(struct allocator *a)
{
    allocator_release(a, INT64_MAX);
    inventory_destroy(a->inventory);
    display_close(a->display);
    flight_deinit(&a->flight);
    kept_deinit(&a->kept);
    usher_arena_deinit(&a->scratch);
    pthread_mutex_destroy(&a->view_lock);
    close(a->wake_descriptor);
    free(a);
}

bool allocator_join(struct allocator *a)
{
    enum {
        GRACE_MS = 2000 /* a call into a port may be under way when the drain's time is up */
    };
    struct timespec deadline;
    clock_gettime(CLOCK_REALTIME, &deadline);
    int64_t left_ms = a->stop_ms - clock_ms() + GRACE_MS;
    left_ms = left_ms > 0 ? left_ms : 0;
    deadline.tv_sec += left_ms / 1000 + 1;
    if (pthread_timedjoin_np(a->thread, NULL, &deadline) != 0)
        return false;
    destroy(a);
    return true;
}
