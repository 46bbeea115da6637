/*
 * sim [FIRST-SEED [RUNS [CRASH-AT [REQUESTS [WITHOUT]]]]]: runs seed after seed, and prints what
 * there was in them. With CRASH-AT nothing goes wrong but for a crash at that boundary of a call;
 * `each`: at one after the other, each in a run of its own. REQUESTS: there are no more; WITHOUT:
 * names of faults (run_fault). More than one run are shared by a process for each core; the first
 * one that fails is made smaller (shrink.h).
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "producer/base/log.h"
#include "run.h"
#include "seams.h"
#include "shrink.h"
#include "sim.h"

enum {
    PROCESSES_MAX = 64,
    AGAIN = 20 /* one seed in so many is run twice, and must go the same way */
};

/* A process that runs some of the seeds, as the others see it. */
struct process {
    pid_t id;
    uint64_t seed, crash_at; /* of the run under way */
    struct run_counts runs;
    struct sim_counts calls;
};

static uint64_t first, runs, crash_at;
static bool each;
static int process_count = 1;
static struct process *processes; /* shared */

/* ---- seeds ---- */

static void run_once(struct process *process)
{
    uint64_t hash = run(process->seed, process->crash_at);
    if (runs == 1)
        printf("hash %016" PRIx64 "\n", hash);
    if (process->seed % AGAIN != 0 || run(process->seed, process->crash_at) == hash)
        return;
    (void)fprintf(stderr, "the second time it went another way\n");
    abort();
}

/* One crash, at each boundary of a call that there is in the run. */
static void crash_at_each(struct process *process)
{
    process->crash_at = 0;
    do {
        process->crash_at++;
        (void)run(process->seed, process->crash_at);
    } while (process->crash_at < sim_boundaries());
}

static void run_seeds(int number)
{
    struct process *process = &processes[number];
    process->crash_at = crash_at;
    for (uint64_t i = (uint64_t)number; i < runs; i += (uint64_t)process_count) {
        process->seed = first + i;
        if (each)
            crash_at_each(process);
        else
            run_once(process);
        process->runs = run_counts;
        process->calls = sim_counts;
    }
}

/* ---- processes ---- */

static void start(int number)
{
    pid_t id = fork();
    if (id == 0) {
        run_seeds(number);
        exit(0);
    }
    processes[number].id = id;
}

/* An assertion of the product, or a fault of memory, is a violation like any other. */
static bool is_good(const struct process *process)
{
    int status = 0;
    if (waitpid(process->id, &status, 0) == process->id && WIFEXITED(status) &&
        WEXITSTATUS(status) == 0)
        return true;
    (void)fprintf(stderr,
                  "a run failed; to repeat it: make sim SEED=%" PRIu64 " RUNS=1 CRASH_AT=%" PRIu64
                  "\n",
                  process->seed, process->crash_at);
    return false;
}

static bool run_all(void)
{
    if (runs == 1 && !each) { /* for a debugger */
        run_seeds(0);
        return true;
    }
    for (int i = 0; i < process_count; i++)
        start(i);
    const struct process *failed = NULL;
    for (int i = 0; i < process_count; i++)
        if (!is_good(&processes[i]) && !failed)
            failed = &processes[i];
    if (failed)
        shrink(failed->seed, failed->crash_at);
    return !failed;
}

/* ---- the command ---- */

static double seconds(void)
{
    extern int __real_clock_gettime(clockid_t clock, struct timespec * now);
    struct timespec now;
    __real_clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* What is printed at the end, summed up over all processes. */
static const struct {
    const char *name;
    size_t at; /* in struct process */
} counts[] = {
    {"runs", offsetof(struct process, runs.runs)},
    {"of them without failures", offsetof(struct process, runs.calm)},
    {"of them with retention and other workers afterwards", offsetof(struct process, runs.later)},
    {"partitions that had to halt, and did", offsetof(struct process, runs.disasters)},
    {"losses of commits that an operator accepted", offsetof(struct process, runs.losses)},
    {"new topics that one accepted", offsetof(struct process, runs.topics)},
    {"times that one skipped requests", offsetof(struct process, runs.skips)},
    {"times that one told a partition to try again", offsetof(struct process, runs.resumes)},
    {"times that Redis was rebuilt", offsetof(struct process, runs.redis_rebuilds)},
    {"requests", offsetof(struct process, runs.requests)},
    {"repeated requests", offsetof(struct process, runs.repeats)},
    {"transactions", offsetof(struct process, runs.transactions)},
    {"confirms at the last moment", offsetof(struct process, runs.last_moments)},
    {"decisions", offsetof(struct process, runs.decisions)},
    {"seconds of virtual time", offsetof(struct process, runs.virtual_s)},
    {"boundaries of calls", offsetof(struct process, calls.calls)},
    {"crashes", offsetof(struct process, calls.crashes)},
    {"pauses", offsetof(struct process, calls.pauses)},
    {"times that the processor was taken away", offsetof(struct process, calls.busy)},
    {"lost answers of PostgreSQL", offsetof(struct process, runs.lost_answers)},
    {"terminated backends", offsetof(struct process, runs.terminated)},
    {"commits refused for their data", offsetof(struct process, runs.refused)},
    {"commits cancelled", offsetof(struct process, runs.cancelled)},
    {"loads that took too long", offsetof(struct process, runs.slow_loads)},
    {"pages of loads after the first", offsetof(struct process, runs.pages)},
    {"lost requests of producers", offsetof(struct process, runs.lost_requests)},
    {"entries deleted by retention", offsetof(struct process, runs.deleted)},
    {"writes to Redis", offsetof(struct process, runs.redis_writes)},
    {"that it lacked the ground for", offsetof(struct process, runs.redis_gaps)},
    {"that were overtaken", offsetof(struct process, runs.redis_stale)},
    {"losses of all that Redis had, or of the latest", offsetof(struct process, runs.redis_losses)},
    {"times that the clock of PostgreSQL went back", offsetof(struct process, runs.set_back)},
    {"times that it went ahead", offsetof(struct process, runs.set_ahead)},
    {"resets of a partition's time", offsetof(struct process, runs.resets)},
    {"resources that were pruned", offsetof(struct process, runs.pruned)},
    {"jumps of the clock of brokers", offsetof(struct process, runs.jumps)},
    {"rebalances", offsetof(struct process, runs.rebalances)},
    {"comparisons of memory", offsetof(struct process, runs.reloaded)},
    {"other faults", offsetof(struct process, runs.outages)},
};

static uint64_t sum(size_t at)
{
    uint64_t all = 0;
    for (int i = 0; i < process_count; i++)
        all += *(const uint64_t *)((const char *)&processes[i] + at);
    return all;
}

/* By all processes: they have the names at the same addresses, and some names more than once. */
static void report_tally(const char *title, size_t at)
{
    struct sim_tally all[SIM_NAMES] = {{NULL, 0}};
    for (int i = 0; i < process_count; i++) {
        const struct sim_tally *one = (const void *)((const char *)&processes[i] + at);
        for (; one->name; one++) {
            struct sim_tally *same = all;
            while (same->name && strcmp(same->name, one->name) != 0)
                same++;
            *same = (struct sim_tally){one->name, same->count + one->count};
        }
    }
    printf("%s:", title);
    for (const struct sim_tally *one = all; one->name; one++)
        printf(" %s %" PRIu64, one->name, one->count);
    printf("\n");
}

static void report(double took)
{
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        printf("%14" PRIu64 " %s\n", sum(counts[i].at), counts[i].name);
    report_tally("boundaries", offsetof(struct process, calls.boundaries));
    report_tally("states", offsetof(struct process, calls.states));
    printf("%.1f s: %.0f runs/s, %.0f requests/s\n", took,
           (double)sum(offsetof(struct process, runs.runs)) / took,
           (double)sum(offsetof(struct process, runs.requests)) / took);
}

/* Of names with commas between them. */
static uint32_t bits_of(const char *names)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; run_fault(i); i++)
        bits |= strstr(names, run_fault(i)) ? UINT32_C(1) << i : 0;
    return bits;
}

static uint64_t number(int argc, char **argv, int i, uint64_t otherwise)
{
    return argc > i && *argv[i] ? strtoull(argv[i], NULL, 10) : otherwise;
}

int main(int argc, char **argv)
{
    first = number(argc, argv, 1, 1);
    runs = number(argc, argv, 2, 1000);
    crash_at = number(argc, argv, 3, 0);
    run_less.requests = (uint32_t)number(argc, argv, 4, 0);
    run_less.without = argc > 5 ? bits_of(argv[5]) : 0;
    each = argc > 3 && strcmp(argv[3], "each") == 0;
    seams_verbose = getenv("SIM_LOG");
    setenv("CMOCKA_TEST_ABORT", "1", 1); /* its assertions fail outside of a test */
    log_set_level(seams_verbose ? LOG_LEVEL_DEBUG : LOG_LEVEL_ERROR);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    process_count = runs == 1 ? 1 : cores < PROCESSES_MAX ? (int)cores : PROCESSES_MAX;
    processes = mmap(NULL, PROCESSES_MAX * sizeof *processes, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    double began = seconds();
    bool good = processes != MAP_FAILED && run_all();
    report(seconds() - began);
    return good ? 0 : 1;
}
