/* `usher-worker migrate up|list|print`: the database schema. argv[0] is the command's name. */
#ifndef USHER_WORKER_PROGRAM_COMMAND_MIGRATE_H
#define USHER_WORKER_PROGRAM_COMMAND_MIGRATE_H

#include "usher/status.h"

enum usher_exit command_migrate(int argc, char *const *argv);

#endif
