/* `usher-worker run`: decides requests until it is told to stop. */
#ifndef USHER_WORKER_PROGRAM_COMMAND_RUN_H
#define USHER_WORKER_PROGRAM_COMMAND_RUN_H

#include "worker/program/worker_command.h"

extern const struct worker_command run_command;

#endif
