/*
 * The record for the staff pages: questions of browsers to the views that the operators' commands
 * ask, by a reader's login. Two threads with a connection each ask PostgreSQL, so that a slow one
 * holds up nothing else. Knows neither HTTP nor Redis.
 */
#ifndef USHER_WORKER_DASHBOARD_STAFF_H
#define USHER_WORKER_DASHBOARD_STAFF_H

#include "producer/base/list.h"
#include "usher/memory.h"
#include "worker/postgres/pg_views.h"

enum staff_result {
    STAFF_OPEN = 0, /* not asked, or not yet answered */
    STAFF_UNKNOWN,  /* there is no such question */
    STAFF_BAD,      /* too little is given to find it by an index, or a filter cannot be read */
    STAFF_BUSY,     /* too many wait, or PostgreSQL is slow */
    STAFF_AWAY,     /* PostgreSQL does not answer, or refuses; the log says why */
    STAFF_ANSWERED, /* `body` has the rows */
    STAFF_RESULTS
};

struct staff_kept;

/* A question of a browser. Zero-initialised: none yet. */
struct staff_ask {
    struct list_node node; /* of those that wait */
    struct pg_view_question question;
    struct staff_kept *kept; /* the answer of all who ask it; NULL: it is for this one alone */
    int64_t asked_ms;        /* CLOCK_MONOTONIC */
    enum staff_result result;
    struct usher_buffer
        body; /* {"at_ms":…,"rows":[…],"more":…}: of the view, as the commands' --json has them */
};

/* The value of a filter, which lives until the question is answered; NULL: any. */
typedef const char *staff_filter(void *context, const char *name);

struct staff;

/*
 * Starts the threads, which connect when first asked. `answered` is called once for each question,
 * by one of them or within staff_ask. `settings` are borrowed.
 */
struct staff *staff_open(const struct pg_settings *settings,
                         void (*answered)(struct staff_ask *ask));

/* Asks the question of that name. `ask` is owned by the caller again once it is answered. */
void staff_ask(struct staff *staff, const char *name, staff_filter *filter, void *context,
               struct staff_ask *ask);

/*
 * Answers what waits, waits for statements that run, and ends the threads. No more may be asked.
 * NULL is legal.
 */
void staff_close(struct staff *staff);

#endif
