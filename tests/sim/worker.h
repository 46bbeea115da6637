/* A worker process: the product's group and allocators, on simulated parts. */
#ifndef TESTS_SIM_WORKER_H
#define TESTS_SIM_WORKER_H

#include "sim.h"
#include "worker/partition/partition_state.h"

/* What all workers of a run are started with. */
extern struct partition_settings worker_settings;

/* Starts a worker on a machine that is not alive. */
void worker_start(struct sim_machine *machine);

/* Asks it to leave in order, as a signal does. */
void worker_stop(const struct sim_machine *machine);

/* Counts the states that its partitions are in now. */
void worker_count_states(const struct sim_machine *machine);

/* How many partitions a worker has that are in that stage. */
int worker_count(const struct sim_machine *machine, enum partition_stage stage);

#endif
