/* The sending thread of the load generator. */
#include "producer/program/load_send.h"

#include <sys/prctl.h>
#include <time.h>

#include "producer/base/clock.h"
#include "producer/program/load_state.h"

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

void *load_send(void *context)
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
