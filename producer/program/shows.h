/*
 * Resources to define, from a CSV file: one per line, with the options as defaults for fields
 * left empty. Does not know Kafka. CSV is read by RFC 4180, strictly.
 */
#ifndef USHER_PRODUCER_PROGRAM_SHOWS_H
#define USHER_PRODUCER_PROGRAM_SHOWS_H

#include <stddef.h>

#include "producer/base/options.h"
#include "producer/codec/message_fault.h"
#include "producer/program/definition.h"
#include "usher/memory.h"
#include "usher/message.h"
#include "usher/status.h"

/*
 * ==== Requests ====
 *
 * The resources of a CSV file, and the requests that define them. Knows neither the file nor Kafka.
 */

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
    enum usher_only only;
};

/*
 * Appends the request for a show: with `with_plan` it brings the rows, else it names the chart, if
 * there is one.
 */
void show_encode(const struct shows *shows, const struct show *show, bool with_plan,
                 struct usher_buffer *out);

/* ==== Shows ==== */

/*
 * Reads the flags and the file of --shows ("-" is standard input). All lives in the options' arena.
 * FATAL: exit code 64 where a flag is wrong; 65 where the file or a line of it is, and then every
 * such line was reported on stderr (the first 20).
 */
USHER_MUST_CHECK enum usher_status shows_read(struct options *options, struct shows *shows,
                                              struct usher_error *err);

#endif
