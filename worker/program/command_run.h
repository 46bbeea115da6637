/* `usher-worker run`: decides requests until it is told to stop. argv[0] is the command's name. */
#ifndef USHER_WORKER_PROGRAM_COMMAND_RUN_H
#define USHER_WORKER_PROGRAM_COMMAND_RUN_H

#include "usher/status.h"

enum usher_exit command_run(int argc, char *const *argv);

#endif
