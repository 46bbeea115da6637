/*
 * record_calls FIRST COUNT: random sequences of calls of the record port (support/record_calls.h)
 * on the simulated PostgreSQL, without faults of its own; what came of them goes to standard
 * output. tests/integration/record_calls has to print the same of the real one.
 */
#include "record_calls.h"

#include <assert.h>
#include <stdlib.h>

#include "postgres.h"
#include "seams.h"
#include "sim.h"

enum {
    PATIENCE_MS = 100 /* everything is done by then */
};

static struct record_port ports[RECORD_CLIENTS];
static bool is_done;

static struct record_port opened(int client)
{
    ports[client] = postgres_record(0);
    return ports[client];
}

static void closed(int client)
{
    postgres_close(&ports[client]);
}

static void terminated(int client)
{
    postgres_terminate(&ports[client]);
    sim_sleep(PATIENCE_MS * SIM_MS);
}

static void locked(bool is_locked)
{
    postgres_lock(0, is_locked);
}

static void nothing(int client)
{
    (void)client;
}

static void begun(int client)
{
    (void)client;
    sim_sleep(PATIENCE_MS * SIM_MS);
}

static void committed(const struct batch *last)
{
    (void)last;
    sim_sleep(PATIENCE_MS * SIM_MS);
}

static bool accept_loss(int64_t next_seq, int64_t highest_seq)
{
    return postgres_accept_loss(0, next_seq, highest_seq);
}

static bool skip_requests(int64_t from, int64_t to)
{
    return postgres_skip_requests(0, from, to);
}

static bool accept_topic(int64_t next_offset, int64_t next_seq)
{
    return postgres_accept_topic(0, next_offset, next_seq);
}

static bool resume(void)
{
    return postgres_resume(0);
}

static bool prune(int64_t resource_no)
{
    int32_t epoch;
    return postgres_prune(0, resource_no, &epoch);
}

static void *call(void *seed)
{
    const struct record_side side = {.open = opened,
                                     .close = closed,
                                     .terminate = terminated,
                                     .lock = locked,
                                     .acquired = nothing,
                                     .begins = nothing,
                                     .begun = begun,
                                     .committed = committed,
                                     .accept_loss = accept_loss,
                                     .skip_requests = skip_requests,
                                     .accept_topic = accept_topic,
                                     .resume = resume,
                                     .prune = prune};
    record_calls(&side, *(const uint32_t *)seed, stdout);
    is_done = true;
    return NULL;
}

static bool done(void)
{
    return is_done;
}

static void run(uint32_t seed)
{
    sim_begin(seed, 0);
    seams_reset();
    postgres_begin(1);
    sim_machines[1].alive = true;
    is_done = false;
    (void)sim_spawn(&sim_machines[1], call, &seed);
    bool ended = sim_run(done);
    assert(ended);
    (void)sim_end();
}

int main(int argc, char **argv)
{
    assert(argc == 3);
    uint32_t first = (uint32_t)strtoul(argv[1], NULL, 10);
    uint32_t count = (uint32_t)strtoul(argv[2], NULL, 10);
    for (uint32_t i = 0; i < count; i++)
        run(first + i);
    return 0;
}
