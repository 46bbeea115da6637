/*
 * `usher-worker run`: decides requests until it is stopped. With it comes what a long-running
 * process needs: signals, the service manager, and enough open files.
 */
#ifndef USHER_WORKER_PROGRAM_COMMAND_RUN_H
#define USHER_WORKER_PROGRAM_COMMAND_RUN_H

#include <stdint.h>

#include "worker/observe/service_manager.h"
#include "worker/partition/group.h"
#include "worker/program/worker_options.h"

extern const struct program_command run_command;

/* How a worker with this group is, for the service manager: alive as long as all loops move. */
struct service_health run_health(struct group *group, int32_t partition_count);

#endif
