/*
 * How a partition changes hands on a real PostgreSQL: first starts, epochs, lost connections, and
 * a predecessor that holds the lock and does not move.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "producer/base/clock.h"
#include "record_fixture.h"
#include "worker/postgres/pg_partition.h"

static struct fixture_batch batch;

static void the_first_start_records_the_partition_count(void **state)
{
    struct record_port *record = fixture_record();
    struct position position = fixture_acquire(record, 0, USHER_OK);
    assert_int_equal(1, position.epoch);
    assert_int_equal(FIXTURE_PARTITION_COUNT, position.partition_count);
    assert_int_equal(OFFSET_NONE, position.next_offset);
    assert_int_equal(1, position.next_seq);
    assert_int_equal(0, position.now_ms);
    assert_int_equal(0, position.published_seq);
    assert_int_equal(OFFSET_NONE, position.published_offset);
    assert_int_equal(OFFSET_NONE, position.fingerprint_offset);
    assert_int_equal(0, position.last_pool);
    int64_t clock = fixture_number(state, "select extract(epoch from now())::bigint");
    assert_in_range((position.clock_offset_ms + clock_ms()) / 1000, clock - 5, clock + 5);
    assert_int_equal(FIXTURE_PARTITION_COUNT,
                     fixture_number(state, "select partition_count from usher.partition_state"));
    pg_record_close(record);
}

static void another_partition_count_is_refused(void **state)
{
    (void)state;
    struct record_port *record = fixture_record();
    fixture_acquire(record, 0, USHER_OK);
    pg_record_close(record);
    for (int32_t partition = FIXTURE_PARTITION; partition <= FIXTURE_PARTITION + 1; partition++) {
        const struct pg_record_options other = {.connection = {.uri = fixture_worker_uri()},
                                                .partition = partition,
                                                .partition_count = FIXTURE_PARTITION_COUNT + 1};
        struct position position;
        struct usher_error err = {0};
        record = pg_record_open(&other);
        assert_int_equal(USHER_FATAL, record->acquire(record->self, 0, &position, &err));
        assert_int_equal(USHER_EXIT_CONFIG, err.exit_code);
        assert_non_null(strstr(err.text, "4 partitions are recorded, not 5; "));
        pg_record_close(record);
    }
}

static void the_position_is_what_was_committed(void **state)
{
    (void)state;
    struct record_port *record = fixture_record();
    struct position position = fixture_acquire(record, 0, USHER_OK);
    fixture_batch_begin(&batch, &position);
    fixture_add_show(&batch);
    fixture_add_hold(&batch, 10);
    batch.batch.published_seq = 0;
    fixture_commit(record, &batch, &position, USHER_OK);
    fixture_batch_begin(&batch, &position);
    fixture_add_hold(&batch, 20);
    batch.batch.published_seq = 2;
    batch.batch.published_offset = 55;
    fixture_commit(record, &batch, &position, USHER_OK);
    int64_t now_ms = batch.batch.now_ms;
    /* A published position that is lower, and a clock that went back, are not taken over. */
    fixture_batch_begin(&batch, &position);
    fixture_add_hold(&batch, 30);
    batch.batch.published_seq = 1;
    batch.batch.published_offset = 54;
    batch.batch.now_ms = now_ms - 1000;
    fixture_commit(record, &batch, &position, USHER_OK);

    struct position after = fixture_acquire(record, position.epoch, USHER_OK);
    assert_int_equal(2, after.epoch);
    assert_int_equal(position.next_offset, after.next_offset);
    assert_int_equal(5, after.next_seq);
    assert_int_equal(now_ms, after.now_ms);
    assert_int_equal(2, after.published_seq);
    assert_int_equal(55, after.published_offset);
    assert_int_equal(position.next_offset - 1, after.fingerprint_offset);
    assert_int_equal(4711, after.fingerprint);
    assert_int_equal(1, after.last_pool);
    pg_record_close(record);
}

/* Whoever takes a partition over counts nothing, however many holds are open. */
static void open_holds_are_as_the_last_batch_said(void **state)
{
    (void)state;
    struct record_port *record = fixture_record();
    struct position position = fixture_acquire(record, 0, USHER_OK);
    assert_int_equal(0, position.holds + position.parties);
    fixture_batch_begin(&batch, &position);
    fixture_add_show(&batch);
    fixture_add_hold(&batch, 10);
    batch.batch.holds = 700000;
    batch.batch.parties = 30;
    fixture_commit(record, &batch, &position, USHER_OK);
    struct position after = fixture_acquire(record, position.epoch, USHER_OK);
    assert_int_equal(700000, after.holds);
    assert_int_equal(30, after.parties);
    /* By a worker that does not know. */
    fixture_batch_begin(&batch, &after);
    fixture_add_hold(&batch, 20);
    fixture_commit(record, &batch, &after, USHER_OK);
    after = fixture_acquire(record, after.epoch, USHER_OK);
    assert_int_equal(2, after.holds);
    assert_int_equal(0, after.parties);
    pg_record_close(record);
}

static void positions_are_read_without_a_lock(void **state)
{
    const struct pg_settings settings = {.uri = fixture_worker_uri(),
                                         .query_timeout_ms = FIXTURE_PATIENCE_MS};
    struct pg_positions *others = pg_positions_open(&settings, FIXTURE_PARTITION_COUNT - 1);
    struct pg_positions *positions = pg_positions_open(&settings, FIXTURE_PARTITION_COUNT);
    struct usher_error err = {0};
    struct known_position known[FIXTURE_PARTITION_COUNT];
    struct record_port *record = fixture_record();
    struct position position = fixture_acquire(record, 0, USHER_OK);
    fixture_batch_begin(&batch, &position);
    fixture_add_show(&batch);
    batch.batch.next_offset = 9;
    fixture_commit(record, &batch, &position, USHER_OK);
    PQclear(PQexec(*state, "begin; select from usher.partition_state for update"));
    assert_int_equal(USHER_OK, pg_positions_read(positions, known, &err));
    assert_int_equal(OFFSET_NONE, known[0].next_offset);
    assert_int_equal(9, known[FIXTURE_PARTITION].next_offset);
    assert_int_equal(USHER_FATAL, pg_positions_read(others, known, &err));
    assert_int_equal(USHER_EXIT_CONFIG, err.exit_code);
    PQclear(PQexec(*state, "rollback"));
    pg_positions_close(positions);
    pg_positions_close(others);
    pg_record_close(record);
}

static void a_successor_fences_its_predecessor(void **state)
{
    (void)state;
    struct record_port *old = fixture_record(), *new = fixture_record();
    struct usher_error err = {0};
    struct position was = fixture_acquire(old, 0, USHER_OK);
    assert_int_equal(USHER_OK, old->check_epoch(old->self, was.epoch, &err));
    struct position is = fixture_acquire(new, 0, USHER_OK);
    assert_int_equal(was.epoch + 1, is.epoch);
    assert_int_equal(USHER_FENCED, old->check_epoch(old->self, was.epoch, &err));
    assert_int_equal(USHER_FENCED, old->note_halt(old->self, was.epoch, OFFSET_NONE, "why", &err));
    fixture_batch_begin(&batch, &was);
    fixture_add_show(&batch);
    fixture_commit(old, &batch, &was, USHER_FENCED);
    fixture_acquire(old, was.epoch, USHER_FENCED);
    assert_int_equal(USHER_OK, new->check_epoch(new->self, is.epoch, &err));
    assert_int_equal(USHER_OK, new->note_halt(new->self, is.epoch, OFFSET_NONE, "why", &err));
    assert_int_equal(USHER_OK, new->note_halt(new->self, is.epoch, OFFSET_NONE, "again", &err));
    pg_record_close(old);
    pg_record_close(new);
}

/*
 * Who asks for the epoch that it had, and then waits for the lock, finds that epoch gone when the
 * successor, which has the lock, commits.
 */
static void a_successor_is_not_overtaken_behind_the_lock(void **state)
{
    struct record_port *old = fixture_patient_record();
    struct position position = fixture_acquire(old, 0, USHER_OK);
    PGconn *successor = PQconnectdb(fixture_worker_uri());
    char sql[600];
    snprintf(sql, sizeof sql,
             "begin; select usher.acquire(%d, %d, 0, 'successor', pid, backend_start)"
             " from pg_stat_get_activity(pg_backend_pid());"
             " do $$ begin while not exists (select from pg_locks where not granted and"
             " pg_backend_pid() = any(pg_blocking_pids(pid))) loop perform pg_sleep(0.01);"
             " end loop; end $$; commit",
             FIXTURE_PARTITION, FIXTURE_PARTITION_COUNT);
    assert_int_equal(1, PQsendQuery(successor, sql));
    while (fixture_number(state, "select count(*) from pg_locks where granted and mode ="
                                 " 'RowExclusiveLock' and relation ="
                                 " 'usher.partition_state'::regclass") == 0)
        fixture_number(state, "select 1 from pg_sleep(0.001)");
    fixture_acquire(old, position.epoch, USHER_FENCED);
    for (PGresult *result; (result = PQgetResult(successor)); PQclear(result))
        assert_int_not_equal(PGRES_FATAL_ERROR, PQresultStatus(result));
    assert_int_equal(2, fixture_number(state, "select epoch from usher.partition_state"));
    PQfinish(successor);
    pg_record_close(old);
}

/* The answer to an acquire may be lost after it succeeded: the epoch moved, but nobody else has it.
 */
static void an_acquire_whose_answer_was_lost_can_be_repeated(void **state)
{
    (void)state;
    struct record_port *record = fixture_record();
    struct position first = fixture_acquire(record, 0, USHER_OK);
    struct position lost = fixture_acquire(record, first.epoch, USHER_OK);
    struct position again = fixture_acquire(record, first.epoch, USHER_OK);
    assert_int_equal(lost.epoch + 1, again.epoch);
    pg_record_close(record);
}

static void a_terminated_backend_is_a_lost_connection(void **state)
{
    struct record_port *record = fixture_record();
    struct position position = fixture_acquire(record, 0, USHER_OK);
    struct usher_error err = {0};
    fixture_batch_begin(&batch, &position);
    fixture_add_show(&batch);
    PQclear(PQexec(*state, "begin; select from usher.partition_state for update"));
    assert_int_equal(USHER_OK, record->commit_begin(record->self, &batch.batch, &err));
    bool done = false;
    assert_int_equal(USHER_OK, record->commit_end(record->self, 50, &done, &err));
    assert_false(done);
    fixture_number(state, "select pg_terminate_backend(backend_pid)::integer"
                          " from usher.partition_state");
    assert_int_equal(USHER_RETRY, fixture_end(record, &err));
    assert_int_equal(-1, record->descriptor(record->self));
    PQclear(PQexec(*state, "rollback"));

    struct position after = fixture_acquire(record, position.epoch, USHER_OK);
    assert_int_equal(1, after.next_seq);
    batch.batch.epoch = after.epoch;
    fixture_commit(record, &batch, &after, USHER_OK);
    pg_record_close(record);
}

static void a_terminated_reader_is_a_lost_connection(void **state)
{
    struct record_port *record = fixture_record();
    struct position position = fixture_acquire(record, 0, USHER_OK);
    struct usher_error err = {0};
    fixture_number(state, "select count(pg_terminate_backend(pid)) from pg_stat_activity"
                          " where datname = current_database() and usename = 'usher_worker'");
    assert_int_equal(USHER_RETRY, record->check_epoch(record->self, position.epoch, &err));
    assert_int_equal(USHER_RETRY, record->check_epoch(record->self, position.epoch, &err));
    fixture_acquire(record, position.epoch, USHER_OK);
    pg_record_close(record);
}

static void a_commit_waits_for_its_answer_and_not_longer(void **state)
{
    struct record_port *record = fixture_record();
    struct position position = fixture_acquire(record, 0, USHER_OK);
    fixture_batch_begin(&batch, &position);
    fixture_add_show(&batch);
    PQclear(PQexec(*state, "begin; select from usher.partition_state for update"));
    /* The server gives up with the lock timeout, before the client would. */
    fixture_commit(record, &batch, &position, USHER_RETRY);
    PQclear(PQexec(*state, "rollback"));
    assert_int_equal(0, fixture_number(state, "select count(*) from usher.decision"));
    pg_record_close(record);
}

/*
 * A worker of old: a connection that took the partition as usher-worker does, and stopped between
 * two statements of a batch, in a pipeline without an end.
 */
static PGconn *stopped_worker(const char *start)
{
    char sql[512];
    PGconn *conn = PQconnectdb(fixture_worker_uri());
    assert_int_equal(CONNECTION_OK, PQstatus(conn));
    snprintf(sql, sizeof sql,
             "select usher.acquire(%d, %d, 0, 'old', pid, %s)"
             " from pg_stat_get_activity(pg_backend_pid())",
             FIXTURE_PARTITION, FIXTURE_PARTITION_COUNT, start);
    PGresult *result = PQexec(conn, sql);
    assert_int_equal(PGRES_TUPLES_OK, PQresultStatus(result));
    PQclear(result);
    assert_int_equal(1, PQenterPipelineMode(conn));
    assert_int_equal(1, PQsendQueryParams(conn,
                                          "select usher.advance(1, epoch, null, 1, 5, 1, now(), 4,"
                                          " 1, 0, null, 0, 0) from usher.partition_state",
                                          0, NULL, NULL, NULL, NULL, 0));
    assert_int_equal(1, PQsendFlushRequest(conn));
    assert_int_equal(0, PQflush(conn));
    result = PQgetResult(conn);
    assert_int_equal(PGRES_TUPLES_OK, PQresultStatus(result));
    PQclear(result);
    return conn;
}

static bool is_alive(void **state, PGconn *conn)
{
    char sql[128];
    snprintf(sql, sizeof sql, "select count(*) from pg_stat_activity where pid = %d",
             PQbackendPID(conn));
    return fixture_number(state, sql) == 1;
}

static void a_stopped_predecessor_is_ended(void **state)
{
    PGconn *old = stopped_worker("backend_start");
    struct record_port *record = fixture_record();
    struct position position = fixture_acquire(record, 0, USHER_OK);
    assert_int_equal(2, position.epoch);
    assert_int_equal(1, position.next_seq);
    assert_int_equal(OFFSET_NONE, position.next_offset);
    assert_false(is_alive(state, old));
    pg_record_close(record);
    PQfinish(old);
}

/* Its pid was given to another since: that one is left alone, whatever it locks. */
static void only_that_very_backend_is_ended(void **state)
{
    PGconn *other = stopped_worker("backend_start - interval '1 second'");
    struct record_port *record = fixture_record();
    fixture_acquire(record, 0, USHER_RETRY);
    assert_true(is_alive(state, other));
    PQfinish(other);
    fixture_acquire(record, 0, USHER_OK);
    pg_record_close(record);
}

/* Who comes back asks for an epoch of old: it need not wait for the successor, nor end it. */
static void a_fenced_worker_terminates_no_backend(void **state)
{
    struct record_port *record = fixture_record();
    fixture_acquire(record, 0, USHER_OK);
    PGconn *successor = stopped_worker("backend_start");
    fixture_acquire(record, 1, USHER_FENCED);
    assert_true(is_alive(state, successor));
    pg_record_close(record);
    PQfinish(successor);
}

static void an_unreachable_server_is_tried_again(void **state)
{
    (void)state;
    const struct pg_record_options options = {
        .connection = {.uri = "postgresql://usher_worker:secret@127.0.0.1:1/usher"},
        .partition = FIXTURE_PARTITION,
        .partition_count = FIXTURE_PARTITION_COUNT};
    struct record_port *record = pg_record_open(&options);
    struct position position;
    struct usher_error err = {0};
    assert_int_equal(USHER_RETRY, record->acquire(record->self, 0, &position, &err));
    assert_int_equal(USHER_EXIT_UNAVAILABLE, err.exit_code);
    assert_null(strstr(err.text, "secret"));
    assert_int_equal(-1, record->descriptor(record->self));
    assert_int_equal(USHER_RETRY, record->check_epoch(record->self, 1, &err));
    pg_record_close(record);
    pg_record_close(NULL);
}

/* Who reads for the cache uses the connection on which is decided: a slow resource must not cost
 * it. */
static void a_load_that_took_too_long_leaves_the_connection(void **state)
{
    struct record_port *record = fixture_record();
    const char *id = "show:x";
    const struct load_request request = {.resources = &id, .resource_count = 1};
    struct position position = fixture_acquire(record, 0, USHER_OK);
    struct usher_arena arena = {0};
    struct load_result result;
    struct usher_error err = {0};
    fixture_batch_begin(&batch, &position);
    fixture_add_show(&batch);
    fixture_commit(record, &batch, &position, USHER_OK);
    PQclear(PQexec(*state, "begin; lock table usher.pool"));
    assert_int_equal(USHER_RETRY, record->load(record->self, &request, &arena, &result, &err));
    assert_non_null(strstr(err.text, "canceling statement"));
    PQclear(PQexec(*state, "rollback"));
    result = fixture_load(record, &request, &arena, NULL);
    assert_int_equal(1, result.resource_count);
    usher_arena_deinit(&arena);
    pg_record_close(record);
}

int main(void)
{
#define WITH_DATABASE(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        WITH_DATABASE(the_first_start_records_the_partition_count),
        WITH_DATABASE(another_partition_count_is_refused),
        WITH_DATABASE(the_position_is_what_was_committed),
        WITH_DATABASE(open_holds_are_as_the_last_batch_said),
        WITH_DATABASE(positions_are_read_without_a_lock),
        WITH_DATABASE(a_successor_fences_its_predecessor),
        WITH_DATABASE(a_successor_is_not_overtaken_behind_the_lock),
        WITH_DATABASE(an_acquire_whose_answer_was_lost_can_be_repeated),
        WITH_DATABASE(a_terminated_backend_is_a_lost_connection),
        WITH_DATABASE(a_terminated_reader_is_a_lost_connection),
        WITH_DATABASE(a_commit_waits_for_its_answer_and_not_longer),
        WITH_DATABASE(a_stopped_predecessor_is_ended),
        WITH_DATABASE(only_that_very_backend_is_ended),
        WITH_DATABASE(a_fenced_worker_terminates_no_backend),
        WITH_DATABASE(a_load_that_took_too_long_leaves_the_connection),
        WITH_DATABASE(an_unreachable_server_is_tried_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
