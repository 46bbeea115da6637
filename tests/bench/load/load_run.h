/*
 * A run of the open-loop load generator: requests are sent at their scheduled times, whatever
 * comes back, and a latency counts from the scheduled time, so that a stall, of usher or of the
 * generator itself, is not hidden by the requests that it kept from being sent.
 */
#ifndef USHER_TESTS_LOAD_RUN_H
#define USHER_TESTS_LOAD_RUN_H

#include <stdint.h>
#include <stdio.h>

#include "histogram.h"
#include "usher/client.h"
#include "usher/message.h"

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

enum {
    LOAD_SLOWEST = 10
};

/* One request and its first answer: where its time went can be asked of those who served it. */
struct load_slow {
    int64_t begun_ns, answered_ns; /* CLOCK_MONOTONIC; the first as scheduled */
    int64_t published_ms;          /* since the epoch: when Kafka appended the answer; 0: unknown */
    int64_t seq;                   /* of the answer in its partition */
    int32_t partition;
};

/* Figures of the requests measured, the warm-up left out. */
struct load_result {
    int64_t sent, failed;
    int64_t missing;     /* it, or what was to follow it, has no answer; of the warm-up, too */
    int64_t elapsed_ns;  /* from the first scheduled to the last answered */
    int64_t cpu_ns;      /* of this program, the warm-up with it */
    int64_t cpu_count;   /* requests that it went to */
    int64_t late_max_ns; /* how late a request was sent at most: should be small */
    struct load_answers first;              /* latency: from the scheduled time */
    struct load_slow slowest[LOAD_SLOWEST]; /* of the first, the slowest first */
    int slow_count;
    struct load_answers then; /* latency: from the answer before */
    struct histogram whole;   /* from the scheduled time to the answer to what followed */
};

/* Runs to the end. Statuses as usher_client_open; `result` is large: not on the stack. */
USHER_MUST_CHECK enum usher_status load_run(const struct load_settings *settings,
                                            struct load_result *result, struct usher_error *err);

#endif
