/*
 * record_calls FIRST COUNT: random sequences of calls of the record port (tests/support/
 * record_calls.h) on the real PostgreSQL, a seed after the other; what came of them goes to
 * standard output. tests/sim/record_calls has to print the same of the simulated one.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "record_calls.h"
#include "record_fixture.h"
#include "worker/postgres/pg_partition.h"
#include "worker/postgres/pg_prune.h"

static PGconn *admin, *locker;
static struct record_port *ports[RECORD_CLIENTS];
static char begun_at[RECORD_CLIENTS][64]; /* when a client last began a batch, by the server */

/* Runs SQL and returns the first column of the first row; it is valid until the next call. */
static const char *ask(PGconn *conn, const char *sql)
{
    static char value[64];
    PGresult *result = PQexec(conn, sql);
    ExecStatusType status = PQresultStatus(result);
    if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK)
        fprintf(stderr, "%s: %s", sql, PQerrorMessage(conn));
    assert(status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK);
    snprintf(value, sizeof value, "%s",
             PQntuples(result) > 0 && PQnfields(result) > 0 ? PQgetvalue(result, 0, 0) : "");
    PQclear(result);
    return value;
}

/* The backend of a client's commits: that of the last epoch it acquired. */
static char backends[RECORD_CLIENTS][16];

static struct record_port opened(int client)
{
    const struct pg_record_options options = {
        .connection = {.uri = fixture_worker_uri(),
                       .owner = client == 0 ? "a" : "b",
                       .lock_timeout_ms = FIXTURE_PATIENCE_MS,
                       .statement_timeout_ms = FIXTURE_PATIENCE_MS,
                       .query_timeout_ms = FIXTURE_PATIENCE_MS},
        .partition = 0,
        .partition_count = 1,
    };
    ports[client] = pg_record_open(&options);
    return *ports[client];
}

static void closed(int client)
{
    pg_record_close(ports[client]);
}

static void acquired(int client)
{
    snprintf(backends[client], sizeof backends[client], "%s",
             ask(admin, "select backend_pid from usher.partition_state"));
}

static void terminated(int client)
{
    char sql[200];
    snprintf(sql, sizeof sql, "select pg_terminate_backend(%s, %d)", backends[client],
             FIXTURE_PATIENCE_MS);
    assert(strcmp(ask(admin, sql), "t") == 0);
}

static void locked(bool is_locked)
{
    if (is_locked)
        ask(locker, "begin; select from usher.partition_state where partition = 0 for update");
    else
        ask(locker, "rollback");
}

static void begins(int client)
{
    snprintf(begun_at[client], sizeof begun_at[client], "%s",
             ask(admin, "select clock_timestamp()"));
}

static void wait_until(const char *condition)
{
    for (int i = 0; strcmp(ask(admin, condition), "t") != 0; i++) {
        ask(admin, "select pg_sleep(0.001)");
        if (i == FIXTURE_PATIENCE_MS / 10) {
            fprintf(stderr, "in vain: %s\n", condition);
            abort();
        }
    }
}

/* What is begun behind a batch that waits for the lock waits in the connection. */
static void begun(int client)
{
    char sql[300];
    snprintf(sql, sizeof sql,
             "select count(*) = 1 from pg_stat_activity where pid = %s and (wait_event_type = "
             "'Lock' or (state = 'idle' and state_change > '%s'))",
             backends[client], begun_at[client]);
    wait_until(sql);
}

static void committed(const struct batch *last)
{
    char sql[200];
    snprintf(sql, sizeof sql, "select next_offset >= %" PRId64 " from usher.partition_state",
             last->next_offset);
    wait_until(sql);
}

/* ---- an operator ---- */

static struct pg_settings owner; /* of the schema */

static bool accept_loss(int64_t next_seq, int64_t highest_seq)
{
    const struct pg_loss loss = {next_seq, highest_seq, "why"};
    bool was_halted;
    struct usher_error err;
    return pg_partition_accept_loss(&owner, 0, &loss, &was_halted, &err) == USHER_OK;
}

static bool skip_requests(int64_t from, int64_t to)
{
    const struct pg_skip skipped = {.from = from, .to = to, .why = "why"};
    bool was_halted;
    struct usher_error err;
    return pg_partition_skip(&owner, 0, &skipped, &was_halted, &err) == USHER_OK;
}

static bool accept_topic(int64_t next_offset, int64_t next_seq)
{
    const struct pg_new_topics topics = {.topics = "requests",
                                         .next_offset = next_offset,
                                         .next_seq = next_seq,
                                         .published_seq = PG_SEQ_NONE,
                                         .why = "why"};
    bool was_halted;
    struct usher_error err;
    return pg_partition_accept_topic(&owner, 0, &topics, &was_halted, &err) == USHER_OK;
}

static bool resume(void)
{
    bool was_halted = false;
    struct usher_error err;
    return pg_partition_resume(&owner, 0, &was_halted, &err) == USHER_OK && was_halted;
}

/* In the sequences nothing is over for a century: they have no days. */
static bool prune(int64_t resource_no)
{
    const int64_t older_than_s = INT64_C(-3200000000);
    struct pg_prune *pruning;
    struct pg_prunable *resources;
    struct usher_arena arena = {0};
    struct usher_error err;
    uint32_t count;
    bool pruned = false;
    enum usher_status status = pg_prune_open(&owner, &pruning, &err);
    assert(status == USHER_OK);
    status = pg_prune_list(pruning, older_than_s, &arena, &resources, &count, &err);
    assert(status == USHER_OK);
    for (uint32_t i = 0; i < count; i++)
        if (resources[i].no == resource_no)
            pruned =
                pg_prune_resources(pruning, older_than_s, NULL, &resources[i], 1, &err) == USHER_OK;
    pg_prune_close(pruning);
    usher_arena_deinit(&arena);
    return pruned;
}

int main(int argc, char **argv)
{
    const struct record_side side = {.open = opened,
                                     .close = closed,
                                     .terminate = terminated,
                                     .lock = locked,
                                     .acquired = acquired,
                                     .begins = begins,
                                     .begun = begun,
                                     .committed = committed,
                                     .accept_loss = accept_loss,
                                     .skip_requests = skip_requests,
                                     .accept_topic = accept_topic,
                                     .resume = resume,
                                     .prune = prune};
    void *state;
    assert(argc == 3);
    owner.uri = getenv("FIXTURE_ADMIN");
    setlinebuf(stdout);
    locker = PQconnectdb(getenv("FIXTURE_ADMIN"));
    uint32_t first = (uint32_t)strtoul(argv[1], NULL, 10);
    uint32_t count = (uint32_t)strtoul(argv[2], NULL, 10);
    for (uint32_t i = 0; i < count; i++) {
        fixture_setup(&state);
        admin = state;
        record_calls(&side, first + i, stdout);
        fixture_teardown(&state);
    }
    PQfinish(locker);
    return 0;
}
