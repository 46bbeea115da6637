/*
 * The open-loop load generator and its command: requests are sent at their scheduled times,
 * whatever comes back, and a latency counts from the scheduled time, so that a stall, of usher
 * or of the generator itself, is not hidden by the requests that it kept from being sent.
 */
#ifndef USHER_PRODUCER_PROGRAM_BENCH_COMMAND_H
#define USHER_PRODUCER_PROGRAM_BENCH_COMMAND_H

#include <stdatomic.h>
#include <stdio.h>

#include "producer/base/histogram.h"
#include "producer/client/client.h"
#include "producer/client/reader.h"
#include "producer/program/command.h"
#include "usher/client.h"
#include "usher/memory.h"
#include "usher/message.h"

struct load_template;

enum usher_exit bench_command(const struct command *command, struct options *options,
                              struct usher_error *err);

/*
 * ==== Settings and figures ====
 *
 * What a run of the load generator is to do, and the figures that come out.
 */

struct load_settings {
    struct usher_kafka_settings kafka;
    const struct usher_request *requests; /* sent in turn, with new ids and customers */
    size_t request_count;
    enum usher_op then; /* CONFIRM or RELEASE each hold once it is answered; or NONE */
    int64_t rate;       /* per second; 0: as fast as in_flight_max allows */
    int64_t in_flight_max;
    int64_t count; /* requests to measure; 0: by duration_ms */
    int64_t duration_ms;
    int64_t warmup_ms; /* before */
    int64_t wait_ms;   /* for the last answers, from the last one on */
    FILE *answers;     /* all answers as JSON lines; NULL: not kept */
};

/* The answers to one kind of request. */
struct load_answers {
    int64_t count;
    int64_t outcomes[USHER_OUTCOME_COUNT];
    int64_t reasons[USHER_REASON_COUNT];
    struct histogram latency; /* nanoseconds */
};

/* Figures of the requests measured, the warm-up left out. */
struct load_result {
    int64_t sent, failed;
    int64_t missing;     /* it, or what was to follow it, has no answer; of the warm-up, too */
    int64_t elapsed_ns;  /* from the first scheduled to the last answered */
    int64_t cpu_ns;      /* of this program, the warm-up with it */
    int64_t cpu_count;   /* requests that it went to */
    int64_t late_max_ns; /* how late a request was sent at most: should be small */
    struct load_answers first; /* latency: from the scheduled time */
    struct load_answers then;  /* latency: from the answer before */
    struct histogram whole;    /* from the scheduled time to the answer to what followed */
};

/*
 * ==== Requests ====
 *
 * The requests of the load generator: each is encoded once, then only its number is rewritten, by
 * which its answer is found.
 */

enum {
    LOAD_PREFIX_SIZE = 13, /* load- or then-, and 8 hexadecimal digits that differ per run */
    LOAD_DIGITS = 10,      /* of the number, in ids and the customer */
};

struct load_requests {
    char first[LOAD_PREFIX_SIZE + 1], then[LOAD_PREFIX_SIZE + 1]; /* what ids begin with */
    struct load_template *templates;
    size_t count;
    struct usher_buffer text; /* of all templates */
};

/* The request with that number, and what follows it; valid until the next call of the same. */
void load_request(struct load_requests *requests, int64_t number, struct usher_message *message);

/*
 * ==== Shared state ====
 *
 * The state that the two threads of the load generator share. One sends on time, the other reads
 * answers, and sends what follows them; the time of each request is found by its number, which is
 * part of its id: no table, no parsing.
 */

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

#endif
