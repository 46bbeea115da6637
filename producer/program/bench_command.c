/*
 * The command, and a run of the load generator: one thread sends on time, the other reads
 * answers, and sends what follows them. The time of each request is found by its number, which
 * is part of its id.
 */
#include "producer/program/bench_command.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <time.h>

#include "producer/base/allocate.h"
#include "producer/base/clock.h"
#include "producer/base/plural.h"
#include "producer/codec/answer_decode.h"
#include "producer/kafka/kafka_options.h"
#include "producer/program/lines.h"
#include "producer/program/request_build.h"
#include "producer/terminal/terminal.h"

/* ==== Shared state ==== */

enum {
    LOAD_DRAIN_TIMEOUT_MS = 30000 /* for Kafka to take what was sent */
};

/*
 * ==== Sending thread ====
 *
 * The sending thread of the load generator.
 */

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

/* ==== Requests ==== */

enum {
    PLACES_MAX = 3 /* of the number: in the id, the customer, the booking */
};

/* A request with places for its number, all of them counted from the start of the text. */
struct load_text {
    size_t at, size;
    size_t places[PLACES_MAX];
    size_t place_count;
};

/* Sending and following up are two threads, each with its own texts. */
struct load_template {
    const char *resource;
    struct load_text first, then;
};

/* ---- encoding ---- */

/* An id as every template has it, of number 0. */
struct ids {
    char first[LOAD_PREFIX_SIZE + LOAD_DIGITS + 1];
    char then[LOAD_PREFIX_SIZE + LOAD_DIGITS + 1];
    char customer[LOAD_DIGITS + 3];
};

/* Encodes the request, and finds the places of its number. */
static void make_text(struct load_requests *requests, const struct usher_request *request,
                      struct load_text *text)
{
    const char *const ids[PLACES_MAX] = {request->request_id, request->customer, request->booking};
    struct usher_buffer *all = &requests->text;
    text->at = all->size;
    usher_request_encode(request, all);
    text->size = all->size - text->at;
    for (size_t i = 0; i < PLACES_MAX && ids[i]; i++) {
        const char *found = memmem(all->at + text->at, text->size, ids[i], strlen(ids[i]));
        assert(found);
        text->places[i] = (size_t)(found - all->at) + strlen(ids[i]) - LOAD_DIGITS;
        text->place_count = i + 1;
    }
}

static void make_template(struct load_requests *requests, const struct ids *ids,
                          const struct usher_request *request, enum usher_op then,
                          struct load_template *template)
{
    struct usher_request first = *request;
    const struct usher_request following = {
        .request_id = ids->then,
        .op = then,
        .resource = request->resource,
        .customer = ids->customer,
        .booking = ids->first,
    };
    first.request_id = ids->first;
    first.customer = ids->customer;
    first.booking = NULL;
    template->resource = request->resource;
    make_text(requests, &first, &template->first);
    if (then != USHER_OP_NONE)
        make_text(requests, &following, &template->then);
}

static void make_prefixes(struct load_requests *requests)
{
    uint32_t run;
    ssize_t size = getrandom(&run, sizeof run, 0);
    assert(size == (ssize_t)sizeof run);
    snprintf(requests->first, sizeof requests->first, "load-%08x", run);
    snprintf(requests->then, sizeof requests->then, "then-%08x", run);
}

/* Borrows the settings. Freed with load_requests_deinit. */
static void load_requests_init(struct load_requests *requests, const struct load_settings *settings)
{
    struct ids ids;
    make_prefixes(requests);
    snprintf(ids.first, sizeof ids.first, "%s%0*d", requests->first, LOAD_DIGITS, 0);
    snprintf(ids.then, sizeof ids.then, "%s%0*d", requests->then, LOAD_DIGITS, 0);
    snprintf(ids.customer, sizeof ids.customer, "c-%0*d", LOAD_DIGITS, 0);
    requests->count = settings->request_count;
    requests->templates = memory_calloc(requests->count, sizeof *requests->templates);
    for (size_t i = 0; i < requests->count; i++)
        make_template(requests, &ids, &settings->requests[i], settings->then,
                      &requests->templates[i]);
}

static void load_requests_deinit(struct load_requests *requests)
{
    usher_buffer_deinit(&requests->text);
    free(requests->templates);
    *requests = (struct load_requests){0};
}

/* ---- numbers ---- */

static void write_number(char *at, int64_t number)
{
    for (int i = LOAD_DIGITS - 1; i >= 0; i--, number /= 10)
        at[i] = (char)('0' + number % 10);
}

static void fill_in(struct load_requests *requests, const char *resource,
                    const struct load_text *text, int64_t number, struct usher_message *message)
{
    for (size_t i = 0; i < text->place_count; i++)
        write_number(requests->text.at + text->places[i], number);
    *message = (struct usher_message){
        .resource = resource,
        .data = requests->text.at + text->at,
        .size = text->size,
    };
}

void load_request(struct load_requests *requests, int64_t number, struct usher_message *message)
{
    const struct load_template *template = &requests->templates[(size_t)number % requests->count];
    fill_in(requests, template->resource, &template->first, number, message);
}

static void load_request_then(struct load_requests *requests, int64_t number,
                              struct usher_message *message)
{
    const struct load_template *template = &requests->templates[(size_t)number % requests->count];
    fill_in(requests, template->resource, &template->then, number, message);
}

/*
 * The number of the request that the answer is to, and whether to what followed; -1: to another's.
 */
static int64_t load_number_of(const struct load_requests *requests,
                              const struct usher_reply *answer, bool *is_then)
{
    const char *id;
    size_t size;
    int64_t number = 0;
    if (!answer_scan_id(answer->data, answer->size, &id, &size) ||
        size != LOAD_PREFIX_SIZE + LOAD_DIGITS)
        return -1;
    *is_then = memcmp(id, requests->then, LOAD_PREFIX_SIZE) == 0;
    if (!*is_then && memcmp(id, requests->first, LOAD_PREFIX_SIZE) != 0)
        return -1;
    for (size_t i = LOAD_PREFIX_SIZE; i < size; i++) {
        if (id[i] < '0' || id[i] > '9')
            return -1;
        number = number * 10 + (id[i] - '0');
    }
    return number;
}

/*
 * ==== Reading thread ====
 *
 * The reading thread of the load generator.
 */

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
    if (is_measured(load, number))
        count(&load->result->first, record, outcome, load->last_answer_ns - begun_ns);
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
    if (number < 0 || number >= load->capacity || answer_scan_unasked(record->data, record->size))
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

/*
 * ==== A run ====
 *
 * The open-loop load generator: requests are sent at their scheduled times, whatever comes back,
 * and a latency counts from the scheduled time, so that a stall, of usher or of the generator
 * itself, is not hidden by the requests that it kept from being sent. Does not know options.
 */

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

/* Runs to the end. Statuses as usher_client_open; `result` is large: not on the stack. */
static enum usher_status load_run(const struct load_settings *settings, struct load_result *result,
                                  struct usher_error *err)
{
    struct load load = {.settings = settings, .result = result};
    *result = (struct load_result){0};
    make_room(&load);
    load_requests_init(&load.requests, settings);
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

/*
 * ==== Requests of a file ====
 *
 * Reads the requests of a load from a file.
 */

enum {
    LINE_WAIT_MS = 1000 /* for the next line of a pipe, before trying again */
};

static enum usher_status complain(const struct lines *lines, const char *what,
                                  struct usher_error *err)
{
    usher_error_set(err, USHER_EXIT_BAD_INPUT, "%s line %ld: %s", lines->name, lines->number, what);
    return USHER_FATAL;
}

static enum usher_status read_line(const struct lines *lines, const char *line, size_t size,
                                   struct usher_arena *arena, struct usher_buffer *all,
                                   struct usher_error *err)
{
    struct usher_request request;
    struct usher_error why;
    if (size == 0)
        return USHER_OK;
    if (usher_request_decode(line, size, arena, &request, &why) != USHER_OK)
        return complain(lines, why.text, err);
    if (request.op != USHER_OP_HOLD && request.op != USHER_OP_BOOK)
        return complain(lines, "a load is made of hold and book", err);
    usher_buffer_append(all, &request, sizeof request);
    return USHER_OK;
}

/*
 * Requests as JSON lines, each a hold or a book. All of it lives in the arena. FATAL with exit code
 * 65: the file cannot be read, a line is no such request (`err` names it), or there is none.
 */
static enum usher_status load_file_read(const char *path, struct usher_arena *arena,
                                        const struct usher_request **requests, size_t *count,
                                        struct usher_error *err)
{
    struct lines lines = {.paths = &path, .path_count = 1};
    struct usher_buffer all = {0};
    enum usher_status status = USHER_OK;
    while (status == USHER_OK || status == USHER_RETRY) {
        const char *line;
        size_t size;
        status = lines_next(&lines, LINE_WAIT_MS, &line, &size, err);
        if (status == USHER_OK)
            status = read_line(&lines, line, size, arena, &all, err);
    }
    if (status == USHER_HALT && all.size == 0) {
        usher_error_set(err, USHER_EXIT_BAD_INPUT, "%s: there is no request in it", lines.name);
        status = USHER_FATAL;
    }
    if (status == USHER_HALT) {
        struct usher_request *kept = usher_arena_alloc(arena, all.size);
        memcpy(kept, all.at, all.size);
        *requests = kept;
        *count = all.size / sizeof *kept;
        status = USHER_OK;
    }
    lines_deinit(&lines);
    usher_buffer_deinit(&all);
    return status;
}

/* ==== Command ==== */

static const struct {
    const char *name;
    double quantile;
} quantiles[] = {{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p99.9", 0.999}, {"max", 1}};

enum {
    QUANTILE_COUNT = sizeof quantiles / sizeof quantiles[0]
};

static double ms(int64_t ns)
{
    return (double)ns / 1e6;
}

static double per_second(const struct load_result *result, int64_t count)
{
    return result->elapsed_ns == 0 ? 0 : (double)count * 1e9 / (double)result->elapsed_ns;
}

static double cpu_us(const struct load_result *result)
{
    return result->cpu_count == 0 ? 0 : (double)result->cpu_ns / 1e3 / (double)result->cpu_count;
}

static double mean(const struct histogram *latency)
{
    return latency->count == 0 ? 0 : (double)latency->sum / (double)latency->count;
}

/* ---- text ---- */

static void print_counts(const struct load_answers *answers)
{
    for (int i = 0; i < USHER_OUTCOME_COUNT; i++) {
        if (answers->outcomes[i] > 0 && i != USHER_HELD)
            printf("%-10s %10" PRId64 "\n",
                   i == 0 ? "unknown" : usher_outcome_name((enum usher_outcome)i),
                   answers->outcomes[i]);
    }
    for (int i = 0; i < USHER_REASON_COUNT; i++) {
        if (answers->reasons[i] > 0)
            printf("  %-20s %" PRId64 "\n",
                   i == 0 ? "unknown" : usher_reason_name((enum usher_reason)i),
                   answers->reasons[i]);
    }
}

static void print_latency(const char *title, const struct histogram *latency)
{
    printf("%s mean %.3f", title, mean(latency) / 1e6);
    for (size_t i = 0; i < QUANTILE_COUNT; i++)
        printf("  %s %.3f", quantiles[i].name,
               ms(histogram_quantile(latency, quantiles[i].quantile)));
    printf("\n");
}

static void print_text(const struct load_result *result)
{
    const struct load_answers *first = &result->first;
    printf("sent       %10" PRId64 "  in %.3f s\n", result->sent, (double)result->elapsed_ns / 1e9);
    printf("answered   %10" PRId64 "  %.0f requests/s\n", first->count,
           per_second(result, first->count));
    if (result->missing > 0)
        printf("missing    %10" PRId64 "\n", result->missing);
    printf("held       %10" PRId64 "  %.0f bookings/s\n", first->outcomes[USHER_HELD],
           per_second(result, first->outcomes[USHER_HELD]));
    print_counts(first);
    print_counts(&result->then);
    print_latency("latency ms ", &first->latency);
    if (result->then.count > 0) {
        print_latency("then ms    ", &result->then.latency);
        print_latency("together ms", &result->whole);
    }
    printf("load generator: %.2f us of CPU per request, sent at most %.3f ms late\n",
           cpu_us(result), ms(result->late_max_ns));
}

/* ---- JSON ---- */

static void print_json_counts(const struct load_answers *answers)
{
    const char *comma = "";
    printf("\"outcomes\":{");
    for (int i = 1; i < USHER_OUTCOME_COUNT; i++) {
        if (answers->outcomes[i] == 0)
            continue;
        printf("%s\"%s\":%" PRId64, comma, usher_outcome_name((enum usher_outcome)i),
               answers->outcomes[i]);
        comma = ",";
    }
    comma = "";
    printf("},\"reasons\":{");
    for (int i = 1; i < USHER_REASON_COUNT; i++) {
        if (answers->reasons[i] == 0)
            continue;
        printf("%s\"%s\":%" PRId64, comma, usher_reason_name((enum usher_reason)i),
               answers->reasons[i]);
        comma = ",";
    }
    printf("}");
}

static void print_json_latency(const char *name, const struct histogram *latency)
{
    printf(",\"%s\":{\"mean\":%.3f", name, mean(latency) / 1e6);
    for (size_t i = 0; i < QUANTILE_COUNT; i++)
        printf(",\"%s\":%.3f", quantiles[i].name,
               ms(histogram_quantile(latency, quantiles[i].quantile)));
    printf("}");
}

static void print_json(const struct load_result *result)
{
    const struct load_answers *first = &result->first;
    printf("{\"sent\":%" PRId64 ",\"answered\":%" PRId64 ",\"missing\":%" PRId64
           ",\"seconds\":%.6f,\"requests_per_s\":%.1f,\"bookings_per_s\":%.1f,",
           result->sent, first->count, result->missing, (double)result->elapsed_ns / 1e9,
           per_second(result, first->count), per_second(result, first->outcomes[USHER_HELD]));
    print_json_counts(first);
    print_json_latency("latency_ms", &first->latency);
    if (result->then.count > 0) {
        printf(",\"then\":{\"answered\":%" PRId64 ",", result->then.count);
        print_json_counts(&result->then);
        print_json_latency("latency_ms", &result->then.latency);
        print_json_latency("together_ms", &result->whole);
        printf("}");
    }
    printf(",\"late_max_ms\":%.3f,\"cpu_us_per_request\":%.3f}\n", ms(result->late_max_ns),
           cpu_us(result));
}

/* ---- the command ---- */

static enum usher_status misuse(const char *text, struct usher_error *err)
{
    usher_error_set(err, USHER_EXIT_USAGE, "%s", text);
    return USHER_FATAL;
}

/* The same items for each resource. */
static const struct usher_request *
make_requests(struct options *options, const struct usher_item *items, uint32_t item_count)
{
    struct usher_request *requests =
        usher_arena_alloc(&options->arena, options->argument_count * sizeof *requests);
    for (size_t i = 0; i < options->argument_count; i++)
        requests[i] = (struct usher_request){
            .op = USHER_OP_HOLD,
            .resource = options->arguments[i],
            .items = items,
            .item_count = item_count,
        };
    return requests;
}

static enum usher_status read_requests(struct options *options, struct load_settings *settings,
                                       struct usher_error *err)
{
    const char *path = options_text(options, "requests");
    const struct usher_item *items;
    uint32_t item_count;
    enum usher_status status = request_items(options, &items, &item_count, err);
    if (status != USHER_OK)
        return status;
    if (path && (options->argument_count > 0 || item_count > 0))
        return misuse("--requests cannot be combined with RESOURCE or items", err);
    if (path)
        return load_file_read(path, &options->arena, &settings->requests, &settings->request_count,
                              err);
    if (options->argument_count == 0)
        return misuse("give a RESOURCE or --requests", err);
    if (item_count == 0)
        return misuse("give an item, such as --section NAME", err);
    settings->requests = make_requests(options, items, item_count);
    settings->request_count = options->argument_count;
    return USHER_OK;
}

static enum usher_status read_settings(struct options *options, struct load_settings *settings,
                                       struct usher_error *err)
{
    const char *then = options_text(options, "then");
    enum usher_status status = kafka_settings_read(options, &settings->kafka, err);
    if (status == USHER_OK)
        status = read_requests(options, settings, err);
    if (status == USHER_OK && options_has(options, "count") && options_has(options, "seconds"))
        status = misuse("give either --count or --seconds", err);
    if (then)
        settings->then = usher_op_named(then);
    return status;
}

/*
 * As many upstream services would send: at once under light load, gathered for a moment under heavy
 * load, so that the generator leaves the processors to what it measures. -X linger.ms= wins.
 */
static void add_linger(struct options *options, struct load_settings *settings)
{
    struct usher_kafka_settings *kafka = &settings->kafka;
    struct usher_property *properties =
        usher_arena_alloc(&options->arena, (kafka->property_count + 1) * sizeof *properties);
    bool light = settings->rate > 0 && settings->rate <= 2000;
    properties[0].name = "linger.ms";
    properties[0].value = light ? "0" : settings->rate > 0 ? "3" : "5";
    for (size_t i = 0; i < kafka->property_count; i++)
        properties[i + 1] = kafka->properties[i];
    kafka->properties = properties;
    kafka->property_count++;
}

static enum usher_status open_answers(const struct options *options, FILE **answers,
                                      struct usher_error *err)
{
    const char *path = options_text(options, "answers");
    *answers = path ? fopen(path, "we") : NULL;
    if (!path || *answers)
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_USAGE, "could not write \"%s\": %s", path, strerror(errno));
    return USHER_FATAL;
}

/* Figures of refusals alone look much like those of bookings. */
static void warn_of_nothing(const struct load_result *result)
{
    int64_t refused = result->first.outcomes[USHER_REFUSED];
    if (refused > 0 && refused == result->first.count)
        terminal_complain("usher-producer", "warning: every request of the measurement was "
                                            "refused; sold out during the warm-up? (--warmup)");
}

static enum usher_exit verdict(const struct load_result *result, struct usher_error *err)
{
    if (result->missing == 0)
        return USHER_EXIT_DONE;
    usher_error_set(err, USHER_EXIT_NO_ANSWER, "%" PRId64 " request%s had no answer in time",
                    result->missing, PLURAL(result->missing));
    return USHER_EXIT_NO_ANSWER;
}

enum usher_exit bench_command(const struct command *command, struct options *options,
                              struct usher_error *err)
{
    static struct load_result result;
    struct load_settings settings = {
        .rate = options_integer(options, "rate"),
        .in_flight_max = options_integer(options, "in-flight"),
        .count = options_integer(options, "count"),
        .duration_ms =
            1000 * (options_has(options, "seconds") ? options_integer(options, "seconds") : 10),
        .warmup_ms = options_integer(options, "warmup"),
        .wait_ms = options_integer(options, "wait"),
    };
    (void)command;
    enum usher_status status = read_settings(options, &settings, err);
    if (status == USHER_OK)
        status = open_answers(options, &settings.answers, err);
    add_linger(options, &settings);
    if (status == USHER_OK)
        status = load_run(&settings, &result, err);
    if (settings.answers && fclose(settings.answers) != 0 && status == USHER_OK) {
        usher_error_set(err, USHER_EXIT_OUTPUT, "could not write the answers: %s", strerror(errno));
        status = USHER_FATAL;
    }
    if (status != USHER_OK)
        return err->exit_code;
    if (options_bool(options, "json"))
        print_json(&result);
    else
        print_text(&result);
    warn_of_nothing(&result);
    return verdict(&result, err);
}
