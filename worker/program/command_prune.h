/* The command `prune`. */
#ifndef USHER_WORKER_PROGRAM_COMMAND_PRUNE_H
#define USHER_WORKER_PROGRAM_COMMAND_PRUNE_H

#include "worker/program/worker_command.h"

extern const struct worker_command prune_command;

#endif
