/* `usher-worker check`: every dependency; `print-config`: every option. */
#ifndef USHER_WORKER_PROGRAM_COMMAND_CHECK_H
#define USHER_WORKER_PROGRAM_COMMAND_CHECK_H

#include "worker/program/worker_options.h"

extern const struct program_command check_command, print_config_command;

#endif
