/* `usher-worker migrate up|list|print`: the database schema. */
#ifndef USHER_WORKER_PROGRAM_COMMAND_MIGRATE_H
#define USHER_WORKER_PROGRAM_COMMAND_MIGRATE_H

#include "worker/program/worker_options.h"

extern const struct program_command migrate_command;

#endif
