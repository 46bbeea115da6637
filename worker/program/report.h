/*
 * Reports of the commands that list and show: rows of the views as a table for people, as lines of
 * JSON, or as CSV. Knows views, not their meaning.
 */
#ifndef USHER_WORKER_PROGRAM_REPORT_H
#define USHER_WORKER_PROGRAM_REPORT_H

#include <stdio.h>

#include "producer/base/options.h"
#include "producer/terminal/terminal.h"
#include "usher/memory.h"
#include "usher/message.h"
#include "worker/kafka/kafka_base.h"
#include "worker/postgres/pg_views.h"
#include "worker/program/report_words.h"
#include "worker/program/worker_options.h"

/* A report being made: options, connections and output. */
struct report {
    struct options *options;
    struct worker_settings settings;
    struct pg_views *views;
    struct kafka_base *kafka; /* NULL: not opened */
    struct terminal terminal;
    struct usher_arena arena;
    bool json, csv;  /* at most one; neither: for people */
    int64_t watch_s; /* all is shown again after so long; 0: once */
};

/*
 * Runs a command that looks: connects, calls `run`, closes what is open, and returns the exit code.
 * Where Kafka cannot be closed it does not return: it ends the process. With --watch it calls `run`
 * again and again, each time with an empty arena, until the process is interrupted.
 */
enum usher_exit report_run(struct options *options,
                           enum usher_status (*run)(struct report *, struct usher_error *),
                           struct usher_error *err);

/* Remarks on what is printed: on standard error, or on the screen where it is drawn again. */
void report_remark(const struct report *report, const char *format, ...) USHER_PRINTF(2, 3);

/*
 * Opens Kafka if it is not open, which has that long for each request, and asks how many partitions
 * the requests have. Statuses of kafka_base_open and kafka_base_partitions.
 */
USHER_MUST_CHECK enum usher_status report_open_kafka(struct report *report, int timeout_ms,
                                                     int32_t *partitions, struct usher_error *err);

/* Asks for the columns of the list (of JSON: for whole rows). Rows live in report->arena. */
USHER_MUST_CHECK enum usher_status report_query(struct report *report,
                                                const struct listing *listing,
                                                struct pg_view_question question,
                                                struct pg_view_rows *rows, struct usher_error *err);

/* Prints rows of report_query: as a table, as lines of JSON, or as CSV without an indent. */
void report_print(const struct report *report, const struct listing *listing,
                  const struct pg_view_rows *rows, int indent);

/* Does both. */
USHER_MUST_CHECK enum usher_status report_list(struct report *report, const struct listing *listing,
                                               const struct pg_view_question *question,
                                               struct usher_error *err);

/*
 * Says in `err` that there is no such resource, and which one is like it: FATAL, exit code 65. OK:
 * there is one. Others as pg_views_ask.
 */
USHER_MUST_CHECK enum usher_status report_no_resource(struct report *report, const char *resource,
                                                      struct usher_error *err);

/* --limit, of commands that list; and how all that look show times. */
extern const struct option_group report_limit_options, report_options;

/* Their flags and those of output_options, but --limit, for worker_check_flags. */
#define REPORT_FLAGS " json csv watch time-zone utc"

#endif
