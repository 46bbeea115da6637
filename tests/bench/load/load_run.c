/*
 * One thread sends on time, the other reads answers, and sends what follows them. The time of
 * each request is found by its number, which is part of its id.
 */
#include "load_run.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

#include "load_requests.h"
#include "producer/base/allocate.h"
#include "producer/base/clock.h"
#include "producer/client/client.h"
#include "producer/client/reader.h"
#include "producer/codec/answer_scan.h"

/* ==== What the two threads share ==== */

/* A request whose answer came and that something follows. Known to the reading thread alone. */
struct load_follow {
    int64_t begun_ns; /* when the first was scheduled */
    int64_t sent_ns;  /* when its answer came; 0: nothing follows, or that was answered */
};

struct load {
    const struct load_settings *settings;
    struct load_result *result;
    struct sender *sender;
    struct reader *reader;
    struct load_requests requests;
    int64_t start_ns;
    int64_t warmup_end_ns;
    int64_t capacity; /* of sent_ns: more requests are never sent */
    /* By number: scheduled (at full load: sent) at; 0: not, or answered. */
    _Atomic int64_t *sent_ns;
    struct load_follow *follows;    /* by number; NULL: nothing ever follows */
    _Atomic int64_t first_measured; /* number; INT64_MAX during the warm-up of a full load */
    _Atomic int64_t sent;
    _Atomic int64_t finished; /* nothing more will come of them */
    _Atomic int64_t failed;   /* deliveries */
    atomic_bool sending_done, stop;
    enum usher_status send_status; /* of the sending thread, read after its end */
    struct usher_error send_err;
    int64_t last_answer_ns;
};

enum {
    LOAD_DRAIN_TIMEOUT_MS = 30000 /* for Kafka to take what was sent */
};

/* ==== The sending thread ==== */

enum {
    BURST = 64, /* requests between two looks at the deliveries */
    FULL_PAUSE_NS = 100000,
    SERVE_MS = 10, /* after the last request, a turn */
};

static enum usher_status send_number(struct load *load, int64_t number, int64_t at_ns)
{
    enum usher_status status;
    int served;
    struct usher_message message;
    load_request(&load->requests, number, &message);
    atomic_store_explicit(&load->sent_ns[number], at_ns, memory_order_relaxed);
    while ((status = sender_send(load->sender, &message, &load->send_err)) == USHER_RETRY) {
        status = sender_poll(load->sender, 1, &served, &load->send_err);
        if (status != USHER_OK)
            break;
    }
    atomic_store_explicit(&load->sent, number + 1, memory_order_relaxed);
    return status;
}

static void sleep_until(int64_t ns)
{
    struct timespec at = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

/* The end of what is to be sent: a number, or a time. */
static bool is_over(const struct load *load, int64_t number, int64_t now)
{
    int64_t first = atomic_load_explicit(&load->first_measured, memory_order_relaxed);
    if (atomic_load(&load->stop) || number == load->capacity)
        return true;
    if (load->settings->count > 0)
        return first != INT64_MAX && number >= first + load->settings->count;
    return now >= load->warmup_end_ns + load->settings->duration_ms * 1000000;
}

static enum usher_status serve_deliveries(struct load *load, int timeout_ms)
{
    int served;
    return sender_poll(load->sender, timeout_ms, &served, &load->send_err);
}

static enum usher_status send_at_rate(struct load *load)
{
    enum usher_status status = USHER_OK;
    int64_t rate = load->settings->rate;
    for (int64_t number = 0; status == USHER_OK; number++) {
        int64_t due =
            load->start_ns + number / rate * 1000000000 + number % rate * 1000000000 / rate;
        int64_t now = clock_ns();
        if (is_over(load, number, due))
            break;
        if (now < due) {
            status = serve_deliveries(load, 0);
            sleep_until(due);
        } else if (now - due > load->result->late_max_ns &&
                   number >= atomic_load_explicit(&load->first_measured, memory_order_relaxed)) {
            load->result->late_max_ns = now - due;
        }
        if (status == USHER_OK)
            status = send_number(load, number, due);
        if (status == USHER_OK && number % BURST == 0)
            status = serve_deliveries(load, 0);
    }
    return status;
}

static bool is_full(const struct load *load, int64_t number)
{
    int64_t done = atomic_load_explicit(&load->finished, memory_order_relaxed) +
                   atomic_load_explicit(&load->failed, memory_order_relaxed);
    return number - done >= load->settings->in_flight_max;
}

static enum usher_status send_at_full_load(struct load *load)
{
    enum usher_status status = USHER_OK;
    for (int64_t number = 0; status == USHER_OK;) {
        int64_t now = clock_ns();
        if (now >= load->warmup_end_ns &&
            atomic_load_explicit(&load->first_measured, memory_order_relaxed) == INT64_MAX)
            atomic_store(&load->first_measured, number);
        if (is_over(load, number, now))
            break;
        if (is_full(load, number)) {
            status = serve_deliveries(load, 0);
            sleep_until(now + FULL_PAUSE_NS);
            continue;
        }
        for (int i = 0; i < BURST && status == USHER_OK && !is_full(load, number) &&
                        !is_over(load, number, now);
             i++)
            status = send_number(load, number++, now);
        if (status == USHER_OK)
            status = serve_deliveries(load, 0);
    }
    return status;
}

/* The sending thread: sends on time, then serves deliveries until it is stopped. */
static void *load_send(void *context)
{
    struct load *load = context;
    prctl(PR_SET_TIMERSLACK, 1000UL, 0, 0, 0); /* wake up on time: 1 µs, not 50 */
    enum usher_status status =
        load->settings->rate > 0 ? send_at_rate(load) : send_at_full_load(load);
    int64_t deadline = clock_ms() + LOAD_DRAIN_TIMEOUT_MS;
    while (status == USHER_OK && sender_pending(load->sender) > 0 && clock_ms() < deadline)
        status = serve_deliveries(load, SERVE_MS);
    atomic_store(&load->sending_done, true);
    while (status == USHER_OK && !atomic_load(&load->stop)) /* what follows an answer */
        status = serve_deliveries(load, SERVE_MS);
    load->send_status = status;
    return NULL;
}

/* ==== The reading thread ==== */

enum {
    WAIT_MS = 20,
    QUEUE_FULL_PAUSE_NS = 1000000,
};

static bool is_measured(const struct load *load, int64_t number)
{
    return number >= atomic_load_explicit(&load->first_measured, memory_order_relaxed);
}

/* What came for the first time: a log may have second copies. */
static void note_answer(struct load *load, const struct usher_reply *record)
{
    load->last_answer_ns = clock_ns();
    if (!load->settings->answers)
        return;
    fwrite(record->data, 1, record->size, load->settings->answers);
    putc('\n', load->settings->answers);
}

static void finish(struct load *load)
{
    atomic_fetch_add_explicit(&load->finished, 1, memory_order_relaxed);
}

static int64_t duration(const struct load_slow *slow)
{
    return slow->answered_ns - slow->begun_ns;
}

/* Keeps it where it is one of the slowest so far. */
static void note_slow(struct load *load, const struct usher_reply *record, int64_t begun_ns)
{
    struct load_result *result = load->result;
    struct load_slow slow = {.begun_ns = begun_ns,
                             .answered_ns = load->last_answer_ns,
                             .published_ms = record->appended_ms,
                             .partition = record->partition};
    int at = result->slow_count;
    if (at == LOAD_SLOWEST && duration(&slow) <= duration(&result->slowest[--at]))
        return;
    (void)answer_scan_seq(record->data, record->size, &slow.seq);
    for (; at > 0 && duration(&slow) > duration(&result->slowest[at - 1]); at--)
        result->slowest[at] = result->slowest[at - 1];
    result->slowest[at] = slow;
    result->slow_count += result->slow_count < LOAD_SLOWEST ? 1 : 0;
}

static void count(struct load_answers *answers, const struct usher_reply *record,
                  enum usher_outcome outcome, int64_t latency_ns)
{
    answers->count++;
    histogram_record(&answers->latency, latency_ns);
    answers->outcomes[outcome]++;
    if (outcome == USHER_REFUSED || outcome == USHER_INVALID)
        answers->reasons[answer_scan_reason(record->data, record->size)]++;
}

/* Deliveries are served by the sending thread, so a full queue empties by itself. */
static enum usher_status send_then(struct load *load, int64_t number, int64_t begun_ns,
                                   struct usher_error *err)
{
    const struct timespec pause = {.tv_nsec = QUEUE_FULL_PAUSE_NS};
    enum usher_status status;
    struct usher_message message;
    load_request_then(&load->requests, number, &message);
    load->follows[number] = (struct load_follow){begun_ns, load->last_answer_ns};
    while ((status = sender_send(load->sender, &message, err)) == USHER_RETRY)
        nanosleep(&pause, NULL);
    return status;
}

static enum usher_status take_first(struct load *load, int64_t number,
                                    const struct usher_reply *record, struct usher_error *err)
{
    int64_t begun_ns = atomic_exchange_explicit(&load->sent_ns[number], 0, memory_order_relaxed);
    if (begun_ns == 0)
        return USHER_OK;
    note_answer(load, record);
    enum usher_outcome outcome = answer_scan_outcome(record->data, record->size);
    if (is_measured(load, number)) {
        count(&load->result->first, record, outcome, load->last_answer_ns - begun_ns);
        note_slow(load, record, begun_ns);
    }
    if (load->follows && outcome == USHER_HELD)
        return send_then(load, number, begun_ns, err);
    finish(load);
    return USHER_OK;
}

static void take_then(struct load *load, int64_t number, const struct usher_reply *record)
{
    struct load_follow *follow = &load->follows[number];
    if (follow->sent_ns == 0)
        return;
    note_answer(load, record);
    if (is_measured(load, number)) {
        count(&load->result->then, record, answer_scan_outcome(record->data, record->size),
              load->last_answer_ns - follow->sent_ns);
        histogram_record(&load->result->whole, load->last_answer_ns - follow->begun_ns);
    }
    follow->sent_ns = 0;
    finish(load);
}

static enum usher_status take(struct load *load, const struct usher_reply *record,
                              struct usher_error *err)
{
    bool is_then;
    int64_t number = load_number_of(&load->requests, record, &is_then);
    if (number < 0 || number >= load->capacity ||
        answer_scan_unrequested(record->data, record->size))
        return USHER_OK;
    if (!is_then)
        return take_first(load, number, record, err);
    if (load->follows)
        take_then(load, number, record);
    return USHER_OK;
}

static bool is_all_finished(const struct load *load)
{
    return atomic_load(&load->finished) + atomic_load(&load->failed) >= atomic_load(&load->sent);
}

/*
 * Runs until all is sent and answered, or no answer has come for too long after the last request.
 */
static enum usher_status load_read(struct load *load, struct usher_error *err)
{
    int64_t quiet_since = clock_ms();
    enum usher_status status = USHER_OK;
    while (status == USHER_OK || status == USHER_RETRY) {
        struct usher_reply record;
        bool done = atomic_load(&load->sending_done);
        status = reader_next(load->reader, WAIT_MS, &record, err);
        if (status == USHER_OK) {
            status = take(load, &record, err);
            quiet_since = 0;
            continue;
        }
        /* At full load the next request waits for answers, too. */
        bool waits = done || load->settings->rate == 0;
        if (!waits || quiet_since == 0)
            quiet_since = clock_ms();
        if ((done && is_all_finished(load)) || clock_ms() - quiet_since >= load->settings->wait_ms)
            return USHER_OK;
    }
    return status;
}

/* ==== The run ==== */

enum {
    FULL_LOAD_RATE_MAX = 500000 /* per second: bounds the memory of a run by time */
};

static void on_delivery(void *context, const struct usher_delivery *delivery)
{
    struct load *load = context;
    if (delivery->status == USHER_OK)
        return;
    if (atomic_fetch_add(&load->failed, 1) == 0)
        load->send_err = *delivery->err;
}

static enum usher_status start_reading(struct load *load, struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    bool *started = memory_calloc((size_t)reader_partition_count(load->reader), sizeof *started);
    for (size_t i = 0; status == USHER_OK && i < load->settings->request_count; i++) {
        int64_t first, end;
        int32_t partition = sender_partition_of(load->sender, load->settings->requests[i].resource);
        if (started[partition])
            continue;
        started[partition] = true;
        status = reader_range(load->reader, partition, &first, &end, err);
        if (status == USHER_OK)
            status = reader_start(load->reader, partition, end, err);
    }
    free(started);
    return status;
}

static enum usher_status connect_to_kafka(struct load *load, struct usher_error *err)
{
    struct sender_settings sending = {
        .kafka = &load->settings->kafka,
        .client_id = "usher-bench",
        .context = load,
        .on_delivery = on_delivery,
    };
    enum usher_status status = sender_open(&sending, &load->sender, err);
    if (status == USHER_OK)
        status = reader_open(&load->settings->kafka, "usher-bench", &load->reader, err);
    return status == USHER_OK ? start_reading(load, err) : status;
}

/* As many as can be sent; memory is only touched for those that are. */
static void make_room(struct load *load)
{
    const struct load_settings *settings = load->settings;
    int64_t rate = settings->rate > 0 ? settings->rate : FULL_LOAD_RATE_MAX;
    int64_t ms = settings->warmup_ms + (settings->count > 0 ? 0 : settings->duration_ms);
    load->capacity = rate * ms / 1000 + settings->count + 1;
    load->sent_ns = memory_calloc((size_t)load->capacity, sizeof *load->sent_ns);
    if (settings->then != USHER_OP_NONE)
        load->follows = memory_calloc((size_t)load->capacity, sizeof *load->follows);
}

static int64_t cpu_ns(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return ((int64_t)usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000 +
           ((int64_t)usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000;
}

static enum usher_status send_and_read(struct load *load, struct usher_error *err)
{
    pthread_t thread;
    const struct load_settings *settings = load->settings;
    int64_t cpu = cpu_ns();
    load->start_ns = clock_ns();
    load->warmup_end_ns = load->start_ns + settings->warmup_ms * 1000000;
    atomic_store(&load->first_measured,
                 settings->rate > 0 ? settings->rate * settings->warmup_ms / 1000 : INT64_MAX);
    if (pthread_create(&thread, NULL, load_send, load) != 0) {
        usher_error_set(err, USHER_EXIT_UNAVAILABLE, "could not start a thread");
        return USHER_FATAL;
    }
    enum usher_status status = load_read(load, err);
    atomic_store(&load->stop, true);
    pthread_join(thread, NULL);
    load->result->cpu_ns = cpu_ns() - cpu;
    if (status == USHER_OK && (load->send_status != USHER_OK || atomic_load(&load->failed) > 0)) {
        *err = load->send_err;
        status = USHER_FATAL;
    }
    return status;
}

static void sum_up(struct load *load)
{
    struct load_result *result = load->result;
    int64_t first = atomic_load(&load->first_measured), sent = atomic_load(&load->sent);
    if (first > sent)
        first = sent;
    result->cpu_count = sent;
    result->sent = sent - first;
    result->failed = atomic_load(&load->failed);
    result->missing = sent - atomic_load(&load->finished) - result->failed;
    if (load->last_answer_ns > load->warmup_end_ns)
        result->elapsed_ns = load->last_answer_ns - load->warmup_end_ns;
}

enum usher_status load_run(const struct load_settings *settings, struct load_result *result,
                           struct usher_error *err)
{
    struct load load = {.settings = settings, .result = result};
    *result = (struct load_result){0};
    make_room(&load);
    load_requests_init(&load.requests, settings->requests, settings->request_count, settings->then);
    enum usher_status status = connect_to_kafka(&load, err);
    if (status == USHER_OK)
        status = send_and_read(&load, err);
    if (status == USHER_OK)
        sum_up(&load);
    sender_close(load.sender);
    reader_close(load.reader);
    load_requests_deinit(&load.requests);
    free(load.sent_ns);
    free(load.follows);
    return status;
}
