/* The reading thread of the load generator: counts answers, and sends what follows them. */
#include "producer/program/load_read.h"

#include <time.h>

#include "producer/base/clock.h"
#include "producer/codec/answer_scan.h"

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

enum usher_status load_read(struct load *load, struct usher_error *err)
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
