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
};

struct shows {
    struct show *at;
    size_t count;
    const struct chart_file *chart;       /* whose name stands for the rows of each; NULL */
    const struct usher_definition *flags; /* what they say of every resource */
    const char *request_id, *client;
    int64_t deadline_ms;
};

/*
 * Appends the request for a show: with `with_plan` it brings the rows, else it names the chart, if
 * there is one.
 */
void show_encode(const struct shows *shows, const struct show *show, bool with_plan,
                 struct usher_buffer *out);

/*
 * Whether a worker would accept the request. REJECT: the reader's fault says what is wrong; FATAL
 * with exit code 65 in `err`: the rows break a rule of charts.
 */
USHER_MUST_CHECK enum usher_status show_check(const struct shows *shows, const struct show *show,
                                              bool with_plan, const struct message_reader *reader,
                                              struct usher_error *err);

#endif
