/*
 * Rows of views in words for people: what kinds of columns there are, and how each is written; and
 * the limits and quotas of a resource.
 */
#ifndef USHER_WORKER_PROGRAM_REPORT_WORDS_H
#define USHER_WORKER_PROGRAM_REPORT_WORDS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "producer/terminal/terminal.h"
#include "usher/memory.h"
#include "worker/postgres/pg_views.h"

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

/* The stay restrictions of a date, from JSON: min_stay_arrival 7; ski: closed_to_arrival; in the
 * arena. */
const char *report_restrictions(const char *json, struct usher_arena *arena);

/* An amount with its currency: GBP 90.00; in the arena. */
const char *report_money(const char *minor, const char *currency, struct usher_arena *arena);

/* The colour of a state. */
enum terminal_colour report_state_colour(const char *state);

/* A row of a list, one text for each column. */
struct report_row {
    const struct listing *listing;
    const char *const *values;
};

/* A cell of the row as it is printed, by the kind of its column; in the arena, never NULL. */
const char *report_cell(const struct report_row *row, uint32_t column, struct usher_arena *arena);

/*
 * The value of a cell in CSV, in the arena or borrowed, NULL: nothing; and whether somebody may
 * have written it.
 */
const char *report_csv_value(const struct report_row *row, uint32_t column, bool *is_text,
                             struct usher_arena *arena);

/* Prints them as they are stored, a line each; NULL: none. */
void report_terms_print(const char *json, FILE *out);

#endif
