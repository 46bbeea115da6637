/*
 * The two connections of a partition and which call goes over which, and in which database the
 * partition is acquired.
 */
#include "worker/postgres/pg_record.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "postgres_sql.h"
#include "producer/base/allocate.h"
#include "producer/base/clock.h"
#include "worker/postgres/pg_acquire.h"
#include "worker/postgres/pg_commit.h"
#include "worker/postgres/pg_connection.h"
#include "worker/postgres/pg_homes.h"
#include "worker/postgres/pg_load.h"
#include "worker/postgres/pg_partition.h"
#include "worker/postgres/pg_session.h"
#include "worker/postgres/pg_value.h"

struct pg_record {
    struct record_port port; /* first: what is handed out */
    struct pg_record_options options;
    char owner[128];
    struct pg_connection commits, reads;
    struct pg_commit commit;
    struct pg_load load;
    int descriptor;     /* an epoll of the commit connection's socket */
    bool wakes_at_once; /* it is readable as soon as the socket is writable */
    int32_t acquired;   /* the place where it was acquired … */
    uint32_t begun;     /* … and the newest read of positions at that time */
};

/* ---- the descriptor ---- */

/*
 * A large batch does not fit into the socket at once: whoever waits for the answer must also wake
 * when the rest can be sent. libpq reads while it sends: whoever waits must wake for an answer that
 * it has read, too. An epoll descriptor is readable for either.
 */
static bool must_wake_at_once(const struct pg_record *record)
{
    return record->commits.unsent || pg_commit_has_result(&record->commit);
}

static void watch(struct pg_record *record)
{
    int socket = record->commits.conn ? PQsocket(record->commits.conn) : -1;
    record->wakes_at_once = must_wake_at_once(record);
    struct epoll_event event = {.events = EPOLLIN | (record->wakes_at_once ? EPOLLOUT : 0u)};
    if (socket < 0)
        return; /* closed: it left the epoll by itself */
    if (epoll_ctl(record->descriptor, EPOLL_CTL_MOD, socket, &event) != 0) {
        int added = epoll_ctl(record->descriptor, EPOLL_CTL_ADD, socket, &event);

        assert(added == 0);
    }
}

static int descriptor(void *self)
{
    const struct pg_record *record = self;
    return record->commits.conn ? record->descriptor : -1;
}

/* ---- taking the partition ---- */

enum {
    UNDERWAY_MS = 1000, /* for a partition that stands still on its way; then its owner says so */
    UNDERWAY_TURN_MS = 20,
};

static enum usher_status open_connections(struct pg_record *record,
                                          const struct pg_settings *settings,
                                          struct usher_error *err)
{
    enum usher_status status = pg_session_open_schema(&record->commits, settings, err);
    if (status == USHER_OK)
        status = pg_session_open(&record->reads, settings, err);
    if (status == USHER_OK)
        status = pg_load_open(&record->load, &record->reads, record->options.partition, err);
    return status;
}

static void close_connections(struct pg_record *record)
{
    pg_connection_close(&record->commits);
    pg_connection_close(&record->reads);
}

/* In one of the databases. */
static enum usher_status acquire_there(struct pg_record *record, const struct pg_settings *settings,
                                       int32_t expected_epoch, struct position *position,
                                       struct usher_error *err)
{
    const struct pg_claim claim = {
        .partition = record->options.partition,
        .partition_count = record->options.partition_count,
        .expected_epoch = expected_epoch,
        .owner = record->owner,
    };
    close_connections(record);
    record->commits.sqlstate[0] = '\0';
    enum usher_status status = open_connections(record, settings, err);
    if (status == USHER_OK)
        status = pg_acquire(&record->commits, &claim, position, err);
    if (status != USHER_OK) {
        close_connections(record);
        return status == USHER_HALT ? USHER_RETRY : status; /* it is not ours to halt */
    }
    record->acquired = (int32_t)settings->place;
    pg_load_set_epoch(&record->load, position->epoch);
    status = pg_commit_open(&record->commit, &record->commits, err);
    if (status == USHER_OK)
        watch(record);
    else if (status != USHER_HALT) /* which is noted over the other connection */
        close_connections(record);
    return status;
}

/*
 * A database that the partition does not live in refuses it. What was seen last may be old: it is
 * moved while it sells.
 */
static enum usher_status acquire_somewhere(struct pg_record *record, int32_t home,
                                           int32_t expected_epoch, struct position *position,
                                           bool *is_underway, struct usher_error *err)
{
    const uint32_t count = pg_session_databases(&record->options.connection);
    const uint32_t first = home >= 0 ? (uint32_t)home : 0;
    enum usher_status status = USHER_RETRY;
    struct usher_error failed = {0}; /* the first one that says more than that it is not there */
    *is_underway = false;
    for (uint32_t i = 0; i < count && status == USHER_RETRY; i++) {
        struct pg_settings there = pg_session_one(&record->options.connection, (first + i) % count);
        status = acquire_there(record, &there, expected_epoch, position, err);
        *is_underway = *is_underway || strcmp(record->commits.sqlstate, "US006") == 0;
        if (status == USHER_RETRY && failed.text[0] == '\0' &&
            strcmp(record->commits.sqlstate, "US005") != 0)
            failed = *err;
    }
    if (status == USHER_RETRY && failed.text[0] != '\0')
        *err = failed;
    return status;
}

/* The last page of a move takes a moment, which is waited for. */
static enum usher_status acquire_once_there(struct pg_record *record, int32_t home,
                                            int32_t expected_epoch, struct position *position,
                                            struct usher_error *err)
{
    const int64_t until_ms = clock_ms() + UNDERWAY_MS;
    bool is_underway;
    enum usher_status status =
        acquire_somewhere(record, home, expected_epoch, position, &is_underway, err);
    while (status == USHER_RETRY && is_underway && clock_ms() < until_ms) {
        nanosleep(&(struct timespec){.tv_nsec = UNDERWAY_TURN_MS * 1000000L}, NULL);
        status = acquire_somewhere(record, home, expected_epoch, position, &is_underway, err);
    }
    return status;
}

static enum usher_status acquire(void *self, int32_t expected_epoch, struct position *position,
                                 struct usher_error *err)
{
    struct pg_record *record = self;
    const struct pg_record_options *options = &record->options;
    if (!options->positions)
        return acquire_there(record, &options->connection, expected_epoch, position, err);
    const int32_t home = pg_positions_seen(options->positions, options->partition).home;
    if (home == PG_HOME_SEVERAL) {
        usher_error_set(err, USHER_EXIT_CONFIG,
                        "partition %" PRId32 " lives in more than one database of USHER_POSTGRES: "
                        "one of them was restored to an earlier moment, or is a copy",
                        options->partition);
        return USHER_RETRY;
    }
    enum usher_status status = acquire_once_there(record, home, expected_epoch, position, err);
    record->begun = pg_positions_begun(options->positions);
    return status;
}

/* A read that had begun when the partition was acquired may have seen where it lived before. */
static bool is_elsewhere(void *self)
{
    const struct pg_record *record = self;
    if (!record->options.positions)
        return false;
    const struct pg_seen seen =
        pg_positions_seen(record->options.positions, record->options.partition);
    return seen.read > record->begun && seen.home >= 0 && seen.home != record->acquired;
}

static enum usher_status check_epoch(void *self, int32_t epoch, struct usher_error *err)
{
    struct pg_record *record = self;
    int32_t stored = 0;
    int64_t now_ms = 0;
    enum usher_status status = pg_load_epoch(&record->load, &stored, &now_ms, err);
    return status == USHER_OK ? pg_lookup_same_epoch(&record->load.lists, stored, epoch, err)
                              : status;
}

static enum usher_status note_halt(void *self, int32_t epoch, int64_t next_offset,
                                   const char *reason, struct usher_error *err)
{
    struct pg_record *record = self;
    struct pg_params params = {0};
    pg_params_int4(&params, record->options.partition);
    pg_params_int4(&params, epoch);
    pg_params_int8_or_null(&params, next_offset, OFFSET_NONE);
    pg_params_text(&params, reason);
    PGresult *result;
    enum usher_status status =
        pg_connection_query(&record->reads, partition_note_halt_sql, &params, &result, err);
    bool over = status == USHER_OK && PQntuples(result) == 0;
    PQclear(result);
    if (!over)
        return status;
    usher_error_set(err, USHER_EXIT_UNAVAILABLE,
                    "epoch %" PRId32 " of partition %" PRId32 " is over", epoch,
                    record->options.partition);
    return USHER_FENCED;
}

/* ---- reads ---- */

static enum usher_status load(void *self, const struct load_request *request,
                              struct usher_arena *arena, struct load_result *result,
                              struct usher_error *err)
{
    struct pg_record *record = self;
    return pg_load_run(&record->load, request, arena, result, err);
}

static enum usher_status load_more(void *self, const struct load_request *request,
                                   struct usher_arena *arena, struct load_result *result,
                                   struct usher_error *err)
{
    struct pg_record *record = self;
    return pg_load_more(&record->load, request, arena, result, err);
}

/* NOLINTNEXTLINE(readability-function-size): the port's signature */
static enum usher_status decisions(void *self, int64_t after_seq, uint32_t limit,
                                   struct usher_arena *arena, struct decision_row **rows,
                                   uint32_t *count, struct usher_error *err)
{
    struct pg_record *record = self;
    PGresult *result;
    enum usher_status status =
        pg_load_page(&record->load, PG_LOAD_DECISIONS, after_seq, limit, &result, err);

    if (status == USHER_OK) {
        *rows = pg_rows_read_all(result, PG_ROW_DECISION, arena, count, err);
        status = *rows ? USHER_OK : USHER_HALT;
        PQclear(result);
    }
    return status;
}

/* NOLINTNEXTLINE(readability-function-size): the port's signature */
static enum usher_status dead_letters(void *self, int64_t after_seq, uint32_t limit,
                                      struct usher_arena *arena, struct dead_letter_row **rows,
                                      uint32_t *count, struct usher_error *err)
{
    struct pg_record *record = self;
    PGresult *result;
    enum usher_status status =
        pg_load_page(&record->load, PG_LOAD_DEAD_LETTERS, after_seq, limit, &result, err);

    if (status == USHER_OK) {
        *rows = pg_rows_read_all(result, PG_ROW_DEAD_LETTER, arena, count, err);
        status = *rows ? USHER_OK : USHER_HALT;
        PQclear(result);
    }
    return status;
}

/* Reads the rows of a page, and frees it. Returns how many. */
static uint32_t read_revs(PGresult *page, struct resource_rev *revs)
{
    uint32_t count = (uint32_t)PQntuples(page);
    for (uint32_t i = 0; i < count; i++) {
        struct pg_row row = pg_row_of(page, (int)i, NULL);
        revs[i].no = pg_row_int8(&row, 0);
        revs[i].rev = pg_row_int8(&row, 0);
    }
    PQclear(page);
    return count;
}

static enum usher_status changed(void *self, int64_t after_seq, uint32_t limit,
                                 struct resource_rev *revs, uint32_t *count,
                                 struct usher_error *err)
{
    struct pg_record *record = self;
    PGresult *page;
    enum usher_status status =
        pg_load_page(&record->load, PG_LOAD_CHANGED, after_seq, limit, &page, err);
    *count = status == USHER_OK ? read_revs(page, revs) : 0;
    return status;
}

static enum usher_status resources(void *self, int64_t after_no, uint32_t limit,
                                   struct resource_rev *revs, uint32_t *count,
                                   struct usher_error *err)
{
    struct pg_record *record = self;
    PGresult *page;
    enum usher_status status =
        pg_load_page(&record->load, PG_LOAD_RESOURCES, after_no, limit, &page, err);
    *count = status == USHER_OK ? read_revs(page, revs) : 0;
    return status;
}

/* ---- commits ---- */

static enum usher_status commit_begin(void *self, const struct batch *batch,
                                      struct usher_error *err)
{
    struct pg_record *record = self;
    enum usher_status status = pg_commit_begin(&record->commit, batch, err);
    watch(record);
    return status;
}

static enum usher_status commit_end(void *self, int timeout_ms, bool *done, struct usher_error *err)
{
    struct pg_record *record = self;
    enum usher_status status = pg_commit_end(&record->commit, timeout_ms, done, err);
    if (must_wake_at_once(record) != record->wakes_at_once)
        watch(record);
    return status;
}

static enum usher_status rewind_refused(void *self, struct usher_error *err)
{
    struct pg_record *record = self;
    enum usher_status status = pg_commit_rewind(&record->commit, err);
    watch(record);
    return status;
}

/* ---- its life ---- */

/* A process may own a partition twice, one assignment after another: each gets a name of its own.
 */
static void name_owner(struct pg_record *record)
{
    const char *name = record->options.connection.owner;
    uint64_t token = 0;
    ssize_t drawn = getrandom(&token, sizeof token, 0);
    assert(drawn == (ssize_t)sizeof token);
    snprintf(record->owner, sizeof record->owner, "%.100s#%016" PRIx64,
             name ? name : "usher-worker", token);
}

struct record_port *pg_record_open(const struct pg_record_options *options)
{
    struct pg_record *record = memory_calloc(1, sizeof *record);
    record->options = *options;
    record->descriptor = epoll_create1(EPOLL_CLOEXEC);
    assert(record->descriptor >= 0);
    record->commit.connection = &record->commits;
    record->load.connection = &record->reads;
    record->load.limits = options->loads;
    record->commits.parameter_max = options->parameter_max;
    name_owner(record);
    record->port = (struct record_port){
        .self = record,
        .acquire = acquire,
        .is_elsewhere = is_elsewhere,
        .check_epoch = check_epoch,
        .note_halt = note_halt,
        .load = load,
        .load_more = load_more,
        .commit_begin = commit_begin,
        .commit_end = commit_end,
        .rewind = rewind_refused,
        .descriptor = descriptor,
        .changed = changed,
        .resources = resources,
        .decisions = decisions,
        .dead_letters = dead_letters,
    };
    return &record->port;
}

void pg_record_close(struct record_port *port)
{
    struct pg_record *record = port ? port->self : NULL;
    if (!record)
        return;
    pg_connection_close(&record->commits);
    pg_connection_close(&record->reads);
    pg_commit_deinit(&record->commit);
    pg_load_deinit(&record->load);
    close(record->descriptor);
    free(record);
}
