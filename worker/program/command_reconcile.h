/* `usher-worker reconcile` and `rebuild-cache`. */
#ifndef USHER_WORKER_PROGRAM_COMMAND_RECONCILE_H
#define USHER_WORKER_PROGRAM_COMMAND_RECONCILE_H

#include "worker/program/worker_command.h"

extern const struct worker_command reconcile_command;
extern const struct worker_command rebuild_cache_command;

#endif
