/*
 * Queries of the views for people, for the commands that list and show. The role of readers
 * suffices. Knows what can be asked, not how it is printed.
 */
#ifndef USHER_WORKER_POSTGRES_PG_VIEWS_H
#define USHER_WORKER_POSTGRES_PG_VIEWS_H

#include <stddef.h>
#include <stdint.h>

#include "usher/memory.h"
#include "usher/status.h"
#include "worker/postgres/pg_settings.h"

enum {
    PG_VIEW_FILTERS = 7
};

/* What can be asked, and by which filters, in this order. */
enum pg_view {
    PG_VIEW_RESOURCES = 0, /* resource, kind, state, venue, text, what to sort by */
    PG_VIEW_NAMES,         /* resource that comes first */
    PG_VIEW_RESOURCE,      /* resource, first night, end: all of one, with takings and terms */
    PG_VIEW_NIGHTS,        /* resource, first night, end: which it has, and which of them to show */
    PG_VIEW_POOLS,         /* resource, first night, end */
    PG_VIEW_HALL,          /* resource: its layout as JSON */
    PG_VIEW_SEATS,         /* resource: section, unit, state of each seat that is taken */
    PG_VIEW_BOOKINGS,     /* customer, resource, booking, state, section and unit of a seat, cart */
    PG_VIEW_OPEN_HOLDS,   /* none: of all resources, those that end first at first */
    PG_VIEW_CART,         /* cart, customer: with its bookings */
    PG_VIEW_CARTS,        /* customer, state, seconds ago at most */
    PG_VIEW_MIXED_CARTS,  /* none: how many were, for a minute, of the last five */
    PG_VIEW_HISTORY,      /* customer, resource, request id, booking, seconds ago at most, cart */
    PG_VIEW_TAKINGS,      /* seconds since 1970 (NULL: midnight at each place), and the last hour */
    PG_VIEW_REFUSALS,     /* none: of the last hour, by resource and reason */
    PG_VIEW_CURVE,        /* resource: the units sold up to each of so many moments */
    PG_VIEW_DOOR,         /* resource, night: who comes, in the order of the hall */
    PG_VIEW_WAITING,      /* resource, customer */
    PG_VIEW_PARTITIONS,   /* none */
    PG_VIEW_DEAD_LETTERS, /* resource, reason, partition-seq */
    PG_VIEW_EVENTS,       /* partition: its halts, skips and clock resets */
};

struct pg_view_question {
    enum pg_view view;
    const char *filters[PG_VIEW_FILTERS]; /* NULL: any */
    int64_t limit;                        /* rows at most; 0: all */
    const char *const *columns;           /* of the view, as text; times in UTC */
    uint32_t column_count;                /* 0: one column, each row as a JSON object */
};

/* Row by row, `column_count` texts each, NULL where there is no value. */
struct pg_view_rows {
    const char *const *values;
    size_t *sizes; /* of each text */
    uint32_t count, column_count;
};

struct pg_views;

/*
 * Connects, with the time limits of the role. `*views` is owned: pg_views_close. RETRY: the
 * database is away (69). FATAL: access denied (77), schema wrong (78). Of several databases one is
 * enough: what is missing, pg_views_missing says; but none is named twice (64).
 */
USHER_MUST_CHECK enum usher_status pg_views_open(const struct pg_settings *settings,
                                                 struct pg_views **views, struct usher_error *err);

/*
 * Gives each question this long, in place of the limits of the role: then the server ends its
 * statement, and after two seconds more it is not waited for. Statuses of pg_views_open.
 */
USHER_MUST_CHECK enum usher_status pg_views_limit(struct pg_views *views, int timeout_ms,
                                                  struct usher_error *err);

/*
 * Asks. The rows live in `arena`. FATAL: a filter is no date or number of its kind (64). Others as
 * above. Several databases are asked one after another, and their rows put in the order of the
 * view; each partition is looked for where it lives, also if it moves meanwhile. FATAL (78): it
 * lives in several.
 */
USHER_MUST_CHECK enum usher_status pg_views_ask(struct pg_views *views,
                                                const struct pg_view_question *question,
                                                struct usher_arena *arena,
                                                struct pg_view_rows *rows, struct usher_error *err);

/*
 * OK: all databases are there, and have all partitions. Else `err` names those that are away, whose
 * rows are missing, or partitions that live in none of them; with the status of the first.
 */
USHER_MUST_CHECK enum usher_status pg_views_missing(const struct pg_views *views,
                                                    struct usher_error *err);

/* Why rows are missing that are in no database that was named, for people; NULL: none are. */
const char *pg_views_homeless(const struct pg_views *views);

/*
 * The place of the database in which a partition lives, or PG_HOME_…, as of the last question, and
 * in which shard beyond USHER_POSTGRES (NULL: in none, as far as is known).
 */
int32_t pg_views_home(const struct pg_views *views, int32_t partition, const char **shard);

/* How many partitions are recorded, as of the last question. */
int32_t pg_views_partitions(const struct pg_views *views);

/* NULL is legal. */
void pg_views_close(struct pg_views *views);

#endif
