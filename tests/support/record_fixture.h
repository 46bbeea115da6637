/*
 * For tests of the record port on a real PostgreSQL: a database of the test's own, an empty one
 * for each test, and batches that are easy to write down.
 */
#ifndef USHER_TESTS_RECORD_FIXTURE_H
#define USHER_TESTS_RECORD_FIXTURE_H

#include <libpq-fe.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "worker/postgres/pg_record.h"

enum {
    FIXTURE_PARTITION = 1,
    FIXTURE_PARTITION_COUNT = 4,
    FIXTURE_ROWS = 64, /* of a kind in a batch */
    FIXTURE_LOCK_TIMEOUT_MS = 1000,
    FIXTURE_PATIENCE_MS = 60000, /* for what does not come at all */
};

/* One batch with room for its rows, and the text of their ids. */
struct fixture_batch {
    struct batch batch;
    struct decision_row decisions[FIXTURE_ROWS];
    struct dead_letter_row dead_letters[FIXTURE_ROWS];
    struct booking_row bookings[FIXTURE_ROWS], changed[FIXTURE_ROWS];
    struct allocation_row taken[2 * FIXTURE_ROWS], freed[2 * FIXTURE_ROWS];
    struct resource_row resources[4];
    struct resource_mark marks[1];
    struct pool_row pools[4];
    const char *lists[8];
    struct pool_move moves[4];
    struct chart_row charts[1];
    char ids[FIXTURE_ROWS][16], lines[FIXTURE_ROWS][40];
};

/* The databases' URIs: FIXTURE_WORKER and FIXTURE_ADMIN of the environment; the test fails
 * without. */
const char *fixture_worker_uri(void);

/* cmocka set-up and tear-down: *state is a PGconn of an administrator; all tables are empty. */
int fixture_setup(void **state);
int fixture_teardown(void **state);

/* A record port of FIXTURE_PARTITION with short time-outs. */
struct record_port *fixture_record(void);
/* One whose loads are as small as can be: a resource comes in many pages. */
struct record_port *fixture_small_record(void);
/* One whose loads have so many rows and so many units in a page. */
struct record_port *fixture_record_of_pages(uint32_t rows, uint32_t units);
/* One whose commits send no parameter of more bytes. */
struct record_port *fixture_record_of_parameters(int bytes);
/* One that waits as long as it takes. */
struct record_port *fixture_patient_record(void);

/* Acquires; fails the test where that is not `wanted`. */
struct position fixture_acquire(struct record_port *record, int32_t expected_epoch,
                                enum usher_status wanted);

/* Loads all that is asked for, page by page; sets `*pages` (may be NULL) to how many followed. */
struct load_result fixture_load(struct record_port *record, const struct load_request *request,
                                struct usher_arena *arena, int *pages);

/* Runs a statement as the administrator and returns the number of its only row and column. */
int64_t fixture_number(void **state, const char *sql);

/* Empties it and makes it begin at `position`: next_seq and next_offset follow as it is filled. */
void fixture_batch_begin(struct fixture_batch *batch, const struct position *position);

/* The show of the tests: a resource with one pool of 1,000 units, made by the first decision. */
void fixture_add_show(struct fixture_batch *batch);

/* A hold of two units of it; returns its row. */
struct booking_row *fixture_add_hold(struct fixture_batch *batch, int32_t first_unit);

/* A change of a booking, its row as it was but for the state; returns the row. */
struct booking_row *fixture_change(struct fixture_batch *batch, const struct booking_row *was,
                                   enum booking_state to);

/* The show's numbers. */
int64_t fixture_show_no(void);
int64_t fixture_pool_no(void);

/* Commits and waits; fails the test where that is not `wanted`. On OK moves the position. */
void fixture_commit(struct record_port *record, const struct fixture_batch *batch,
                    struct position *position, enum usher_status wanted);

/* Waits for the oldest batch begun. */
enum usher_status fixture_end(struct record_port *record, struct usher_error *err);

#endif
