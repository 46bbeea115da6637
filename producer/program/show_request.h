/*
 * The resources of a CSV file, and the requests that define them. Knows neither the file nor Kafka.
 */
#ifndef USHER_PRODUCER_PROGRAM_SHOW_REQUEST_H
#define USHER_PRODUCER_PROGRAM_SHOW_REQUEST_H

#include "producer/codec/message_fault.h"
#include "producer/program/definition_build.h"
#include "usher/message.h"

struct show {
    const char *resource;
    long line;
    struct usher_definition definition; /* with the rows of the plan */
    uint32_t named_count;               /* requests that named the chart instead, so far */
    bool with_plan;                     /* the last request brought the rows */
};

struct shows {
    struct show *at;
    size_t count;
    const struct chart_file *chart; /* whose name stands for the rows of each; NULL */
    const char *request_id, *client;
    int64_t deadline_ms;
};

enum {
    SHOWS_ID_MAX = USHER_ID_MAX - 6 /* bytes of the request id, which gets endings */
};

/*
 * Appends the next request for a show and writes its id: with `with_plan` the one that brings the
 * rows, else one that names the chart, if there is one; each under an id of its own.
 */
void show_encode(const struct shows *shows, const struct show *show, bool with_plan,
                 char id[USHER_ID_MAX + 1], struct usher_buffer *out);

/*
 * Whether a worker would accept the request. REJECT: the reader's fault says what is wrong; FATAL
 * with exit code 65 in `err`: the rows break a rule of charts.
 */
USHER_MUST_CHECK enum usher_status show_check(const struct shows *shows, const struct show *show,
                                              bool with_plan, const struct message_reader *reader,
                                              struct usher_error *err);

#endif
