/* The commands of usher-worker. */
#ifndef USHER_WORKER_PROGRAM_WORKER_COMMANDS_H
#define USHER_WORKER_PROGRAM_WORKER_COMMANDS_H

#include <stddef.h>

#include "worker/program/worker_options.h"

extern const struct program_command *const worker_commands[];
extern const size_t worker_command_count;

/* deploy/runbook.md: a page for each alert. */
extern const char *const worker_runbook;

#endif
