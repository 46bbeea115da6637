/* A run of the load generator, from the connection to the figures. */
#include "producer/program/load.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "producer/base/allocate.h"
#include "producer/base/clock.h"
#include "producer/program/load_read.h"
#include "producer/program/load_send.h"
#include "producer/program/load_state.h"

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
    free(load.follows);
    return status;
}
