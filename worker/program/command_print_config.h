/* `usher-worker print-config`: prints every option. */
#ifndef USHER_WORKER_PROGRAM_COMMAND_PRINT_CONFIG_H
#define USHER_WORKER_PROGRAM_COMMAND_PRINT_CONFIG_H

#include "worker/program/worker_command.h"

extern const struct worker_command print_config_command;

#endif
