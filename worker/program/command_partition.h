/* `usher-worker partition reset-clock`: what an operator does to a partition. argv[0] is the
 * command's name. */
#ifndef USHER_WORKER_PROGRAM_COMMAND_PARTITION_H
#define USHER_WORKER_PROGRAM_COMMAND_PARTITION_H

#include "usher/status.h"

enum usher_exit command_partition(int argc, char *const *argv);

#endif
