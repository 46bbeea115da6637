/* `usher-worker run`: decides requests until it is stopped. */
#ifndef USHER_WORKER_PROGRAM_COMMAND_RUN_H
#define USHER_WORKER_PROGRAM_COMMAND_RUN_H

#include "worker/program/worker_options.h"

extern const struct program_command run_command;

#endif
