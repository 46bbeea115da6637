/*
 * Reports of the commands that list and show: rows of the views as a table for people, as lines of
 * JSON, or as CSV; columns, terms and halls as text. Knows views, not their meaning.
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
#include "worker/program/worker_options.h"

/*
 * ==== Columns as text ====
 *
 * Rows of views in words for people: what kinds of columns there are, and how each is written.
 */

enum report_kind {
    REPORT_TEXT = 0,
    REPORT_PROSE, /* what was written for people, and may be cut */
    REPORT_NUMBER,
    REPORT_INSTANT, /* by the clocks of --time-zone */
    REPORT_MONEY,   /* in minor units of the row's column "currency" */
    REPORT_STATE, /* of a resource, booking or partition: in its colour; "ended" where the row's is
                     true */
    REPORT_OUTCOME, /* of the row's "op", and whether it was "replayed" */
    REPORT_DETAIL,  /* and the new owner, and which items fell short, of the row's "answer" */
    REPORT_RATES,   /* named prices as JSON, in minor units of the row's column "currency" */
    REPORT_ITEMS,   /* items of a request as JSON */
    REPORT_UNITS,   /* units of a booking as JSON */
    REPORT_TOTALS,  /* amounts by currency as JSON */
    REPORT_SOURCE,  /* JSON that other columns are read from: no list shows it */
};

struct report_column {
    const char *name;  /* in the view */
    const char *title; /* NULL: not shown, but other columns need it */
    enum report_kind kind;
    uint8_t drop; /* as that of struct text_column */
};

#define REPORT_COUNT(array) ((uint32_t)(sizeof(array) / sizeof(array)[0]))

/* A list of something. */
struct listing {
    enum pg_view view;
    const struct report_column *columns;
    uint32_t column_count;
    const char *nothing; /* said for people where there are no rows */
};

/*
 * An instant as PostgreSQL prints it in UTC, by the clocks of --time-zone: 2026-12-24 20:30:05+01;
 * in the arena.
 */
const char *report_instant(const char *text, struct usher_arena *arena);

/* An amount with its currency: GBP 90.00; in the arena. */
const char *report_money(const char *minor, const char *currency, struct usher_arena *arena);

/* The colour of a state. */
enum terminal_colour report_state_colour(const char *state);

/* ==== Rows ==== */

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

/*
 * ==== Limits and quotas ====
 *
 * Limits and quotas of a resource in words for people.
 */

/* Prints them as they are stored, a line each; NULL: none. */
void report_terms_print(const char *json, FILE *out);

/*
 * ==== Hall ====
 *
 * The hall of a resource: its layout, and the position of a seat in it.
 */

struct report_hall {
    const struct usher_section *sections; /* those with rows; in report->arena */
    uint32_t section_count;               /* 0: no hall, or no such resource */
};

/* Statuses of pg_views_ask. */
USHER_MUST_CHECK enum usher_status report_hall_read(struct report *report, const char *resource,
                                                    struct report_hall *hall,
                                                    struct usher_error *err);

/* Finds a seat by its name, as it is printed. False: there is none. `unit` counts row by row. */
bool report_hall_find(const struct report_hall *hall, const char *seat, const char **section,
                      uint32_t *unit);

#endif
