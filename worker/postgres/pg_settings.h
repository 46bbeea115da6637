/*
 * How to reach PostgreSQL, and how long to wait for it: what every pg_ module is opened with.
 * Names no type of libpq.
 */
#ifndef USHER_WORKER_POSTGRES_PG_SETTINGS_H
#define USHER_WORKER_POSTGRES_PG_SETTINGS_H

#include <stdint.h>

#include "producer/base/options.h"
#include "usher/status.h"

/*
 * Borrowed for as long as what was opened with it. Times of 0 take the default. The server gives
 * up before the client does: lock < statement < query, so that a wait that ended here has ended
 * there too.
 */
struct pg_settings {
    const char *uri;          /* libpq URI or key=value string; never printed. Or several URIs, with
                                 spaces or lines between them … */
    uint32_t place;           /* … of which this one, from 0, is meant */
    const char *uri_file;     /* read again for each connection, so that a password can be changed;
                                 NULL: `uri` stays */
    const char *program;      /* which program we are, for people; NULL: "usher-worker" */
    const char *owner;        /* and which one of them: host and process; NULL: the program */
    int connect_timeout_ms;   /* until a connection is ready; 5,000 */
    int statement_timeout_ms; /* a statement, within the server; 10,000 */
    int lock_timeout_ms;      /* a wait for a lock; 2,000, at most half of a statement's time */
    int query_timeout_ms;     /* until the answer is here; 5,000 more than a statement's time */
};

/* USHER_POSTGRES, USHER_STATEMENT_TIMEOUT. */
extern const struct option_group postgres_options;

/*
 * Reads what loaded options say, which is not who we are. Text is valid as long as the options.
 * FATAL with exit code 78: the URI is empty.
 */
USHER_MUST_CHECK enum usher_status pg_settings_read(const struct options *options,
                                                    struct pg_settings *settings,
                                                    struct usher_error *err);

/* Bounds of a load: what makes it longer is read by the next one, or page by page. */
struct pg_load_limits {
    uint32_t rows;  /* pools, parties, or bookings with a claim on units; request ids looked at */
    uint32_t units; /* numbered units of all pools */
    int64_t bytes;  /* of each kind of row that may be large */
};

#endif
