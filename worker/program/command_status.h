/* `usher-worker status`: all partitions, whoever owns them. */
#ifndef USHER_WORKER_PROGRAM_COMMAND_STATUS_H
#define USHER_WORKER_PROGRAM_COMMAND_STATUS_H

#include "worker/program/worker_command.h"

extern const struct worker_command status_command;

#endif
