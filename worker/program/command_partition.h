/* `usher-worker partition ACTION`: operators' changes of partitions. */
#ifndef USHER_WORKER_PROGRAM_COMMAND_PARTITION_H
#define USHER_WORKER_PROGRAM_COMMAND_PARTITION_H

#include "worker/program/report.h"
#include "worker/program/worker_options.h"

extern const struct program_command partition_command;

#endif
