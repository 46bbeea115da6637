/* `usher-worker show RESOURCE`: a resource as it is now. */
#ifndef USHER_WORKER_PROGRAM_COMMAND_SHOW_H
#define USHER_WORKER_PROGRAM_COMMAND_SHOW_H

#include "worker/program/worker_options.h"

extern const struct program_command show_command;

#endif
