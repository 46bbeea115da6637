/*
 * The open-loop load generator. One thread sends on time, the other one reads answers; they share
 * the time of each request, by its number, which is part of its id: no table, no parsing.
 */
#include "load.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "answer_scan.h"
#include "clock.h"
#include "load_requests.h"
#include "reader.h"
#include "sender.h"

enum {
    FULL_LOAD_RATE_MAX = 500000, /* a second: bounds the memory of a run by time */
    BURST = 64,                  /* requests between two looks at the deliveries */
    FULL_PAUSE_NS = 100000,
    DRAIN_TIMEOUT_MS = 30000,
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
    _Atomic int64_t
        *sent_ns; /* by number: scheduled (at full load: sent) at; 0: not, or answered */
    _Atomic int64_t first_measured; /* number; INT64_MAX during the warm-up of a full load */
    _Atomic int64_t sent, answered;
    _Atomic int64_t failed; /* deliveries */
    atomic_bool sending_done, stop;
    enum usher_status send_status; /* of the sending thread, read after its end */
    struct usher_error send_err;
    int64_t last_answer_ns;
};

/* ---- sending ---- */

static void on_delivery(void *context, const struct usher_delivery *delivery)
{
    struct load *load = context;
    if (delivery->status == USHER_OK)
        return;
    if (atomic_fetch_add(&load->failed, 1) == 0)
        load->send_err = *delivery->err;
}

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

static enum usher_status serve_deliveries(struct load *load)
{
    int served;
    return sender_poll(load->sender, 0, &served, &load->send_err);
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
            status = serve_deliveries(load);
            sleep_until(due);
        } else if (now - due > load->result->late_max_ns &&
                   number >= atomic_load_explicit(&load->first_measured, memory_order_relaxed)) {
            load->result->late_max_ns = now - due;
        }
        if (status == USHER_OK)
            status = send_number(load, number, due);
        if (status == USHER_OK && number % BURST == 0)
            status = serve_deliveries(load);
    }
    return status;
}

static bool is_full(const struct load *load, int64_t number)
{
    int64_t done = atomic_load_explicit(&load->answered, memory_order_relaxed) +
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
            status = serve_deliveries(load);
            sleep_until(now + FULL_PAUSE_NS);
            continue;
        }
        for (int i = 0; i < BURST && status == USHER_OK && !is_full(load, number) &&
                        !is_over(load, number, now);
             i++)
            status = send_number(load, number++, now);
        if (status == USHER_OK)
            status = serve_deliveries(load);
    }
    return status;
}

static void *send_all(void *context)
{
    struct load *load = context;
    int served;
    int64_t deadline;
    prctl(PR_SET_TIMERSLACK, 1000UL, 0, 0, 0); /* wake up on time: 1 µs, not 50 */
    enum usher_status status =
        load->settings->rate > 0 ? send_at_rate(load) : send_at_full_load(load);
    deadline = clock_ms() + DRAIN_TIMEOUT_MS;
    while (status == USHER_OK && sender_pending(load->sender) > 0 && clock_ms() < deadline)
        status = sender_poll(load->sender, 10, &served, &load->send_err);
    load->send_status = status;
    atomic_store(&load->sending_done, true);
    return NULL;
}

/* ---- answers ---- */

static void count_outcome(struct load_result *result, const struct usher_reply *record)
{
    enum usher_outcome outcome = answer_scan_outcome(record->data, record->size);
    result->outcomes[outcome]++;
    if (outcome == USHER_REFUSED || outcome == USHER_INVALID)
        result->reasons[answer_scan_reason(record->data, record->size)]++;
}

static void take_answer(struct load *load, const struct usher_reply *record)
{
    int64_t number = load_number_of(&load->requests, record);
    if (number < 0 || number >= load->capacity || answer_scan_unasked(record->data, record->size))
        return;
    int64_t at_ns = atomic_exchange_explicit(&load->sent_ns[number], 0, memory_order_relaxed);
    if (at_ns == 0)
        return; /* answered before: a second copy in the log */
    atomic_fetch_add_explicit(&load->answered, 1, memory_order_relaxed);
    load->last_answer_ns = clock_ns();
    if (load->settings->answers != NULL) {
        fwrite(record->data, 1, record->size, load->settings->answers);
        putc('\n', load->settings->answers);
    }
    if (number < atomic_load_explicit(&load->first_measured, memory_order_relaxed))
        return;
    load->result->answered++;
    histogram_record(&load->result->latency, load->last_answer_ns - at_ns);
    count_outcome(load->result, record);
}

/* Until all is sent and answered, or no answer came for so long after the last request. */
static enum usher_status read_answers(struct load *load, struct usher_error *err)
{
    int64_t quiet_since = clock_ms();
    enum usher_status status = USHER_OK;
    while (status == USHER_OK || status == USHER_RETRY) {
        struct usher_reply record;
        bool done = atomic_load(&load->sending_done);
        status = reader_next(load->reader, 20, &record, err);
        if (status == USHER_OK) {
            take_answer(load, &record);
            quiet_since = 0;
            continue;
        }
        if (!done || quiet_since == 0)
            quiet_since = clock_ms();
        if (done && (atomic_load(&load->answered) + atomic_load(&load->failed) >=
                         atomic_load(&load->sent) ||
                     clock_ms() - quiet_since >= load->settings->wait_ms))
            return USHER_OK;
    }
    return status;
}

/* ---- a run ---- */

static enum usher_status start_reading(struct load *load, struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    bool *started = calloc((size_t)reader_partition_count(load->reader), sizeof *started);
    if (started == NULL)
        abort();
    for (size_t i = 0; status == USHER_OK && i < load->settings->resource_count; i++) {
        int64_t first, end;
        int32_t partition = sender_partition_of(load->sender, load->settings->resources[i]);
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

static enum usher_status connect(struct load *load, struct usher_error *err)
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
    load->sent_ns = calloc((size_t)load->capacity, sizeof *load->sent_ns);
    if (load->sent_ns == NULL)
        abort();
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
    if (pthread_create(&thread, NULL, send_all, load) != 0) {
        usher_error_set(err, USHER_EXIT_UNAVAILABLE, "could not start a thread");
        return USHER_FATAL;
    }
    enum usher_status status = read_answers(load, err);
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
    result->missing = result->sent - result->answered;
    if (load->last_answer_ns > load->warmup_end_ns)
        result->elapsed_ns = load->last_answer_ns - load->warmup_end_ns;
}

enum usher_status load_run(const struct load_settings *settings, struct load_result *result,
                           struct usher_error *err)
{
    struct load load = {.settings = settings, .result = result};
    *result = (struct load_result){0};
    make_room(&load);
    load_requests_init(&load.requests, settings);
    enum usher_status status = connect(&load, err);
    if (status == USHER_OK)
        status = send_and_read(&load, err);
    if (status == USHER_OK)
        sum_up(&load);
    sender_close(load.sender);
    reader_close(load.reader);
    load_requests_deinit(&load.requests);
    free(load.sent_ns);
    return status;
}
