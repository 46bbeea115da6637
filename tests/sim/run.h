/* One run: a seed is a number of workers and partitions, a workload, and faults; then the verdict.
 */
#ifndef TESTS_SIM_RUN_H
#define TESTS_SIM_RUN_H

#include <stdint.h>

/* What was seen over all runs of the process. */
struct run_counts {
    uint64_t runs, calm, later, requests, repeats, last_moments, decisions, virtual_s;
    uint64_t lost_answers, terminated, rebalances, lost_requests, deleted, outages;
    uint64_t disasters, transactions, jumps, refused, cancelled, slow_loads, pages;
    uint64_t redis_writes, redis_gaps, redis_stale, redis_losses, redis_rebuilds;
    uint64_t losses, skips, topics, resumes, resets, pruned; /* an operator's acts */
    uint64_t set_back, set_ahead;
    uint64_t reloaded; /* times that memory was compared */
};

extern struct run_counts run_counts;

/* A run with fewer requests, or without some kinds of faults: its chance goes another way. */
struct run_less {
    uint32_t requests; /* at most; 0: as planned */
    uint32_t without;  /* a bit for each run_fault */
};

extern struct run_less run_less;

/* The name of a kind of faults; NULL behind the last. */
const char *run_fault(uint32_t i);

/*
 * Runs a seed to its end. With `crash_at` there is no other fault: the machine crashes at that
 * boundary of a call. Returns the hash of all calls; aborts, and says why, where usher broke its
 * promise.
 */
uint64_t run(uint64_t seed, uint64_t crash_at);

#endif
