/* The commands of usher-dashboard. */
#ifndef USHER_WORKER_DASHBOARD_DASHBOARD_COMMANDS_H
#define USHER_WORKER_DASHBOARD_DASHBOARD_COMMANDS_H

#include <stddef.h>

#include "producer/terminal/program.h"

extern const struct program_command *const dashboard_commands[];
extern const size_t dashboard_command_count;

#endif
