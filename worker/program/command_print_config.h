/* `usher-worker print-config`: prints every option. argv[0] is the command's name. */
#ifndef USHER_WORKER_PROGRAM_COMMAND_PRINT_CONFIG_H
#define USHER_WORKER_PROGRAM_COMMAND_PRINT_CONFIG_H

#include "usher/status.h"

enum usher_exit command_print_config(int argc, char *const *argv);

#endif
