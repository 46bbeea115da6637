/*
 * Virtual time: machines, whose threads are fibers of one real thread, and one seeded source of
 * chance that decides which goes on. Nothing here waits for real time, so the same seed gives the
 * same run, call by call. Knows neither usher nor its parts; seams.c links the product to it.
 */
#ifndef TESTS_SIM_SIM_H
#define TESTS_SIM_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIM_NEVER INT64_MAX
#define SIM_MS INT64_C(1000)
#define SIM_S INT64_C(1000000)

enum {
    SIM_MACHINES_MAX = 8,
    SIM_NAMES = 64,
};

/* A process: its threads, its memory and its clock. The world, machine 0, never crashes. */
struct sim_machine {
    bool alive;
    uint32_t start;           /* counted: another one is another process */
    int64_t clock_us;         /* its CLOCK_MONOTONIC minus virtual time */
    int64_t paused_until_us;  /* none of its threads runs before */
    bool hosts_no_threads;    /* those that it starts now never run */
    struct sim_block *blocks; /* its memory */
};

extern struct sim_machine sim_machines[SIM_MACHINES_MAX];

/* How often there was each of some names, which are static; up to the first NULL. */
struct sim_tally {
    const char *name;
    uint64_t count;
};

/* What is counted over all runs of the process. */
struct sim_counts {
    uint64_t calls, crashes, pauses, busy, switches;
    struct sim_tally boundaries[SIM_NAMES]; /* of calls of workers */
    struct sim_tally states[SIM_NAMES];     /* in which partitions were seen */
};

extern struct sim_counts sim_counts;

void sim_tally(struct sim_tally tally[SIM_NAMES], const char *name);

/* ---- a run ---- */

/* Begins with an empty world. `crash_at`: the boundary of a call at which its machine crashes. */
void sim_begin(uint64_t seed, uint64_t crash_at);

/*
 * Runs until `done` says so, or nothing ever happens again; returns whether it is done. To be
 * called outside of all fibers.
 */
bool sim_run(bool (*done)(void));

/* Ends all machines and drops all memory. Returns the hash of all calls. */
uint64_t sim_end(void);

/* ---- chance ---- */

uint64_t sim_random(void);

/* 0 to n - 1. */
uint32_t sim_below(uint32_t n);

/* True once in n times on average; never with n 0. */
bool sim_once_in(uint32_t n);

/* ---- time ---- */

extern int64_t sim_now_us;

void sim_sleep(int64_t us);

/*
 * Waits until `ready` says so, or virtual time is `until_us`. False: it is not ready. `ready` must
 * change nothing: it is called again and again.
 */
bool sim_await(bool (*ready)(const void *), const void *argument, int64_t until_us);

/* ---- machines ---- */

/* Starts a fiber of a machine, which must be alive. */
void *sim_spawn(struct sim_machine *machine, void *(*run)(void *), void *argument);

/* Waits until that fiber has ended, and forgets it. False: it has not by `until_us`. */
bool sim_join(void *fiber, int64_t until_us);

/* The fiber that runs, and its machine; NULL, and the world, outside of all fibers. */
void *sim_fiber(void);
struct sim_machine *sim_machine(void);

/* Memory is allocated for that machine from now on; returns the one before. */
struct sim_machine *sim_enter(struct sim_machine *machine);

/* Ends all of a machine's fibers at once and drops its memory. Does not return to one of them. */
void sim_crash(struct sim_machine *machine);

/* ---- calls ---- */

/*
 * A boundary of a call into a part, before or after its effect: it goes into the hash, others may
 * run meanwhile, and the machine may crash here.
 */
void sim_boundary(const char *name, int64_t detail);

/* How many boundaries there were. */
uint64_t sim_boundaries(void);

/*
 * One in so many boundaries crashes its machine, or pauses it; one in so many looks at a clock
 * takes the processor away from who looks (seams.c). 0: none.
 */
struct sim_faults {
    uint32_t crash, pause, busy;
};

extern struct sim_faults sim_faults;

#endif
