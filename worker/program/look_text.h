/*
 * Rows of views in words for people: what kinds of columns there are, and how each is written.
 */
#ifndef USHER_WORKER_PROGRAM_LOOK_TEXT_H
#define USHER_WORKER_PROGRAM_LOOK_TEXT_H

#include "producer/terminal/terminal.h"
#include "usher/memory.h"
#include "worker/postgres/pg_views.h"

enum look_kind {
    LOOK_TEXT = 0,
    LOOK_NUMBER,
    LOOK_INSTANT, /* to the minute, in UTC */
    LOOK_MONEY,   /* in minor units of the row's column "currency" */
    LOOK_STATE,   /* of a resource, booking or partition: in its colour */
    LOOK_OUTCOME, /* of the row's "op", and whether it was "replayed" */
    LOOK_DETAIL,  /* and the new owner, and which items fell short, of the row's "answer" */
    LOOK_RATES,   /* named prices as JSON, in minor units of the row's column "currency" */
    LOOK_ITEMS,   /* items of a request as JSON */
};

struct look_column {
    const char *name;  /* in the view */
    const char *title; /* NULL: not shown, but other columns need it */
    enum look_kind kind;
};

enum {
    LOOK_COLUMNS_MAX = 20
};

#define LOOK_COUNT(array) ((uint32_t)(sizeof(array) / sizeof(array)[0]))

/* A list of something. */
struct look {
    enum pg_view view;
    const struct look_column *columns;
    uint32_t column_count;
    const char *nothing; /* said for people where there are no rows */
};

/* A row of it, one text for each column. */
struct look_row {
    const struct look *look;
    const char *const *values;
};

/* The row's value in a column of that name, or NULL. */
const char *look_value(const struct look_row *row, const char *name);

/* A cell of the row as it is printed, by the kind of its column; in the arena, never NULL. */
const char *look_cell(const struct look_row *row, uint32_t column, struct usher_arena *arena);

/* An instant as PostgreSQL prints it, to the minute: 2026-12-24 19:30Z; in the arena. */
const char *look_instant(const char *text, struct usher_arena *arena);

/* An amount with its currency: GBP 90.00; in the arena. */
const char *look_money(const char *minor, const char *currency, struct usher_arena *arena);

/* The colour of a state. */
enum terminal_colour look_state_colour(const char *state);

#endif
