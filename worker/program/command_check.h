/* `usher-worker check`: checks every dependency. argv[0] is the command's name. */
#ifndef USHER_WORKER_PROGRAM_COMMAND_CHECK_H
#define USHER_WORKER_PROGRAM_COMMAND_CHECK_H

#include "usher/status.h"

enum usher_exit command_check(int argc, char *const *argv);

#endif
