/* Steps of backends and calls of clients. Tables and backends are the world's memory. */
#include "postgres.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "any_row.h"
#include "producer/base/allocate.h"
#include "seams.h"
#include "sim.h"

enum {
    IN_FLIGHT_MAX = 8,
    STEP_US = 2000,
    SLOW_STEP_MS = 20000,
    LOCK_TIMEOUT_MS = 2000,
    QUERY_TIMEOUT_MS = 10000,
    LOAD_TIMEOUT_MS = 1000,
    ROW_US = 5,
    CLOCK_BACK_MS = 30000,
    CLOCK_READINGS = 3,
    CLOCK_QUICK_MS = 100,
};

struct postgres postgres;

/* ---- copies ---- */

/* A batch as it was sent: what it points to may be gone before it is applied. */
struct sent {
    struct batch batch;
    struct usher_arena arena;
    int64_t sent_us;
    enum usher_status status; /* once done */
    bool done;
    enum usher_exit exit_code; /* of one that was refused */
};

static void copy_batch(struct sent *sent, const struct batch *from)
{
    struct usher_arena *arena = &sent->arena;
    struct batch *to = &sent->batch;
    *to = *from;
#define COPY(rows, type, count) to->rows = row_copies(arena, PG_ROW_##type, from->rows, from->count)
    COPY(decisions, DECISION, decision_count);
    COPY(dead_letters, DEAD_LETTER, dead_letter_count);
    COPY(bookings_changed, BOOKING, bookings_changed_count);
    COPY(bookings, BOOKING, booking_count);
    COPY(charts, CHART, chart_count);
    COPY(resources, RESOURCE, resource_count);
    COPY(resource_marks, RESOURCE_MARK, resource_mark_count);
    COPY(pools, POOL, pool_count);
    COPY(pool_moves, POOL_MOVE, pool_move_count);
    COPY(freed, ALLOCATION, freed_count);
    COPY(taken, ALLOCATION, taken_count);
#undef COPY
}

/* ---- a backend: the server's side of a connection for commits ---- */

struct postgres_backend {
    struct postgres_partition *partition;
    struct sent *queue[IN_FLIGHT_MAX]; /* a ring: received, and not yet taken by the client */
    uint32_t first, count, next;       /* `next` of them are done */
    bool failed;                       /* with its connection: nothing more is executed */
    const struct sim_machine *client;
    uint32_t client_start;
    bool left; /* by its client, which may also be dead */
    bool terminated;
    uint32_t restored; /* what the partition's was when it began */
    bool lost;         /* no answer reaches the client any more */
};

/* By an administrator, or because PostgreSQL was stopped to be restored. */
static bool is_terminated(const struct postgres_backend *backend)
{
    return backend->terminated || backend->restored != backend->partition->restored;
}

static int64_t server_ms(void)
{
    return sim_now_us / 1000 + postgres.clock_ms;
}

static void step(void)
{
    sim_sleep(sim_below(STEP_US));
    if (sim_once_in(postgres.slow))
        sim_sleep(sim_below(SLOW_STEP_MS) * SIM_MS);
}

static bool has_left(const void *self)
{
    const struct postgres_backend *backend = self;
    return backend->left || !backend->client->alive ||
           backend->client->start != backend->client_start;
}

static bool has_work(const void *self)
{
    const struct postgres_backend *backend = self;
    return backend->next < backend->count || has_left(self) || is_terminated(backend);
}

static bool is_unlocked(const void *self)
{
    const struct postgres_backend *backend = self;
    return !backend->partition->locked_by || is_terminated(backend);
}

/* The function usher.advance. */
static bool advance(struct position *row, const struct batch *batch)
{
    if (row->epoch != batch->epoch || row->next_offset != batch->expected_next_offset ||
        row->next_seq != batch->expected_next_seq)
        return false;
    assert(batch->next_offset >= row->next_offset && batch->next_seq >= row->next_seq);
    row->next_offset = batch->next_offset;
    row->next_seq = batch->next_seq;
    row->now_ms = batch->now_ms > row->now_ms ? batch->now_ms : row->now_ms;
    row->fingerprint_offset = batch->fingerprint_offset;
    row->fingerprint = batch->fingerprint;
    if (batch->published_seq >= row->published_seq) {
        row->published_seq = batch->published_seq;
        row->published_offset = batch->published_offset;
    }
    row->holds = batch->holds;
    row->parties = batch->parties;
    return true;
}

static void add_letters(struct postgres_partition *partition, const struct batch *batch)
{
    for (uint32_t i = 0; i < batch->dead_letter_count; i++) {
        if (partition->letter_count == partition->letter_limit) {
            partition->letter_limit = 2 * partition->letter_limit + 16;
            partition->letters = memory_realloc(partition->letters, partition->letter_limit,
                                                sizeof *partition->letters);
        }
        row_copy(&partition->tables.arena, PG_ROW_DEAD_LETTER, &batch->dead_letters[i],
                 &partition->letters[partition->letter_count++]);
    }
}

/* Whether the data is always refused: of a request, unless it is a dead letter. */
static bool is_refused(const struct batch *batch)
{
    bool refused = false;
    for (uint32_t i = 0; i < batch->decision_count; i++) {
        const struct decision_row *row = &batch->decisions[i];
        uint64_t mixed = (uint64_t)(row->source_offset + 7) * UINT64_C(0x9e3779b97f4a7c15);
        refused = refused || (row->source_offset != OFFSET_NONE && row->outcome != USHER_INVALID &&
                              postgres.refuses > 0 && (mixed >> 32) % postgres.refuses == 0);
    }
    return refused;
}

/*
 * What is not the fault of the data, such as a statement that somebody cancels; but never what
 * takes the place of a refused request, nor what is decided alone twice in a row: then a person is
 * to look.
 */
static bool is_cancelled(struct postgres_partition *partition, const struct batch *batch)
{
    for (uint32_t i = 0; i < batch->decision_count; i++)
        if (batch->decisions[i].reason == USHER_INTERNAL)
            return false;
    bool nothing_else_fails = postgres.refuses + postgres.loses + postgres.slow == 0;
    bool again = batch->record_count > 0 && partition->cancelled == 1 &&
                 !partition->was_cancelled_twice && nothing_else_fails;
    bool cancelled =
        (partition->cancelled == 0 || again) && sim_once_in(again ? 2 : postgres.cancels);
    partition->was_cancelled_twice |= again && cancelled;
    partition->cancelled = cancelled ? partition->cancelled + 1 : 0;
    return cancelled;
}

/* Under the lock, which a commit or its failure gives back. */
static enum usher_status commit(struct postgres_backend *backend, const struct batch *batch,
                                enum usher_exit *exit_code)
{
    struct postgres_partition *partition = backend->partition;
    struct position row = partition->row;
    step();
    if (is_terminated(backend))
        return USHER_RETRY;
    if (!advance(&row, batch))
        return USHER_FENCED;
    step();
    if (is_terminated(backend) || sim_once_in(postgres.loses))
        return USHER_RETRY;
    bool refused = is_refused(batch);
    if (refused || is_cancelled(partition, batch)) {
        postgres.refused += refused;
        postgres.cancelled += !refused;
        *exit_code = refused && sim_once_in(2) ? USHER_EXIT_BAD_INPUT : USHER_EXIT_BUG;
        return USHER_REJECT;
    }
    partition->row = row;
    fake_database_apply(&partition->tables, batch);
    add_letters(partition, batch);
    sim_boundary("committed", batch->next_seq);
    return USHER_OK;
}

static void execute(struct postgres_backend *backend, struct sent *sent)
{
    struct postgres_partition *partition = backend->partition;
    sent->status = USHER_RETRY;
    if (!backend->failed && !is_terminated(backend)) {
        (void)sim_await(is_unlocked, backend, SIM_NEVER);
        if (!is_terminated(backend)) {
            partition->locked_by = backend;
            sent->status = commit(backend, &sent->batch, &sent->exit_code);
            partition->locked_by = NULL;
        }
    }
    bool breaks = sent->status == USHER_RETRY && !backend->failed;
    backend->failed = sent->status == USHER_RETRY;
    if (sim_once_in(postgres.loses) || breaks) {
        backend->lost = true;
        postgres.lost_answers++;
    }
    sim_sleep(sim_below(STEP_US));
    sent->done = true;
}

static void free_sent(struct sent *sent)
{
    usher_arena_deinit(&sent->arena);
    free(sent);
}

static void *serve(void *argument)
{
    struct postgres_backend *backend = argument;
    for (;;) {
        (void)sim_await(has_work, backend, SIM_NEVER);
        if (backend->next == backend->count || is_terminated(backend))
            break;
        execute(backend, backend->queue[(backend->first + backend->next) % IN_FLIGHT_MAX]);
        backend->next++;
    }
    backend->lost = true;
    (void)sim_await(has_left, backend, SIM_NEVER);
    for (uint32_t i = 0; i < backend->count; i++)
        free_sent(backend->queue[(backend->first + i) % IN_FLIGHT_MAX]);
    free(backend);
    return NULL;
}

/* ---- the client's side ---- */

struct record {
    struct postgres_partition *partition;
    struct postgres_backend *backend; /* NULL: no connection */
    bool refused;                     /* the oldest batch was */
    bool reads;                       /* there is a connection for loads, … */
    uint32_t restored;                /* … as old as this */
    uint64_t owner;                   /* no two are the same */
    int32_t epoch;                    /* acquired */
    int64_t clock_ms;                 /* the server's minus virtual time as it was read, … */
    bool clock_is_read;               /* … quickly */
    int descriptor;
};

static enum usher_status lost(struct usher_error *err, const char *text)
{
    if (err)
        usher_error_set(err, USHER_EXIT_UNAVAILABLE, "%s", text);
    return USHER_RETRY;
}

static void disconnect(struct record *record)
{
    if (record->backend)
        record->backend->left = true;
    record->backend = NULL;
    record->refused = false;
}

static void connect_record(struct record *record)
{
    struct sim_machine *mine = sim_enter(sim_machines);
    struct postgres_backend *backend = memory_calloc(1, sizeof *backend);
    *backend = (struct postgres_backend){.partition = record->partition,
                                         .client = sim_machine(),
                                         .client_start = sim_machine()->start,
                                         .restored = record->partition->restored};
    (void)sim_spawn(sim_machines, serve, backend);
    record->backend = backend;
    (void)sim_enter(mine);
}

/* The way to the server, before a call has its effect. */
static enum usher_status call(const char *name, int64_t detail, struct usher_error *err)
{
    sim_boundary(name, detail);
    sim_sleep(100 + sim_below(400));
    if (sim_now_us < postgres.away_until_us) {
        sim_sleep(sim_below(1000) * SIM_MS);
        return lost(err, "PostgreSQL is away");
    }
    if (sim_once_in(postgres.slow))
        sim_sleep(sim_below(QUERY_TIMEOUT_MS) * SIM_MS);
    return sim_once_in(postgres.loses) ? lost(err, "the connection was lost") : USHER_OK;
}

static bool is_connected(const struct record *record)
{
    return record->reads && record->restored == record->partition->restored;
}

/* The same by the connection for loads. */
static enum usher_status call_reads(const struct record *record, const char *name, int64_t detail,
                                    struct usher_error *err)
{
    enum usher_status status =
        is_connected(record) ? call(name, detail, err) : lost(err, "not connected");
    return status == USHER_OK && !is_connected(record) ? lost(err, "the server stopped") : status;
}

/* The way back. */
static enum usher_status answer(const char *name, int64_t detail, struct usher_error *err)
{
    sim_sleep(100 + sim_below(400));
    sim_boundary(name, detail);
    if (!sim_once_in(postgres.loses))
        return USHER_OK;
    postgres.lost_answers++;
    return lost(err, "the answer was lost");
}

static enum usher_status fenced(struct usher_error *err)
{
    if (err)
        usher_error_set(err, USHER_EXIT_UNAVAILABLE, "another worker owns the partition");
    return USHER_FENCED;
}

static bool may_take(const struct record *record, int32_t expected_epoch)
{
    const struct postgres_partition *partition = record->partition;
    return expected_epoch == 0 || expected_epoch == partition->row.epoch ||
           partition->owner == record->owner;
}

/* False: it is held for longer than the lock timeout. */
static bool await_lock(struct record *record)
{
    return sim_await(is_unlocked, record->backend, sim_now_us + LOCK_TIMEOUT_MS * SIM_MS) &&
           !is_terminated(record->backend);
}

static void terminate(struct record *record)
{
    struct postgres_backend *holder = record->partition->locked_by;
    if (holder)
        holder->terminated = true;
    postgres.terminated += holder ? 1 : 0;
    sim_sleep(sim_below(STEP_US)); /* it notices */
}

/* As many as there are, whether the row of the partition says it or not. */
static void read_open(const struct fake_database *tables, enum booking_state state, int64_t *said)
{
    int64_t count = 0;
    for (uint32_t i = 0; i < tables->booking_count; i++)
        count += tables->bookings[i].state == state;
    assert(*said == count || *said == COUNT_UNKNOWN);
    *said = count;
}

/* The function usher.acquire. */
static enum usher_status take(struct record *record, int32_t expected_epoch,
                              struct position *position, struct usher_error *err)
{
    struct postgres_partition *partition = record->partition;
    int64_t until_us = sim_now_us + QUERY_TIMEOUT_MS * SIM_MS;
    if (!may_take(record, expected_epoch))
        return fenced(err);
    while (!await_lock(record)) {
        if (sim_now_us > until_us)
            return lost(err, "the lock was not given back");
        terminate(record);
    }
    if (!may_take(record, expected_epoch))
        return fenced(err);
    partition->locked_by = record->backend;
    partition->row.epoch++;
    partition->owner = record->owner;
    *position = partition->row;
    record->epoch = position->epoch;
    partition->locked_by = NULL;
    position->last_pool = partition->tables.last_pool;
    read_open(&partition->tables, BOOKING_HELD, &position->holds);
    read_open(&partition->tables, BOOKING_WAITING, &position->parties);
    return USHER_OK;
}

/* As worker/postgres does: again if the server, or a pause, took long. */
static enum usher_status read_clock(struct record *record, struct position *position,
                                    struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    record->clock_is_read = false;
    for (int i = 0; status == USHER_OK && !record->clock_is_read && i < CLOCK_READINGS; i++) {
        int64_t asked_us = sim_now_us;
        status = call("clock", i, err);
        int64_t told_ms = server_ms();
        record->clock_ms = postgres.clock_ms;
        if (status == USHER_OK)
            status = answer("clock_is", i, err);
        position->clock_offset_ms = told_ms - (sim_now_us + sim_machine()->clock_us) / 1000;
        record->clock_is_read = sim_now_us - asked_us <= CLOCK_QUICK_MS * SIM_MS;
    }
    return status;
}

bool postgres_clock_was(const struct record_port *port, int64_t *clock_ms)
{
    const struct record *record = port->self;
    *clock_ms = record->clock_ms;
    return record->clock_is_read;
}

static enum usher_status acquire(void *self, int32_t expected_epoch, struct position *position,
                                 struct usher_error *err)
{
    struct record *record = self;
    disconnect(record);
    record->reads = false;
    enum usher_status status = call("acquire", expected_epoch, err);
    if (status != USHER_OK)
        return status;
    connect_record(record);
    status = take(record, expected_epoch, position, err);
    if (status == USHER_OK)
        status = answer("acquired", position->epoch, err);
    if (status == USHER_OK)
        status = read_clock(record, position, err);
    record->reads = status == USHER_OK;
    record->restored = record->partition->restored;
    if (status != USHER_OK)
        disconnect(record);
    return status;
}

/* There is only one. */
static bool is_elsewhere(void *self)
{
    (void)self;
    return false;
}

static enum usher_status check_epoch(void *self, int32_t epoch, struct usher_error *err)
{
    struct record *record = self;
    enum usher_status status = call_reads(record, "check_epoch", epoch, err);
    if (status == USHER_OK && record->partition->row.epoch != epoch)
        return fenced(err);
    return status == USHER_OK ? answer("checked_epoch", epoch, err) : status;
}

static enum usher_status note_halt(void *self, int32_t epoch, int64_t next_offset,
                                   const char *reason, struct usher_error *err)
{
    struct record *record = self;
    struct postgres_partition *partition = record->partition;
    enum usher_status status = call_reads(record, "note_halt", next_offset, err);
    if (status != USHER_OK)
        return status;
    bool is_owner = partition->row.epoch == epoch;
    struct sim_machine *mine = sim_enter(sim_machines);
    const char *why = strcpy(memory_alloc(strlen(reason) + 1), reason);
    (void)sim_enter(mine);
    if (!is_owner && strstr(reason, "could not load"))
        partition->misread = why;
    if (!is_owner)
        return fenced(err);
    partition->halted = epoch;
    partition->why = why;
    return status;
}

static enum usher_status load(void *self, const struct load_request *request,
                              struct usher_arena *arena, struct load_result *result,
                              struct usher_error *err)
{
    struct record *record = self;
    enum usher_status status = call_reads(record, "load", request->resource_count, err);
    if (status != USHER_OK)
        return status;
    if (record->partition->row.epoch != record->epoch)
        return fenced(err);
    if (postgres.load_max > 0 && request->id_count > postgres.load_max) {
        postgres.slow_loads++;
        sim_sleep(LOAD_TIMEOUT_MS * SIM_MS);
        return lost(err, "the load took too long");
    }
    fake_database_load(&record->partition->tables, request, arena, result);
    if (postgres.page_rows > 0)
        fake_database_cut(&record->partition->tables, request, postgres.page_rows, arena, result);
    sim_sleep(ROW_US * (1 + result->resource_count + result->booking_count + result->first_count));
    return answer("loaded", result->resource_count, err);
}

static enum usher_status load_more(void *self, const struct load_request *request,
                                   struct usher_arena *arena, struct load_result *result,
                                   struct usher_error *err)
{
    struct record *record = self;
    enum usher_status status = call_reads(record, "load_more", postgres.page_rows, err);
    if (status != USHER_OK)
        return status;
    if (record->partition->row.epoch != record->epoch)
        return fenced(err);
    postgres.pages++;
    fake_database_add_page(&record->partition->tables, request, postgres.page_rows, arena, result);
    sim_sleep(ROW_US * (1 + postgres.page_rows));
    return answer("loaded_more", load_has_more(result), err);
}

static enum usher_status commit_begin(void *self, const struct batch *batch,
                                      struct usher_error *err)
{
    struct record *record = self;
    sim_boundary("commit_begin", batch->next_seq);
    struct postgres_backend *backend = record->backend;
    if (!backend || backend->lost || record->refused || sim_now_us < postgres.away_until_us ||
        sim_once_in(postgres.loses)) {
        disconnect(record);
        return lost(err, "the connection was lost");
    }
    assert(backend->count < IN_FLIGHT_MAX);
    struct sim_machine *mine = sim_enter(sim_machines);
    struct sent *sent = memory_calloc(1, sizeof *sent);
    copy_batch(sent, batch);
    sent->sent_us = sim_now_us;
    backend->queue[(backend->first + backend->count) % IN_FLIGHT_MAX] = sent;
    backend->count++;
    (void)sim_enter(mine);
    sim_boundary("commit_begun", batch->next_seq);
    return USHER_OK;
}

static bool has_answer(const void *self)
{
    const struct record *record = self;
    const struct postgres_backend *backend = record->backend;
    return backend &&
           (backend->lost || (backend->count > 0 && backend->queue[backend->first]->done));
}

static void drop_oldest(struct postgres_backend *backend)
{
    struct sim_machine *mine = sim_enter(sim_machines);
    free_sent(backend->queue[backend->first]);
    (void)sim_enter(mine);
    backend->first = (backend->first + 1) % IN_FLIGHT_MAX;
    backend->count--;
    backend->next--;
}

static enum usher_status commit_end(void *self, int timeout_ms, bool *done, struct usher_error *err)
{
    struct record *record = self;
    struct postgres_backend *backend = record->backend;
    assert(timeout_ms == 0);
    *done = false;
    if (!backend || record->refused || (backend->lost && sim_once_in(2))) {
        disconnect(record);
        return lost(err, "the connection was lost");
    }
    if (backend->count == 0)
        return USHER_OK;
    struct sent *oldest = backend->queue[backend->first];
    if (!oldest->done && sim_now_us - oldest->sent_us > QUERY_TIMEOUT_MS * SIM_MS) {
        disconnect(record);
        return lost(err, "the commit got no answer in time");
    }
    if (backend->lost || !oldest->done)
        return USHER_OK;
    enum usher_status status = oldest->status;
    sim_boundary("commit_end", oldest->batch.next_seq);
    *done = status == USHER_OK;
    if (status == USHER_OK) {
        record->partition->told = sim_machine();
        bool is_owner = record->epoch == record->partition->row.epoch;
        record->partition->told_seq = is_owner ? oldest->batch.next_seq : 0;
        drop_oldest(backend);
        return USHER_OK;
    }
    if (status == USHER_REJECT) {
        record->refused = true;
        usher_error_set(err, oldest->exit_code, "the data was refused");
        return USHER_REJECT;
    }
    disconnect(record);
    return status == USHER_FENCED ? fenced(err) : lost(err, "the commit failed");
}

static bool are_done(const void *self)
{
    const struct postgres_backend *backend = self;
    return backend->lost || backend->next == backend->count;
}

static enum usher_status rewind_refused(void *self, struct usher_error *err)
{
    struct record *record = self;
    struct postgres_backend *backend = record->backend;
    sim_boundary("rewind", record->refused);
    if (!backend || !record->refused)
        return lost(err, "not connected");
    bool done = sim_await(are_done, backend, sim_now_us + QUERY_TIMEOUT_MS * SIM_MS);
    bool rolled_back = done && !backend->lost;
    while (rolled_back && backend->count > 0) {
        rolled_back = backend->queue[backend->first]->status != USHER_OK;
        drop_oldest(backend);
    }
    sim_boundary("rewound", rolled_back);
    record->refused = false;
    if (rolled_back)
        return USHER_OK;
    disconnect(record);
    return lost(err, "the connection was lost");
}

static int descriptor(void *self)
{
    return ((struct record *)self)->descriptor;
}

/* ---- pages ---- */

static int compare_revs(const void *left, const void *right)
{
    const struct resource_rev *a = left, *b = right;
    return (a->rev > b->rev) - (a->rev < b->rev);
}

/* By number, as they are stored. */
static uint32_t list(const struct fake_database *tables, int64_t after_no, int64_t after_seq,
                     int64_t until_seq, uint32_t limit, struct resource_rev *revs)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < tables->resource_count && count < limit; i++) {
        const struct resource_row *row = &tables->resources[i].row;
        if (row->no > after_no && row->rev > after_seq && row->rev <= until_seq)
            revs[count++] = (struct resource_rev){.no = row->no, .rev = row->rev};
    }
    return count;
}

static enum usher_status changed(void *self, int64_t after_seq, uint32_t limit,
                                 struct resource_rev *revs, uint32_t *count,
                                 struct usher_error *err)
{
    const struct record *record = self;
    enum usher_status status = call_reads(record, "changed", after_seq, err);
    if (status != USHER_OK)
        return status;
    *count = list(&record->partition->tables, 0, after_seq, after_seq + limit, limit, revs);
    qsort(revs, *count, sizeof *revs, compare_revs);
    return answer("changed_are", *count, err);
}

static enum usher_status resources(void *self, int64_t after_no, uint32_t limit,
                                   struct resource_rev *revs, uint32_t *count,
                                   struct usher_error *err)
{
    const struct record *record = self;
    enum usher_status status = call_reads(record, "resources", after_no, err);
    if (status != USHER_OK)
        return status;
    *count = list(&record->partition->tables, after_no, 0, INT64_MAX, limit, revs);
    return answer("resources_are", *count, err);
}

/* Up to a third of what is asked for, as where rows are large. */
static uint32_t page_of(uint32_t limit)
{
    return sim_once_in(2) ? limit : 1 + sim_below(3);
}

/* NOLINTNEXTLINE(readability-function-size): the port's signature */
static enum usher_status decisions(void *self, int64_t after_seq, uint32_t limit,
                                   struct usher_arena *arena, struct decision_row **rows,
                                   uint32_t *count, struct usher_error *err)
{
    const struct record *record = self;
    const struct fake_database *tables = &record->partition->tables;
    enum usher_status status = call_reads(record, "decisions", after_seq, err);
    if (status != USHER_OK)
        return status;
    limit = page_of(limit);
    *count = 0;
    *rows = usher_arena_alloc(arena, limit * sizeof **rows);
    for (int64_t i = after_seq; i < tables->decision_count && *count < limit; i++)
        if (tables->decisions[i].body) /* it is not lost */
            row_copy(arena, PG_ROW_DECISION, &tables->decisions[i], &(*rows)[(*count)++]);
    return answer("decisions_are", *count, err);
}

/* NOLINTNEXTLINE(readability-function-size): the port's signature */
static enum usher_status dead_letters(void *self, int64_t after_seq, uint32_t limit,
                                      struct usher_arena *arena, struct dead_letter_row **rows,
                                      uint32_t *count, struct usher_error *err)
{
    const struct record *record = self;
    const struct postgres_partition *partition = record->partition;
    enum usher_status status = call_reads(record, "dead_letters", after_seq, err);
    if (status != USHER_OK)
        return status;
    limit = page_of(limit);
    *count = 0;
    *rows = usher_arena_alloc(arena, (partition->letter_count + 1) * sizeof **rows);
    for (uint32_t i = 0; i < partition->letter_count && *count < limit; i++)
        if (partition->letters[i].seq > after_seq)
            row_copy(arena, PG_ROW_DEAD_LETTER, &partition->letters[i], &(*rows)[(*count)++]);
    return answer("dead_letters_are", *count, err);
}

struct record_port postgres_record(int32_t partition)
{
    struct record *record = memory_calloc(1, sizeof *record);
    record->partition = &postgres.partitions[partition];
    record->owner = ++postgres.owners;
    record->descriptor = seams_descriptor(has_answer, record);
    return (struct record_port){
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
}

void postgres_close(const struct record_port *port)
{
    struct record *record = port->self;
    disconnect(record);
    close(record->descriptor);
    free(record);
}

void postgres_terminate(const struct record_port *port)
{
    struct postgres_backend *backend = ((struct record *)port->self)->backend;
    if (backend)
        backend->terminated = true;
}

void postgres_lock(int32_t partition, bool locked)
{
    static struct postgres_backend somebody;
    assert(!locked || !postgres.partitions[partition].locked_by);
    postgres.partitions[partition].locked_by = locked ? &somebody : NULL;
}

/* ---- an operator ---- */

static bool has_no_lock(const void *partition)
{
    return !((const struct postgres_partition *)partition)->locked_by;
}

/* The partition, under the lock of its row for as long as no other fiber runs; NULL: away. */
static struct postgres_partition *begin_statement(int32_t number)
{
    struct postgres_partition *partition = &postgres.partitions[number];
    (void)sim_await(has_no_lock, partition, SIM_NEVER);
    return sim_now_us < postgres.away_until_us ? NULL : partition;
}

/* The function usher.end_halt; then the next epoch begins. Returns whether it was halted. */
static bool end_epoch(struct postgres_partition *partition)
{
    bool was_halted = partition->halted == partition->row.epoch;
    if (was_halted) {
        partition->ended = partition->halted;
        partition->halted = 0;
    }
    partition->row.epoch++;
    return was_halted;
}

bool postgres_accept_loss(int32_t number, int64_t next_seq, int64_t highest_seq)
{
    struct postgres_partition *partition = begin_statement(number);
    if (!partition || partition->row.next_seq != next_seq)
        return false;
    struct position *row = &partition->row;
    row->next_offset = row->next_offset == OFFSET_NONE ? 0 : row->next_offset;
    row->next_seq = highest_seq + 1;
    row->published_seq = highest_seq;
    row->published_offset = OFFSET_NONE;
    fake_database_lose(&partition->tables, highest_seq);
    (void)end_epoch(partition);
    return true;
}

bool postgres_skip_requests(int32_t number, int64_t from, int64_t to)
{
    struct postgres_partition *partition = begin_statement(number);
    if (!partition || partition->row.next_offset != from)
        return false;
    assert(to > from && partition->skip_count < POSTGRES_SKIPS_MAX);
    partition->skips[partition->skip_count++] = (struct postgres_skip){from < 0 ? 0 : from, to};
    partition->row.next_offset = to;
    partition->row.fingerprint_offset = OFFSET_NONE;
    partition->row.fingerprint = 0;
    (void)end_epoch(partition);
    return true;
}

/* That of requests alone. */
bool postgres_accept_topic(int32_t number, int64_t next_offset, int64_t next_seq)
{
    struct postgres_partition *partition = begin_statement(number);
    if (!partition || partition->row.next_offset != next_offset ||
        partition->row.next_seq != next_seq)
        return false;
    partition->topic_seq = next_seq;
    partition->row.next_offset = OFFSET_NONE;
    partition->row.fingerprint_offset = OFFSET_NONE;
    partition->row.fingerprint = 0;
    partition->owner = 0;
    (void)end_epoch(partition);
    partition->ended = partition->row.epoch - 1; /* whoever was at work in it */
    return true;
}

bool postgres_resume(int32_t number)
{
    struct postgres_partition *partition = begin_statement(number);
    if (!partition || partition->halted != partition->row.epoch)
        return false;
    return end_epoch(partition);
}

/* A halt goes along with the epoch that begins. */
static void begin_epoch(struct postgres_partition *partition)
{
    bool is_halted = partition->halted == partition->row.epoch;
    partition->row.epoch++;
    partition->halted = is_halted ? partition->row.epoch : partition->halted;
}

/* The function usher.reset_clock. */
bool postgres_reset_clock(int32_t number)
{
    struct postgres_partition *partition = begin_statement(number);
    if (!partition || partition->row.now_ms <= server_ms())
        return false;
    partition->row.now_ms = server_ms();
    begin_epoch(partition);
    postgres.resets++;
    return true;
}

/* Dead letters go with their decisions. */
bool postgres_prune(int32_t number, int64_t resource_no, int32_t *epoch)
{
    struct postgres_partition *partition = begin_statement(number);
    if (!partition ||
        !fake_database_prune(&partition->tables, resource_no, partition->row.published_seq))
        return false;
    uint32_t count = 0;
    for (uint32_t i = 0; i < partition->letter_count; i++)
        if (partition->tables.decisions[partition->letters[i].seq - 1].body)
            partition->letters[count++] = partition->letters[i];
    partition->letter_count = count;
    partition->told_seq = 0; /* whoever was told has more in memory */
    begin_epoch(partition);
    *epoch = partition->row.epoch;
    postgres.pruned++;
    return true;
}

void postgres_set_clock(void)
{
    int64_t back_ms = sim_below(CLOCK_BACK_MS);
    bool is_back = back_ms >= postgres.back_ms;
    postgres.clock_ms += postgres.back_ms - back_ms;
    postgres.back_ms = back_ms;
    postgres.set_back += is_back;
    postgres.set_ahead += !is_back;
}

/* ---- all of it ---- */

enum usher_status postgres_positions(struct known_position *known, struct usher_error *err)
{
    enum usher_status status = call("positions", 0, err);
    for (int32_t i = 0; status == USHER_OK && i < postgres.partition_count; i++) {
        const struct postgres_partition *partition = &postgres.partitions[i];
        int32_t halted = partition->halted < partition->row.epoch ? partition->halted : 0;
        known[i] = (struct known_position){
            .next_offset = partition->row.next_offset,
            .ended = halted > partition->ended ? halted : partition->ended,
        };
    }
    return status;
}

void postgres_begin(int32_t partition_count)
{
    assert(partition_count <= POSTGRES_PARTITIONS_MAX);
    postgres = (struct postgres){.partition_count = partition_count,
                                 .clock_ms = INT64_C(1766275200000) + sim_below(500)};
    for (int32_t i = 0; i < partition_count; i++) {
        postgres.partitions[i].topic_seq = 1;
        postgres.partitions[i].row = (struct position){
            .partition_count = partition_count,
            .next_offset = OFFSET_NONE,
            .next_seq = 1,
            .published_offset = OFFSET_NONE,
            .fingerprint_offset = OFFSET_NONE,
        };
    }
}
