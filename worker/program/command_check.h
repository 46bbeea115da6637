/* `usher-worker check`: checks every dependency. */
#ifndef USHER_WORKER_PROGRAM_COMMAND_CHECK_H
#define USHER_WORKER_PROGRAM_COMMAND_CHECK_H

#include "worker/program/worker_command.h"

extern const struct worker_command check_command;

#endif
