/*
 * Resources to be defined, out of a CSV file: a line each, with what the flags say for what the
 * line leaves out. Knows no Kafka.
 */
#ifndef USHER_PRODUCER_PROGRAM_SHOWS_H
#define USHER_PRODUCER_PROGRAM_SHOWS_H

#include "producer/base/options.h"
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
 * Reads the flags and the file of --shows ("-" is standard input). All lives in the options' arena.
 * FATAL: exit code 64 where a flag is wrong; 65 where the file or a line of it is, and then every
 * such line was told on stderr (the first 20).
 */
USHER_MUST_CHECK enum usher_status shows_read(struct options *options, struct shows *shows,
                                              struct usher_error *err);

/*
 * Appends the next request for a show and writes its id: with `with_plan` the one that brings the
 * rows, else one that names the chart, where there is one; each under an id of its own.
 */
void shows_encode(const struct shows *shows, const struct show *show, bool with_plan,
                  char id[USHER_ID_MAX + 1], struct usher_buffer *out);

/*
 * Whether a worker would take the request. REJECT: `err` is the complaint of the library; FATAL
 * with exit code 65: the rows break a rule of charts.
 */
USHER_MUST_CHECK enum usher_status shows_check(const struct shows *shows, const struct show *show,
                                               bool with_plan, struct usher_error *err);

#endif
